/** What the header of a forged log says of its run, where nothing hangs on it. */
export const runOptions = {
  queue: { order: 'submit', backfill: 'easy', window: 50 },
  estimates: 'exact',
  overrun: 'run-on',
  arrivals: 'zero',
  scenario: 'none',
  router: null,
  seed: 1,
  refusals: false,
  seal_every: 256,
  program: 'cloister@1.0.0',
} as const
