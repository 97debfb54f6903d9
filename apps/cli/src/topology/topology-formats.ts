/** Formats of `cloister topology export --to`. */
export const topologyFormats = ['slurm-conf', 'slurm-yaml', 'ibnetdiscover'] as const

export type TopologyFormat = (typeof topologyFormats)[number]
