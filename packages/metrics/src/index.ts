export type { GroupMetrics, Grouping } from './job-groups.ts'
export { type ColumnArrays, type ColumnKind, Columns } from './columns.ts'
export { JobColumns, type StoredJobColumns } from './jobs/job-columns.ts'
export {
  isJobNumber,
  isJobText,
  isJobTime,
  type JobField,
  type JobNumber,
  jobNumbers,
  type JobText,
  jobTexts,
} from './jobs/job-fields.ts'
export {
  type JobCondition,
  type JobQuery,
  JobQueryError,
  jobTest,
  parseJobQuery,
  parseLength,
} from './jobs/job-query.ts'
export { jobHistogram, type JobHistogram, selectJobs, sortJobs } from './jobs/job-selection.ts'
export type { Wait, WaitOfClass } from './job-times.ts'
export type { MetricUnit } from './metric.ts'
export type { JobsOfAll, NotPlaced } from './not-placed.ts'
export { metricList, type Metrics, type NamedMetric } from './metrics.ts'
export { InvalidLogError, MetricsFold, computeMetrics } from './metrics-fold.ts'
export type { Quartiles } from './quantiles.ts'
export {
  type IdleCause,
  type IdleTime,
  type StoredTimeline,
  Timeline,
  type TimelineExtremes,
  type TimelineFigure,
  timelineFigures,
  type TimelineMeans,
  type TimelineMoment,
  type TimelineSteps,
} from './timeline.ts'
export type { Window } from './window.ts'
