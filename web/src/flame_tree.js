// Trees of functions, for flame graphs.

let nodes = 0;

// A node of the tree: the sums of its samples, which are in [self] if they end in
// it, and the same of the profile that is compared with.  [kind]: of its code.
// [variance]: of the sums, which were estimated from [samples]; 0: not known.
export function newNode(name, kind = 'unknown', parent = null) {
  return { name, kind, parent, number: nodes++, value: 0, self: 0, base: 0,
           baseSelf: 0, variance: 0, samples: 0, children: new Map() };
}

export function child(node, name, kind) {
  const found = node.children.get(name) ?? newNode(name, kind, node);
  node.children.set(name, found);
  return found;
}

function addSelf(node, from) {
  node.value += from.self;
  node.base += from.baseSelf;
}

// Sets [value], [base], [variance] and [samples] of all nodes below [root] from what ends
// in them.
export function sumUp(root) {
  addSelf(root, root);
  for (const node of root.children.values()) {
    sumUp(node);
    root.value += node.value;
    root.base += node.base;
    root.variance += node.variance;
    root.samples += node.samples;
  }
}

function addTree(to, from) {
  const node = child(to, from.name, from.kind);
  node.self += from.self;
  node.baseSelf += from.baseSelf;
  for (const c of from.children.values()) addTree(node, c);
}

// Returns the tree, without sums, in which the outermost OCaml function of each whole
// stack is below the root.  Samples of processor time have its callers in C; samples of
// waits, which the runtime takes, have none.
export function fromOCaml(root) {
  const top = newNode(root.name);
  const visit = (node, path) => {
    if (node.kind === 'ocaml' || node.name === '[truncated]') return addTree(top, node);
    if (node.self || node.baseSelf) {
      const at = path.reduce((to, n) => child(to, n.name, n.kind), top);
      at.self += node.self;
      at.baseSelf += node.baseSelf;
    }
    return node.children.forEach((c) => visit(c, [...path, c]));
  };
  visit(root, []);
  return top;
}

// Returns the tree with the callers of each function below it.
export function inverted(root) {
  const top = newNode(root.name);
  const visit = (node) => {
    let at = top;
    addSelf(top, node);
    for (let n = node; n.parent && (node.self || node.baseSelf); n = n.parent) {
      at = child(at, n.name, n.kind);
      addSelf(at, node);
      if (n === node) at.self += node.self;
    }
    node.children.forEach(visit);
  };
  visit(root);
  return top;
}

function addValue(node, { value, base }) {
  node.value += value;
  node.base += base;
}

function addCalled(node, from) {
  addValue(node, from);
  node.self += from.self;
  for (const c of from.children.values()) addCalled(child(node, c.name, c.kind), c);
}

// Returns { callers, callees } of the function [name]: trees with it as the root, the
// callers of each function below it, and the functions that it called.  Of calls within
// calls of the function, the outermost counts.  Null when [root] has no such function.
export function aroundFunction(root, name) {
  let found = null;
  const visit = (node) => {
    if (node.parent === null || node.name !== name) return node.children.forEach(visit);
    found ??= { callers: newNode(name, node.kind), callees: newNode(name, node.kind) };
    let at = found.callers;
    addValue(at, node);
    at.self += node.self;
    for (let n = node.parent; n.parent; n = n.parent) {
      at = child(at, n.name, n.kind);
      addValue(at, node);
    }
    return addCalled(found.callees, node);
  };
  visit(root);
  return found;
}

const least = 0.0004;             // of the width: narrower boxes are not drawn

// Returns boxes { node, depth, from, to } of [shown], in parts of the width, and of
// its callers, which are [above]; children share the width of their parent from the
// left, the largest first.  And how many are too narrow: their callees do not count.
export function boxes(shown) {
  const above = [];
  for (let node = shown.parent; node; node = node.parent)
    above.unshift({ node, from: 0, to: 1, above: true });
  const list = above.map((box, depth) => ({ ...box, depth }));
  let narrow = 0;
  const visit = (node, depth, from, to) => {
    list.push({ node, depth, from, to });
    let at = from;
    for (const c of [...node.children.values()].sort((a, b) => b.value - a.value)) {
      const end = at + (node.value ? (to - from) * c.value / node.value : 0);
      if (end - at >= least) visit(c, depth + 1, at, end);
      else narrow++;
      at = end;
    }
  };
  visit(shown, above.length, 0, 1);
  return { list, narrow };
}

// Returns name, kind, self, total, its variance and its samples, and total of the base of
// each function; recursion counts once.
export function functions(root) {
  const table = new Map();
  const visit = ({ name, kind, value, self, base, variance, samples, children }) => {
    const entry = table.get(name) ??
      { name, kind, self: 0, total: 0, base: 0, variance: 0, samples: 0, open: 0 };
    table.set(name, entry);
    if (entry.open++ === 0) {
      entry.total += value;
      entry.base += base;
      entry.variance += variance;
      entry.samples += samples;
    }
    entry.self += self;
    children.forEach(visit);
    entry.open--;
  };
  root.children.forEach(visit);
  return [...table.values()].sort((a, b) => b.self - a.self);
}
