import { type Header, type LogRecord, LogState, readLog } from '@cloister/eventlog'
import { openLogFile, sha256 } from '@cloister/eventlog/node'
import { MetricsFold } from '@cloister/metrics'
import { idsetSize, parseIdset, parseTopology } from '@cloister/topology'
import { tableFromIPC } from '@uwdata/flechette'
import * as fc from 'fast-check'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type Batch,
  type ColumnType,
  type Table,
  type TableData,
  type TableName,
  tableFormats,
  tables,
  type Value,
} from '../src/index.ts'
import { holdings, parseCsv } from './readings.ts'
import { hostileIds, runs } from './runs.ts'

type Read = Readonly<Record<string, Value>>

const rowsOf = (name: TableName, records: ReadonlyArray<LogRecord>): ReadonlyArray<Read> => {
  const { columns, batches } = tables[name]
  return Array.from(rowsIn({ columns, batches: batches(records) }), (row) =>
    Object.fromEntries(columns.map(({ name: of }, at) => [of, row[at]])),
  )
}

const batchesOf = function* (rows: Iterable<ReadonlyArray<Value>>): Generator<Batch, void> {
  for (const row of rows) yield { rows: 1, values: (column) => [row[column]] }
}
const rowsIn = ({ columns, batches }: TableData): ReadonlyArray<ReadonlyArray<Value>> =>
  [...batches].flatMap((batch) => {
    const values = columns.map((_, at) => batch.values(at))
    return Array.from({ length: batch.rows }, (_, row) => values.map((of) => of[row]))
  })

const golden = globSync('valid/*.ndjson*', { cwd: join(import.meta.dirname, '../../eventlog/test/golden/3') })
  .filter((name) => !name.endsWith('.json'))
  .sort()
const logOf = (name: string): ReadonlyArray<LogRecord> => [
  ...readLog(openLogFile(join(import.meta.dirname, '../../eventlog/test/golden/3', name)), sha256),
]

const isOfType: Readonly<Record<ColumnType, (value: Value) => boolean>> = {
  bool: (value) => typeof value === 'boolean',
  int32: (value) => Number.isInteger(value) && (value as number) === ((value as number) | 0),
  int64: (value) => Number.isSafeInteger(value),
  float64: (value) => Number.isFinite(value),
  utf8: (value) => typeof value === 'string',
  timestamp: (value) => Number.isSafeInteger(value),
}

/** Returns the places at which a table does not keep the types of its columns. */
function violations(
  { name, columns, batches }: Pick<Table, 'name' | 'columns' | 'batches'>,
  records: ReadonlyArray<LogRecord>,
) {
  return rowsIn({ columns, batches: batches(records) }).flatMap((row) =>
    columns.flatMap(({ name: column, type, nullable }, at) =>
      (row[at] === null ? nullable : isOfType[type](row[at])) ? [] : [`${name}.${column}: ${JSON.stringify(row[at])}`],
    ),
  )
}

describe('tables', () => {
  it.each(golden)('every value of every table of the golden log %s has the type of its column', (name) => {
    for (const table of Object.values(tables)) expect(violations(table, logOf(name))).toEqual([])
  })

  it('every value of every table of a random log has the type of its column, and a wrong value shows', () => {
    fc.assert(
      fc.property(runs(hostileIds), (records) => {
        for (const table of Object.values(tables)) expect(violations(table, records)).toEqual([])
      }),
      { numRuns: 25 },
    )
    const wrong = {
      name: 'x',
      columns: [{ name: 'a', type: 'int32', unit: '', nullable: false, meaning: '' }],
    } as const
    const batches = () => batchesOf([[2 ** 31], [null], [7]])
    expect(violations({ ...wrong, batches }, [])).toEqual(['x.a: 2147483648', 'x.a: null'])
  })

  it('columns have names for SQL and a meaning, and each column has a value in a golden log', () => {
    for (const { columns } of Object.values(tables)) {
      expect(new Set(columns.map(({ name }) => name)).size).toBe(columns.length)
      for (const { name, meaning } of columns)
        expect([/^[a-z][a-z0-9_]*$/.test(name), meaning === '']).toEqual([true, false])
    }
    // A column that no golden log fills would have a value that no test sees.
    const logs = golden.map(logOf)
    for (const { name, columns, batches } of Object.values(tables)) {
      const filled = new Set(logs.flatMap((log) => rowsIn({ columns, batches: batches(log) }).flatMap((row) => columns.flatMap((column, at) => (row[at] === null ? [] : [column.name]))))) // prettier-ignore
      expect(
        columns.map((column) => column.name).filter((column) => !filled.has(column)),
        name,
      ).toEqual(unfilled[name] ?? [])
    }
  })
})

it('TABLES.md has every column of every table', async () => {
  const chapters = Object.values(tables).map(({ name, row, columns }) => {
    const rows = columns.map((column) => `| \`${column.name}\` | ${column.type}${column.nullable ? ', may be missing' : ''} | ${column.unit} | ${column.meaning} |\n`) // prettier-ignore
    return `\n## ${name}\n\nEach row is ${row}.\n\n| column | type | unit | meaning |\n|---|---|---|---|\n${rows.join('')}`
  })
  await expect(`${HEAD}${chapters.join('')}`).toMatchFileSnapshot('../TABLES.md')
})

const HEAD = `<!-- \`vitest --update\` writes this file from src/tables. -->

# Columns of the tables

\`cloister export LOG --table TABLE\` writes these tables, with the same columns and types in CSV, NDJSON, Parquet and Arrow. [Tables of a log](../../docs/tables.md) shows how programs read the tables. Times are in seconds from the start of the trace, unless the type is \`timestamp\`. A timestamp is in UTC: ISO 8601 in CSV and NDJSON, and milliseconds in Parquet and Arrow. A missing value is empty in CSV, and null in the other formats. Numbers of records are numbers of lines of the log, from 0.
`

/** Columns without a value in all golden logs. Another test checks the accounting of a foreign scheduler. */
const unfilled: Readonly<Record<string, ReadonlyArray<string>>> = {
  jobs: [
    'qos',
    'advance_reservation',
    'gpus',
    'priority',
    'started_by',
    'array_id',
    'array_task',
    'het_job',
    'het_offset',
  ],
  faults: ['rail'],
}

describe('the rows of tables', () => {
  const check = (property: (records: ReadonlyArray<LogRecord>) => void): void =>
    fc.assert(fc.property(runs(hostileIds), property), { numRuns: 25 })

  it('`jobs` has a row for each submit, with the waits and run times of the metrics', () => {
    check((records) => {
      const rows = rowsOf('jobs', records)
      const submits = records.filter((record) => record.type === 'submit')
      expect(rows.map(({ job, size, submit_time }) => [job, size, submit_time])).toEqual(
        submits.map(({ job, size, t }) => [job, size, t]),
      )
      const fold = new MetricsFold()
      for (const record of records) fold.add(record)
      const { wait, jobs } = fold.result()
      const waits = rows.flatMap((row) => (row['wait'] === null ? [] : [row['wait'] as number]))
      expect(waits).toHaveLength(jobs.started)
      if (waits.length > 0) expect(waits.reduce((sum, each) => sum + each, 0) / waits.length).toBeCloseTo(wait.mean!, 9)
      for (const { start_time: start, end_time: end, run_time: time, state } of rows) {
        expect(time).toBe(end === null ? null : (end as number) - (start as number))
        if (state === 'running' || state === 'rejected') expect(end).toBeNull()
      }
    })
  })

  it('`jobs` has leaves, pods, links and spread of the last allocation of each job', () => {
    const { leafOfNode, podOfLeaf } = parseTopology('radix:4')
    check((records) => {
      for (const row of rowsOf('jobs', records)) {
        const leaves = new Set(Array.from(parseIdset(String(row['nodes'] ?? '')), (node) => leafOfNode[node]))
        const links = String(row['links'] ?? '').split(';')
        const counted = {
          leaves: leaves.size,
          pods: new Set(Array.from(leaves, (leaf) => podOfLeaf[leaf])).size,
          link_count: links.reduce((sum, idset) => sum + parseIdset(idset).length, 0),
          extra_leaves: leaves.size - Math.ceil((row['size'] as number) / 2),
          spread: row['size'] === 1 ? null : expect.any(Number),
        }
        const missing = { leaves: null, pods: null, link_count: null, extra_leaves: null, spread: null }
        expect(row).toMatchObject(row['nodes'] === null ? missing : counted)
        if (leaves.size === 1 && row['size'] === 2) expect([row['hops'], row['spread']]).toEqual([2, 1])
      }
    })
  })

  it('`jobs` has the accounting of a foreign scheduler', () => {
    const [header] = fc.sample(runs(), 1)[0]
    const labels = { user: 'a,b', account: 'x', queue: 'q', qos: 'high', advance_reservation: 'course', priority: 4294, gpus: 8, array: '5', array_task: 2, het_job: '9', het_offset: 1 } as const // prettier-ignore
    const { array, ...accounting } = labels
    const records: ReadonlyArray<LogRecord> = [
      { ...(header as Header), epoch: 1_000_000_000 },
      { seq: 1, t: 0.5, type: 'submit', job: '7', size: 1, ...labels },
      { seq: 2, t: 3, type: 'allocate', job: '7', nodes: '0', started_by: 'backfill', cause: 1 },
    ]
    expect(rowsOf('jobs', records)).toMatchObject([
      {
        ...accounting,
        array_id: array,
        started_by: 'backfill',
        backfilled: true,
        submitted_at: 1_000_000_000_500,
        ended_at: null,
        wait: 2.5,
      },
    ])
  })

  it('`allocations` has a row for each node and allocation', () => {
    check((records) => {
      const last = records.at(-1) as { readonly t: number }
      const held = rowsOf('allocations', records).map(
        ({ node, job, start_time: start, end_time: end }) => `${node} ${job} ${start} ${end ?? last.t}`,
      )
      expect(held.toSorted()).toEqual(holdings(records))
    })
  })

  it('`reservations` has a row for each reserve record, with the end of the reservation', () => {
    check((records) => {
      const rows = rowsOf('reservations', records)
      const made = records.filter((record) => record.type === 'reserve')
      const bySeq = rows.toSorted((a, b) => (a['reservation'] as number) - (b['reservation'] as number))
      expect(bySeq.map((row) => row['reservation'])).toEqual(made.map(({ seq }) => seq))
      for (const { reservation, job, outcome, end_time: end } of rows) {
        const later = records.find(
          (record) =>
            record.seq > (reservation as number) &&
            (record.type === 'unreserve' || record.type === 'allocate') &&
            record.job === job,
        ) as { readonly t: number; readonly type: string } | undefined
        const expected = { unreserve: 'dropped', allocate: 'started', none: 'held' }[later?.type ?? 'none']
        expect([outcome, end]).toEqual([expected, later?.t ?? null])
      }
    })
  })

  it('`decisions` has a row for each decision, with its cause', () => {
    check((records) => {
      const types = ['allocate', 'reserve', 'unreserve', 'refuse', 'reject', 'kill', 'requeue', 'withdraw', 'fault']
      const made = records.filter(({ type }) => types.includes(type)) as ReadonlyArray<{ readonly seq: number; readonly type: string; readonly cause: number }> // prettier-ignore
      expect(rowsOf('decisions', records).map((row) => [row['record'], row['decision'], row['cause_type']])).toEqual(
        made.map(({ seq, type, cause }) => [seq, type, records[cause].type]),
      )
    })
  })

  it('a decision whose cause is no record of the log has no type of the cause', () => {
    check((records) => {
      const forged = records.map((record) => ('cause' in record ? { ...record, cause: 2 ** 31 } : record))
      expect(violations(tables.decisions, forged)).toEqual([])
      for (const row of rowsOf('decisions', forged)) expect(row['cause_type']).toBeNull()
    })
  })

  it('`queue`, `nodes` and `links` cover the run, with the state of the log in each span', () => {
    check((records) => {
      const state = new LogState(records[0] as Header)
      const spans = {
        queue: rowsOf('queue', records),
        nodes: rowsOf('nodes', records),
        links: rowsOf('links', records),
      }
      const at = (name: keyof typeof spans, t: number): ReadonlyArray<Read> =>
        spans[name].filter(({ start_time: from, end_time: until }) => (from as number) <= t && t < (until as number))
      for (const [index, record] of records.slice(1).entries()) {
        state.apply(record)
        const next = records[index + 2]
        if (next === undefined || (next as { readonly t: number }).t === state.t) continue
        const sum = (sizes: Iterable<number>): number => [...sizes].reduce((total, size) => total + size, 0)
        expect(at('queue', state.t)).toMatchObject([
          {
            waiting: state.waiting.size,
            waiting_nodes: sum(Array.from(state.waiting.values(), ({ size }) => size)),
            running: state.running.size,
            running_nodes: sum(Array.from(state.running.values(), ({ nodes }) => nodes.length)),
            reservations: state.reservations.size,
          },
        ])
        expect(at('nodes', state.t)).toMatchObject([{ idle: state.freeNodes.size, down: state.downNodes.size }])
        const held = (level: number): number => sum(Array.from(state.running.values(), ({ allocate }) => idsetSize(allocate.links?.[level] ?? ''))) // prettier-ignore
        expect(at('links', state.t)).toMatchObject(
          [0, 1].map((level) => ({ level, links: 16, held: held(level), down: state.downLinks[level].size })),
        )
      }
    })
  })

  it('`faults` has a row for each failure, with the time of the repair', () => {
    check((records) => {
      const pairs = records.flatMap((record) =>
        record.type === 'down'
          ? Array.from(parseIdset(record.nodes), (node) => {
              const isRepair = (other: LogRecord): boolean =>
                other.type === 'up' && other.seq > record.seq && parseIdset(other.nodes).includes(node)
              return [record.seq, node, (records.find(isRepair) as { readonly t: number } | undefined)?.t ?? null]
            })
          : [],
      )
      const found = rowsOf('faults', records).map((row) => [row['failure'], row['id'], row['up_time']])
      expect(found.map(String).toSorted()).toEqual(pairs.map(String).toSorted())
    })
  })
})

it('`faults` has a row for each cable of a single rail', () => {
  const [header] = fc.sample(runs(), 1)[0]
  const { topology, ...rest } = header as Header
  const change = { nodes: '', rails: '1', cables: ['0-1'] } as const
  const records: ReadonlyArray<LogRecord> = [
    { ...rest, requires: ['rails'], topology: { ...topology, rails: { count: 2 } } },
    { seq: 1, t: 1, type: 'down', ...change },
    { seq: 2, t: 3, type: 'up', ...change, cables: ['1'] },
  ]
  const cable = { part: 'cable', level: 0, rail: 1, down_time: 1, job: null }
  expect(rowsOf('faults', records)).toMatchObject([
    { ...cable, id: 1, up_time: 3 },
    { ...cable, id: 0, up_time: null },
  ])
})

describe('the formats of tables', () => {
  const joined = (pieces: Iterable<string | Uint8Array>): Buffer =>
    Buffer.concat(Array.from(pieces, (piece) => Buffer.from(piece)))

  it('CSV, NDJSON and Arrow have the same values, for any names of jobs', () => {
    fc.assert(
      fc.property(runs(hostileIds), (records) => {
        for (const { name, columns, batches } of Object.values(tables)) {
          const table = { columns, batches: [...batches(records)] }
          const rows = rowsIn(table)
          const shown = ({ type }: { readonly type: string }, value: Value): Value =>
            type === 'timestamp' && value !== null ? new Date(value as number).toISOString() : value
          const expected = rows.map((row) => Object.fromEntries(columns.map((column, at) => [column.name, shown(column, row[at])]))) // prettier-ignore
          const lines = joined(tableFormats.ndjson(table)).toString().split('\n').slice(0, -1)
          expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(expected)
          expect(parseCsv(joined(tableFormats.csv(table)).toString()), name).toEqual(
            expected.map((row) =>
              Object.fromEntries(Object.entries(row).map(([key, value]) => [key, String(value ?? '')])),
            ),
          )
          const read = tableFromIPC(joined(tableFormats.arrow(table)))
          expect(read.names).toEqual(columns.map((column) => column.name))
          expect(read.toArray()).toEqual(rows.map((row) => Object.fromEntries(columns.map((column, at) => [column.name, row[at]])))) // prettier-ignore
        }
      }),
      { numRuns: 10 },
    )
  })

  it('a CSV file tells an empty text from a missing value', () => {
    const columns = [{ name: 'a', type: 'utf8', unit: '', nullable: true, meaning: '' }] as const
    expect(joined(tableFormats.csv({ columns, batches: batchesOf([[''], [null], ['x']]) })).toString()).toBe(
      'a\n""\n\nx\n',
    )
  })
})
