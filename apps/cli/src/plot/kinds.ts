/** What can be drawn. */
export const plotKinds = ['utilization', 'lost', 'by-size', 'ecdf', 'compare'] as const

export type PlotKind = (typeof plotKinds)[number]
