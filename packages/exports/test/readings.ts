/** Readings of logs and files that the tests compare with exports. */
import { type Header, type LogRecord, LogState } from '@cloister/eventlog'

/** Returns a text `node job start end` for each node of each allocation, from the fold of the log. */
export function holdings(records: ReadonlyArray<LogRecord>): ReadonlyArray<string> {
  const state = new LogState(records[0] as Header)
  const held: Array<string> = []
  const add = (job: string, end: number): void => {
    const { allocate, nodes } = state.running.get(job)!
    for (const node of nodes) held.push(`${node} ${job} ${allocate.t} ${end}`)
  }
  for (const record of records.slice(1)) {
    if (record.type === 'release') add(record.job, record.t)
    state.apply(record)
  }
  for (const job of state.running.keys()) add(job, state.t)
  return held.toSorted()
}

/** Parses comma-separated values strictly by RFC 4180. */
export function parseCsv(csv: string): ReadonlyArray<Record<string, string>> {
  const rows: Array<Array<string>> = [[]]
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\n)/y
  while (field.lastIndex < csv.length) {
    const match = field.exec(csv)
    if (match === null) throw new Error(`no CSV: ${csv.slice(0, 80)}`)
    rows.at(-1)!.push(match[1]?.replaceAll('""', '"') ?? match[2])
    if (match[3] === '\n') rows.push([])
  }
  const [columns, ...values] = rows.slice(0, -1)
  return values.map((row) => {
    if (row.length !== columns.length) throw new Error(`${row.length} values of ${columns.length} columns`)
    return Object.fromEntries(columns.map((column, at) => [column, row[at]]))
  })
}
