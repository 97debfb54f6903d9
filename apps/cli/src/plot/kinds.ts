/** Kinds of pictures of `cloister plot`. */
export const plotKinds = ['utilization', 'node-time', 'by-size', 'ecdf', 'compare'] as const

export type PlotKind = (typeof plotKinds)[number]
