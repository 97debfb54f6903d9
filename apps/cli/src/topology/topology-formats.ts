/** Formats of further programs for a machine. */
export const topologyFormats = ['slurm-conf', 'slurm-yaml', 'ibnetdiscover'] as const

export type TopologyFormat = (typeof topologyFormats)[number]
