// If this breaks, the page shows a number with a wrong unit, an unknown one as 0, a name
// that moves the cursor, a CSV file that a spreadsheet misreads, or a flame graph whose
// boxes are not the sums of their samples.

import assert from 'node:assert/strict';
import * as format from '../../web/src/format.js';
import { csv } from '../../web/src/csv.js';
import * as tree from '../../web/src/flame_tree.js';
import { finish, test } from './browser.js';

await test('durations have three digits and their unit', () => {
  assert.deepEqual(
    [0, 7, 999, 999.6, 1234, 56_700, 999_700_000, 12e9, 99e9, 100e9, 3_725e9]
      .map(format.duration),
    ['0 s', '7 ns', '999 ns', '1.00 µs', '1.23 µs', '56.7 µs', '1.00 s', '12.0 s', '99.0 s',
     '1 min 40 s', '1 h 02 min']);
});

await test('bytes, shares, counts and rates', () => {
  assert.deepEqual([0, 1023, 1024, 1.5 * 2 ** 30].map(format.bytes),
                   ['0 B', '1023 B', '1.00 KiB', '1.50 GiB']);
  assert.equal(format.words(128), '1.00 KiB');
  assert.deepEqual([0, 0.0001, 0.123, 0.9994, 0.9996, 1].map(format.share),
                   ['0 %', '<0.1 %', '12.3 %', '99.9 %', '100 %', '100 %']);
  assert.deepEqual([1234567, 1].map(format.count), ['1 234 567', '1']);
  assert.deepEqual([0.25, 9.5, 1234].map(format.rate), ['0.3/s', '9.5/s', '1 234/s']);
  assert.deepEqual([0.5, 999, 12_340, 5e9].map(format.compact), ['0.5', '999', '12.3k', '5G']);
});

await test('a number that is not known is a dash, never 0', () => {
  for (const f of ['duration', 'bytes', 'words', 'byteRate', 'share', 'count', 'rate', 'compact',
                   'moment', 'name'])
    for (const nothing of [null, undefined])
      assert.equal(format[f](nothing), format.unknown, f);
});

await test('a moment has as many digits as its step needs', () => {
  assert.equal(format.moment(12_345_678_901, 1e3), '12.345\u202f679 s');
  assert.equal(format.moment(12_345_678_901, 1e9), '12 s');
});

await test('characters that cannot be seen are numbers in a name', () => {
  assert.equal(format.name('a\u001b[2Jb\u202ec'), 'a\\x1b[2Jb\\u202ec');
});

await test('CSV has raw numbers, quoted names, units, and no formulas', () => {
  const columns = [{ label: 'Name', value: (r) => r.name },
                   { label: 'Time', value: (r) => r.ns, text: format.duration },
                   { label: 'Part', value: (r) => r.part, text: format.share }];
  assert.equal(
    csv(columns, [{ name: 'a "b", c', ns: 1234567, part: 0.25 },
                  { name: '=1+1', ns: null, part: -1 }]),
    'Name,Time (ns),Part (share)\r\n"a ""b"", c",1234567,0.25\r\n\'=1+1,,-1\r\n');
});

// The tree of stacks, outermost function first: [['main f', 3], ...].
function treeOf(stacks, kind = () => 'ocaml') {
  const root = tree.newNode('all');
  for (const [stack, samples] of stacks) {
    let at = root;
    for (const name of stack.split(' ')) at = tree.child(at, name, kind(name));
    at.self += samples;
  }
  tree.sumUp(root);
  return root;
}

const shown = (node) => {
  const children = [...node.children.values()].map(shown);
  return [`${node.name} ${node.value} ${node.self}`, ...children.length ? [children] : []];
};

const example = () => treeOf([['main f g', 3], ['main f', 1], ['main h g', 4], ['init', 2]]);

await test('a function has the samples of all that it called', () => {
  assert.deepEqual(shown(example()),
    ['all 10 0', [['main 8 0', [['f 4 1', [['g 3 3']]], ['h 4 0', [['g 4 4']]]]],
                  ['init 2 2']]]);
});

await test('inverted, callers are below a function, with its samples', () => {
  assert.deepEqual(shown(tree.inverted(example())),
    ['all 10 0', [['f 1 1', [['main 1 0']]],
                  ['g 7 7', [['f 3 0', [['main 3 0']]], ['h 4 0', [['main 4 0']]]]],
                  ['init 2 2']]]);
});

await test('recursion counts once in a total', () => {
  const of = (root) => Object.fromEntries(
    tree.functions(root).map((f) => [f.name, [f.self, f.total]]));
  assert.deepEqual(of(example()),
                   { g: [7, 7], f: [1, 4], main: [0, 8], h: [0, 4], init: [2, 2] });
  assert.deepEqual(of(treeOf([['f g f', 5], ['f', 1]])), { f: [6, 6], g: [0, 5] });
});

await test('around a function: its callers, and what it called', () => {
  const { callers, callees } = tree.aroundFunction(treeOf([['a f b', 2], ['c f f d', 3]]), 'f');
  assert.deepEqual(shown(callers), ['f 5 0', [['a 2 0'], ['c 3 0']]]);
  assert.deepEqual(shown(callees), ['f 5 0', [['b 2 2'], ['f 3 0', [['d 3 3']]]]]);
  assert.equal(tree.aroundFunction(example(), 'none'), null);
});

await test('without its callers in C, a stack begins at OCaml', () => {
  const kind = (name) => name.startsWith('c_') ? 'c' : 'ocaml';
  const root = tree.fromOCaml(treeOf([['c_start main f', 2], ['c_other', 1]], kind));
  tree.sumUp(root);
  assert.deepEqual(shown(root), ['all 3 0', [['main 2 0', [['f 2 2']]], ['c_other 1 1']]]);
});

await test('boxes share the width by samples, the largest first', () => {
  const { list, narrow } = tree.boxes(treeOf([['a', 1], ['b', 3], ['c', 0.0001]]));
  assert.equal(narrow, 1);
  assert.deepEqual(list.map(({ node, depth, from, to }) =>
    [node.name, depth, from.toFixed(2), to.toFixed(2)]),
    [['all', 0, '0.00', '1.00'], ['b', 1, '0.00', '0.75'], ['a', 1, '0.75', '1.00']]);
});

finish();
