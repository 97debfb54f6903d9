export { Anonymiser, type PersonalLabels, tellsPeople } from './anonymise.ts'
export type { Job, JobCommunication } from './job.ts'
export type { Workload } from './workload.ts'
export { jobListSha256, makeWorkload } from './workload.ts'
export { columnOf, type Jobs, jobsOf, LazyJobs, mapJobs } from './jobs.ts'
export { uniformIntegers } from './random.ts'
export { describeWorkload } from './describe-workload.ts'
export type { Distribution, HistogramBin, Load, WorkloadDescription } from './describe-workload.ts'

export {
  canonicalFilter,
  defaultSize,
  formatFilter,
  narrowFilter,
  parseFilter,
  withProcsPerNode,
  withSizes,
} from './filter.ts'
export type { Filter, Sample, SizeRule } from './filter.ts'
export type { Condition, FilterField, NamedField, Operator } from './condition.ts'
export { selectJobs } from './select-jobs.ts'
export type { JobColumns, LogFacts, NumberColumn, SelectedJobs, Sizes } from './select-jobs.ts'
export { arrivalTime, formatArrivals, parseArrivals } from './specs.ts'
export type { Arrivals } from './specs.ts'

export { formatSynthetic, generateSynthetic, parseSynthetic, syntheticJobs } from './drawn-workloads.ts'
export type { SyntheticOptions } from './drawn-workloads.ts'

export { formatResample, parseResample, resampleSpecs, resampleWorkload } from './drawn-workloads.ts'
export type { Resample } from './drawn-workloads.ts'
export { applyScenario, formatScenario, parseScenario, scenarioSpecs } from './scenarios.ts'
export type { Scenario } from './scenarios.ts'
export { bandwidthClasses, drawBandwidth } from './scenarios.ts'
export { drawCommunication } from './scenarios.ts'
export type { CommunicationClasses } from './scenarios.ts'

export { decimal } from './specs.ts'
export { parseMoment } from './specs.ts'
export { SpecError } from './specs.ts'
export { withTurns } from './turns.ts'
export { WorkloadError } from './workload.ts'
