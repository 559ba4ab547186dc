// Batches of runs for mock.js, with names that the page must not believe.

const side = (median) => ({ runs: 12, median, variance_between: 1, variance_within: null });

const figure = (name, unit, base, ratio, verdict, more) => ({
  name, main: name === 'wall_ns', unit, better: 'less', base: side(base),
  this: side(base * ratio), ratio, low: ratio - 0.01, high: ratio + 0.01,
  smallest_change: 0.008, p: 0.001, adjusted_p: 0.002, verdict, bound: null,
  more_runs: null, ...more });

const group = (name) => ({ name, nodes: [], path: '/store/batches/nightly', runs: 12,
                           failed: 0, changed: 0, untraced: 0, lossy: 0, lost_events: 0 });

const steps = [{ index: 3, low: 2, high: 4, before: 1, step: 0.05, median_before: 1e9,
                 median_after: 1.05e9, confidence: 0.99, p: 0.001, adjusted_p: 0.004,
                 listed: true }];

const commit = (i) => ({ commit: `${i}`.repeat(40), subject: `Change ${i}` });

// Returns the answers about batches; [hostile] are names.
export const batchAnswers = (hostile) => ({
  list: { version: 1, store: '/store', batches: [
    { name: 'nightly', path: '/store/batches/nightly', created: '2026-11-29T01:02:03Z',
      limits: {}, labels: ['stock', hostile[0]], runs: 24, failed: 1, damaged: 0,
      running: true },
    { name: hostile[3], path: '/store/batches/x', error: 'cannot read batch.json' }] },
  runs: { version: 1, path: '/store/batches/nightly',
          batch: { commands: [{ label: 'stock' }, { label: hostile[0] }] }, runs: [
    { number: 1, label: 'stock', started: '2026-11-29T01:02:04Z', wall_ns: 1.5e9,
      user_ns: 1e9, system_ns: 2e8, max_rss_bytes: 2 ** 24, exit_code: 0,
      traced: true },
    { number: 2, label: hostile[0], started: '2026-11-29T01:02:06Z', wall_ns: 1.6e9,
      user_ns: 1e9, system_ns: 3e8, max_rss_bytes: 2 ** 24, signal: 11 },
    { number: 3, error: 'it has no JSON' }] },
  comparison: { version: 1, rounds: true, warnings: [`few runs of ${hostile[0]}`],
    groups: [group('nightly:stock'), group(`nightly:${hostile[0]}`)],
    comparisons: [{ base: 'nightly:stock', this: `nightly:${hostile[0]}`, figures: [
      figure('wall_ns', 'ns', 1e9, 0.95, 'faster'),
      figure('total.allocated_words', 'words', 2e6, 1.04, 'more', { better: 'neutral' }),
      figure('max_rss_bytes', 'bytes', 2 ** 24, 1.001, 'same', { bound: 0.011 }),
      figure('user_ns', 'ns', 0, 1, 'unknown',
             { ratio: null, low: null, high: null, smallest_change: null, more_runs: 8 })],
    manifest: [{ fact: 'git.commit', base: ['aaaa'], values: [hostile[0]] }] }] },
  timeline: { version: 1, tests: 9, uncertain: 1, small: 0, warnings: [], series: [{
    name: 'shop 10', machine: '0123456789abcdef', processor: null, order: 'commits',
    runs: 60, failed: 0, enough: true,
    versions: [0, 1, 2, 3, 4, 5].map((i) => ({ ...commit(i), name: `v${i}`, position: i,
                                               started: '2026-11-29T01:02:03Z', runs: 10 })),
    figures: [
      { name: 'wall_ns', main: true, unit: 'ns', better: 'less',
        medians: [1e9, 1.001e9, 0.999e9, 1.05e9, 1.051e9, null], outliers: [],
        changes: steps },
      { name: 'total.pauses', main: false, unit: '', better: 'less',
        medians: [1, 1, 1, 1, 1, 1], outliers: [], changes: [] }],
    changes: [{ index: 3, low: 2, high: 4, before: 1, figures: ['wall_ns'],
      commits: [{ ...commit(2), measured: true, likely: false },
                { ...commit(3), subject: hostile[0], measured: true, likely: true }],
      manifest: [], functions: [{ name: `functions.${hostile[0]}.self_share`, before: 0.1, after: 0.14,
                                  adjusted_p: 0.01 }],
      next: [{ ...commit(8), command: 'eventring batch --commits=a..b -- ./shop',
               directory: '/src' }] }] }] } });
