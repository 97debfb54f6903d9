/** The formats of other programs that a machine is written in. */
export const topologyFormats = ['slurm-conf', 'slurm-yaml', 'ibnetdiscover'] as const

export type TopologyFormat = (typeof topologyFormats)[number]
