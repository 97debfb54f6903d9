/** Names of all built-in policies. */
export const allPolicies = [
  'adaptive',
  'balanced',
  'baseline',
  'combal',
  'contiguous',
  'greedy',
  'jigsaw',
  'kueue-tas',
  'laas',
  'least-constrained',
  'mosaic',
  'slurm-block',
  'slurm-tree',
  'ta',
]

/** Policies that give links to jobs, and claim full bandwidth or a share of it. */
export const isolating = ['jigsaw', 'laas', 'least-constrained', 'mosaic', 'ta']
