export type { Metrics, Quartiles, Wait } from './metrics.ts'
export { InvalidLogError, MetricsFold, computeMetrics } from './metrics-fold.ts'
export { Timeline, type TimelineFigure, timelineFigures, type TimelineMeans } from './timeline.ts'
