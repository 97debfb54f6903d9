/** Kinds of pictures. */
export const plotKinds = ['utilization', 'lost', 'by-size', 'ecdf', 'compare'] as const

export type PlotKind = (typeof plotKinds)[number]
