export { reproductions } from './reproductions.ts'
export type { Reproduction } from './experiment/reproduction.ts'
export { ExperimentError } from './experiment/experiment-error.ts'
export { Runs, type RunResult, type RunSpec } from './experiment/runs.ts'
export { Traces, type LocatedTrace, type PaperTrace } from './experiment/traces.ts'

export type { Report, Table } from './report/report.ts'
export { comparisonTable, type Comparison } from './report/comparison.ts'
export { drawBarChart, type BarChart } from './report/bar-chart.ts'
