export { historyFit, type HistoryFit } from './history-fit.ts'
export { NodesInUse, nodeTimeByDay, type NodeUses } from './node-use.ts'
export { JobColumns } from './job-columns.ts'
export type { GroupMetrics, Grouping, JobsOfAll, NotPlaced, Wait, WaitOfClass } from './job-figures.ts'
export {
  isJobNumber,
  isJobText,
  isJobTime,
  type JobField,
  type JobNumber,
  jobNumbers,
  type JobText,
  jobTexts,
} from './job-fields.ts'
export {
  type JobCondition,
  jobHistogram,
  type JobHistogram,
  type JobQuery,
  JobQueryError,
  jobTest,
  parseJobQuery,
  parseLength,
  selectJobs,
  sortJobs,
} from './job-queries.ts'
export { metricList, type Metrics, type MetricUnit, type NamedMetric } from './metrics.ts'
export { computeMetrics, InvalidLogError, MetricsFold } from './metrics-fold.ts'
export type { Quartiles } from './node-usage.ts'
export type { PlacementFigures, Tail } from './placements.ts'
export { Timeline } from './timeline.ts'
export {
  type IdleCause,
  type IdleTime,
  type StoredTimeline,
  type TimelineExtremes,
  type TimelineFigure,
  timelineFigures,
  type TimelineMeans,
  type TimelineMoment,
  type TimelineSteps,
} from './timeline-figures.ts'
