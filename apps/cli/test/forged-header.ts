/** Fields of a forged header for tests that do not depend on the options of the run. */
export const otherFields = {
  options: { arrivals: 'zero', queue: 'easy:50', estimates: 'exact' },
  seal_every: 256,
  program: 'cloister@1.0.0',
} as const
