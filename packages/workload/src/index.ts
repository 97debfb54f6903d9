export { Anonymiser, type PersonalLabels, tellsPeople } from './anonymise.ts'
export type { Job, JobCommunication, Workload } from './workload.ts'
export { jobListSha256, makeWorkload } from './job-list.ts'
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
export type { JobColumns, LogFacts, SelectedJobs, Sizes } from './select-jobs.ts'
export { arrivalTime, formatArrivals, parseArrivals } from './arrivals.ts'
export type { Arrivals } from './arrivals.ts'

export { formatSynthetic, generateSynthetic, parseSynthetic, syntheticJobs } from './synthetic.ts'
export type { SyntheticOptions } from './synthetic.ts'

export { formatResample, parseResample, resampleSpecs, resampleWorkload } from './resample.ts'
export type { Resample } from './resample.ts'
export { applyScenario, formatScenario, parseScenario, scenarioSpecs } from './scenarios.ts'
export type { Scenario } from './scenarios.ts'
export { bandwidthClasses, drawBandwidth } from './bandwidth.ts'
export { drawCommunication } from './communication-classes.ts'
export type { CommunicationClasses } from './communication-classes.ts'

export { decimal } from './decimal.ts'
export { parseMoment } from './calendar.ts'
export { SpecError } from './spec-error.ts'
export { WorkloadError } from './workload-error.ts'
