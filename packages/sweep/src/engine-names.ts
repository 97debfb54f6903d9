/** Names of the workflow engines that can start the shards of a sweep. */
export const engineNames = ['slurm', 'hq', 'k8s', 'make', 'parallel'] as const

/** Name of a workflow engine. */
export type EngineName = (typeof engineNames)[number]
