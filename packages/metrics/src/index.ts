export type { GroupMetrics, Grouping } from './job-groups.ts'
export type { Wait, WaitOfClass } from './job-times.ts'
export type { MetricUnit } from './metric.ts'
export { metricList, type Metrics, type NamedMetric } from './metrics.ts'
export { InvalidLogError, MetricsFold, computeMetrics } from './metrics-fold.ts'
export type { Quartiles } from './quantiles.ts'
export {
  Timeline,
  type TimelineExtremes,
  type TimelineFigure,
  timelineFigures,
  type TimelineMeans,
} from './timeline.ts'
