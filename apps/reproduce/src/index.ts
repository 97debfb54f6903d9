export { reproductions } from './reproductions.ts'
export type { Reproduction, WithoutLogs } from './experiment/reproduction.ts'
export {
  type LocatedTrace,
  type PaperTrace,
  type Part,
  partOf,
  Records,
  type RunResult,
  Runs,
  StoredOutputs,
  Traces,
} from './experiment/services.ts'

export type { BarChart, Report, Table } from './report/report.ts'
export { type Comparison, comparisonTable, type Unit } from './report/comparison.ts'
export { casesOf, type Claim, claimsOf, verdictOf } from './report/claims.ts'
export { chartsOf, experimentOf, niceRange, type RowChart, type StoredChart } from './report/stored-charts.ts'
export { readOutput, readOutputs, type StoredOutput, type StoredTable } from './report/stored-output.ts'

export { interferenceReport } from './interference/report.ts'
export { type Extent, wholeStudy } from './interference/study.ts'
export { interference, type InterferenceStudy, models, routings } from './pollard/paper.ts'
