export type { Job, Workload } from './workload.ts'
export { jobListSha256, makeWorkload } from './job-list.ts'
export { describeWorkload } from './describe-workload.ts'
export type { Distribution, HistogramBin, Load, WorkloadDescription } from './describe-workload.ts'

export { canonicalFilter, formatFilter, narrowFilter, parseFilter, withProcsPerNode } from './filter.ts'
export type { Condition, Filter, FilterField, Operator, Sample, SizeRule } from './filter.ts'
export { selectJobs } from './select-jobs.ts'
export type { JobColumns, SelectedJobs, Sizes } from './select-jobs.ts'
export { arrivalTime, formatArrivals, parseArrivals } from './arrivals.ts'
export type { Arrivals } from './arrivals.ts'

export { formatSynthetic, generateSynthetic, parseSynthetic } from './synthetic.ts'
export type { SyntheticOptions } from './synthetic.ts'

export { applyScenario, formatScenario, parseScenario, scenarioSpecs } from './scenarios.ts'
export type { Scenario } from './scenarios.ts'
export { bandwidthClasses, drawBandwidth } from './bandwidth.ts'
export { drawCommunication } from './communication-classes.ts'
export type { CommunicationClasses } from './communication-classes.ts'

export { decimal } from './decimal.ts'
export { SpecError } from './spec-error.ts'
export { WorkloadError } from './workload-error.ts'
