/** Fields of the header of a forged log for the options of the run, for tests that do not depend on options. */
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
