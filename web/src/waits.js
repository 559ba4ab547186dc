// The kinds of waits: what each is called, and its colour, a CSS variable.

const kinds = {
  blocking_section: 'blocking', mutex_wait: 'mutex', condition_wait: 'condition',
  thread_yield: 'domain-lock', domain_join: 'join', thread_join: 'join',
  semaphore_wait: 'other-wait', lock_wait: 'other-wait',
};

export const waitLegend = [
  ['blocking', 'blocking section: system call, sleep'], ['mutex', 'waiting for a mutex'],
  ['condition', 'waiting on a condition'], ['domain-lock', 'waiting for the domain lock'],
  ['join', 'waiting for a thread or domain to end'],
  ['other-wait', 'waiting for a semaphore or a lock of the runtime']];

// Returns the colour of the wait [name]; of waits of unknown kinds when it is null.
export const waitColour = (name) => kinds[name] ?? 'waiting';
