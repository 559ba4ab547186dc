// The types of profiles: what each shows, its unit, and the categories of events
// that have its samples.

import * as format from './format.js';

const time = { unit: 'ns', text: format.duration };
const size = { unit: 'bytes', text: format.bytes };

// [bar]: the amount that the width of a bar shows.  [ownRings]: the samples are in rings
// of their own, and not among the events of a domain, which are overwritten earlier.
// [fromOCaml]: not all stacks have the callers of OCaml code.
const types = {
  cpu: { ...time, label: 'Processor time', categories: ['profile'], ownRings: true,
         title: 'Processor time by stack', bar: 'processor time' },
  alloc: { ...size, label: 'Allocation', categories: ['profile_alloc'],
           title: 'Allocated memory by stack',
           bar: 'allocated memory' },
  live: { ...size, label: 'Live heap', categories: ['profile_alloc'],
          title: 'Live memory by stack',
          bar: 'memory that is alive' },
  wall: { ...time, label: 'Wall-clock time',
          categories: ['profile', 'profile_wait'],
          title: 'Wall-clock time by stack, from the first OCaml function on: ' +
            'processor time and waits', fromOCaml: true,
          bar: 'processor time and waits' },
  wait: { ...time, label: 'Waits', categories: ['profile_wait'],
          title: 'Waits by stack', bar: 'waits' },
  io: { ...time, label: 'Input and output', categories: ['io'],
        title: 'Input and output by stack',
        bar: 'time of input and output' },
};

export const typeLabels = Object.entries(types)
  .map(([key, { label }]) => [key, label]);

// Returns the key of the type that the address names with [word], which may be
// any word.
export const typeNamed = (word) => Object.hasOwn(types, word) ? word : 'cpu';

export const typeOf = (key) => types[key];
