export { reproductions } from './reproductions.ts'
export type { Discipline, Reproduction } from './experiment/reproduction.ts'
export { Runs, type RunResult } from './experiment/runs.ts'
export { Traces, type LocatedTrace, type PaperTrace } from './experiment/traces.ts'

export type { Report, Table } from './report/report.ts'
export type { Comparison } from './report/comparison.ts'
export { comparisonTable } from './report/comparison-table.ts'
export type { BarChart } from './report/bar-chart.ts'

export { interferenceReport } from './interference/report.ts'
export { models, routings } from './interference/choices.ts'
export { type Extent, wholeStudy } from './interference/study.ts'
export { type InterferenceStudy, interference } from './pollard/paper.ts'
