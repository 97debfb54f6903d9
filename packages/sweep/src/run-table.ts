import { runOptionNames } from '@cloister/run'
import { type CellResult, type CellTimes, digestOf } from './cell-result.ts'

/** Table with a row for each run. A row has the values of some columns; a missing value is null. */
export interface RunTable {
  readonly rows: Iterable<Row>
  readonly columns: Readonly<Record<string, ColumnType>>
}

type ColumnType = 'bool' | 'utf8' | 'float64'
type Row = Readonly<Record<string, string | number | boolean | null>>

function rowOf(result: CellResult, times: CellTimes | undefined): Row {
  const { cell, workload, metrics, audit, searchBounds, scenario, log, policy, program } = result
  // Leaves out policy and topology of the metrics, because options have columns of the same names.
  const { policy: _policy, topology: _topology, ...measured } = metrics
  const options = runOptionNames.map((name) => [snake(name), textOf(cell[name])] as const)
  return {
    ...Object.fromEntries(options),
    program,
    policy_version: policy,
    applied_scenario: scenario,
    workload_sha256: workload.sha256,
    log_sha256: log.sha256,
    audit_ok: audit?.ok ?? null,
    search_bounds: searchBounds,
    ...leaves(measured, ''),
    seconds: times?.seconds ?? null,
    microseconds_per_job: times?.microsecondsPerJob ?? null,
  }
}

/**
 * Returns the options, versions, metrics and times of runs as a table, for a database or a spreadsheet.
 * @param results returns all results from the start at each call, because a first pass finds the columns
 */
export function tableOfRuns(results: () => Iterable<CellResult>, times: ReadonlyMap<string, CellTimes>): RunTable {
  const columns: Record<string, ColumnType> = {}
  for (const result of results())
    for (const [name, value] of Object.entries(rowOf(result, undefined)))
      if (value !== null || columns[name] === undefined) columns[name] = typeOf(value)
  return { columns: { ...columns, seconds: 'float64', microseconds_per_job: 'float64' }, rows: rows(results, times) }
}

function* rows(results: () => Iterable<CellResult>, times: ReadonlyMap<string, CellTimes>): Iterable<Row> {
  for (const result of results()) yield rowOf(result, times.get(digestOf(result)))
}

function typeOf(value: Row[string]): ColumnType {
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'utf8' : 'float64'
}

/** Returns every number, text and boolean inside a value, by a path such as `wait_mean`. Lists become JSON. */
function leaves(value: unknown, path: string): Row {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { [path]: leaf(value) }
  const inside = Object.entries(value).map(([name, member]) =>
    leaves(member, `${path}${path === '' ? '' : '_'}${snake(name)}`),
  )
  return Object.assign({}, ...inside) as Row
}

function leaf(value: unknown): Row[string] {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function snake(name: string): string {
  return name
    .replaceAll(/[^a-zA-Z0-9]+/g, '_')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
}

function textOf(value: unknown): string | number | boolean | null {
  if (value === undefined) return null
  return typeof value === 'object' ? JSON.stringify(value) : (value as string | number | boolean)
}
