/** Each built-in query is compared with a naive computation over the raw records of random runs. */
import { type Header, type LogRecord, LogState, readLog } from '@cloister/eventlog'
import { openLogFile, sha256 } from '@cloister/eventlog/node'
import { parseIdset, parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { queriedLog, queries, type Query, type Row, rowsOf } from '../src/index.ts'
import { hostileIds, runs } from './runs.ts'

type Records = ReadonlyArray<LogRecord>
type Of<Type extends LogRecord['type']> = Extract<LogRecord, { readonly type: Type }>

const queryNamed = (name: string): Query => queries.find((query) => query.name === name)!
const answer = (name: string, records: Records): ReadonlyArray<Row> => [
  ...rowsOf(
    queryNamed(name),
    queriedLog(() => records),
  ),
]
const ofType = <Type extends LogRecord['type']>(
  records: Records,
  ...types: ReadonlyArray<Type>
): ReadonlyArray<Of<Type>> => records.filter((record): record is Of<Type> => types.includes(record.type as Type))

/** Random runs whose jobs belong to two users or to no user. */
const userRuns = runs(hostileIds).map((records): Records =>
  records.map((record) => {
    const user = record.seq % 3 === 0 ? undefined : `u${record.seq % 3}`
    return record.type === 'submit' && user !== undefined ? { ...record, user } : record
  }),
)

/** Expects the rows of a query in any order, with equal or falling values of a column. */
function expectRows(name: string, by: string, naive: (records: Records) => ReadonlyArray<Row>): number {
  let compared = 0
  fc.assert(
    fc.property(userRuns, (records) => {
      const rows = answer(name, records)
      const spelled = (all: ReadonlyArray<Row>): ReadonlyArray<string> => all.map((row) => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([column, value]) => [column, typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value]))).toSorted() // prettier-ignore
      expect(spelled(rows)).toEqual(spelled(naive(records)))
      const values = rows.map((row) => row[by] as number)
      expect(values).toEqual(values.toSorted((a, b) => b - a))
      compared += rows.length
    }),
    { numRuns: 60 },
  )
  return compared
}

const endOf = (records: Records): number => Math.max(0, ...records.map((record) => ('t' in record ? record.t : 0)))
const userOf = (records: Records, job: string): string | null =>
  ofType(records, 'submit').find((submit) => submit.job === job)!.user ?? null
const sizeOf = (records: Records, job: string): number =>
  ofType(records, 'submit').find((submit) => submit.job === job)!.size

/** Wait: the submit or requeue record, and the record that ended the wait; undefined if the job still waits. */
interface Wait {
  readonly job: string
  readonly join: Of<'submit' | 'requeue'>
  readonly left: Of<'allocate' | 'reject' | 'cancel'> | undefined
}
const waitsOf = (records: Records): ReadonlyArray<Wait> =>
  ofType(records, 'submit', 'requeue').map((joined) => ({
    job: joined.job,
    join: joined,
    left: ofType(records, 'allocate', 'reject', 'cancel').find(
      ({ job, seq }) => job === joined.job && seq > joined.seq,
    ),
  }))
const isStartOrOpen = ({ left }: Wait): boolean => left === undefined || left.type === 'allocate'
const reservesIn = (records: Records, { job, join: { seq }, left }: Wait): ReadonlyArray<Of<'reserve'>> =>
  ofType(records, 'reserve').filter(
    (reserve) => reserve.job === job && reserve.seq > seq && reserve.seq < (left?.seq ?? Infinity),
  )

/** Allocation, with the record that ended the run, and the release; undefined if the log ends before. */
interface Run {
  readonly job: string
  readonly nodes: ReadonlyArray<number>
  readonly allocate: Of<'allocate'>
  readonly ended: Of<'finish' | 'kill'> | undefined
  readonly release: Of<'release'> | undefined
}
const runsOf = (records: Records): ReadonlyArray<Run> =>
  ofType(records, 'allocate').map((allocate) => {
    const isOfRun = ({ job, seq }: { readonly job: string; readonly seq: number }): boolean => job === allocate.job && seq > allocate.seq // prettier-ignore
    return {
      job: allocate.job,
      nodes: [...parseIdset(allocate.nodes)],
      allocate,
      ended: ofType(records, 'finish', 'kill').find(isOfRun),
      release: ofType(records, 'release').find(isOfRun),
    }
  })
const reasonOf = ({ ended, release }: Run): string | undefined =>
  release === undefined ? undefined : ended?.type === 'kill' ? ended.code : ended?.status
const nodeTimeOf = (run: Run, end: number): number => run.nodes.length * ((run.release?.t ?? end) - run.allocate.t)

/** Calls `visit` with the state between each two instants, and the length of the time. */
function eachSpan(records: Records, visit: (state: LogState, length: number, begin: number) => void): void {
  const state = new LogState(records[0] as Header)
  for (const record of records.slice(1)) {
    const { t } = record as { readonly t: number }
    if (t > state.t) visit(state, t - state.t, state.t)
    state.apply(record)
  }
}
const isFragmented = ({ waiting, freeNodes }: LogState): boolean =>
  freeNodes.size > 0 && Array.from(waiting.values()).some(({ size }) => size <= freeNodes.size)

describe('the built-in queries', () => {
  it('`worst-waits` has each wait, with the starts of later jobs before its end', () => {
    const found = expectRows('worst-waits', 'wait', (records) => {
      const waits = waitsOf(records)
      return waits.filter(isStartOrOpen).flatMap((wait) => {
        const { job, join, left } = wait
        const end = left?.t ?? endOf(records)
        const isAhead = (other: Wait): boolean =>
          other.left?.type === 'allocate' && other.join.seq > join.seq && other.left.seq < (left?.seq ?? Infinity)
        const row = {
          job,
          user: userOf(records, job),
          size: sizeOf(records, job),
          begin_time: join.t,
          start_time: left?.t ?? null,
          wait: end - join.t,
          planned_start: reservesIn(records, wait)[0]?.start ?? null,
          overtaken_by: waits.filter(isAhead).length,
        }
        return row.wait > 0 ? [row] : []
      })
    })
    expect(found).toBeGreaterThan(50)
  })

  it('`who-delayed-whom` has the last holder of each node on which a job started', () => {
    const found = expectRows('who-delayed-whom', 'held_time', (records) => {
      const all = runsOf(records)
      return waitsOf(records).flatMap(({ job, join, left }) => {
        if (left?.type !== 'allocate') return []
        const rows = new Map<Run, { nodes: number; held: number }>()
        for (const node of parseIdset(left.nodes)) {
          const holders = all.filter(
            ({ nodes, release }) => nodes.includes(node) && release !== undefined && release.seq < left.seq,
          )
          const last = holders.toSorted((a, b) => a.release!.seq - b.release!.seq).at(-1)
          const held = last === undefined ? 0 : last.release!.t - Math.max(last.allocate.t, join.t)
          if (held <= 0) continue
          const row = rows.get(last!) ?? { nodes: 0, held: 0 }
          rows.set(last!, { nodes: row.nodes + 1, held: row.held + held })
        }
        return Array.from(rows, ([holder, { nodes, held }]) => {
          const joined = ofType(records, 'submit', 'requeue').findLast(
            (each) => each.job === holder.job && each.seq < holder.allocate.seq,
          )!
          return {
            job,
            user: userOf(records, job),
            begin_time: join.t,
            start_time: left.t,
            holder: holder.job,
            holder_user: userOf(records, holder.job),
            nodes,
            held_time: held,
            overtook: joined.seq > join.seq,
          }
        })
      })
    })
    expect(found).toBeGreaterThan(50)
  })

  it('`reservation-slips` has each wait that ended later than its first reservation planned', () => {
    const found = expectRows('reservation-slips', 'slip', (records) =>
      waitsOf(records)
        .filter(isStartOrOpen)
        .flatMap((wait) => {
          const reserves = reservesIn(records, wait)
          const slip = (wait.left?.t ?? endOf(records)) - (reserves[0]?.start ?? Infinity)
          if (slip <= 0) return []
          const [{ seq, t, start }] = reserves
          return [
            {
              job: wait.job,
              size: sizeOf(records, wait.job),
              reservation: seq,
              made_time: t,
              planned_start: start,
              start_time: wait.left?.t ?? null,
              slip,
              reservations: reserves.length,
            },
          ]
        }),
    )
    expect(found).toBeGreaterThan(0)
  })

  it('`costliest-reservations` has the idle node-time while a job has a reservation', () => {
    const found = expectRows('costliest-reservations', 'idle_time', (records) =>
      waitsOf(records).flatMap((wait) => {
        const reserves = reservesIn(records, wait)
        if (reserves.length === 0) return []
        let [reserved, idle] = [0, 0]
        eachSpan(records, (state, length) => {
          const reserve = state.reservations.get(wait.job)
          if (reserve === undefined || !reserves.some(({ seq }) => seq === reserve.seq)) return
          reserved += length
          idle += length * state.freeNodes.size
        })
        const last = reserves.at(-1)!
        const ended = records.find((record) => record.seq > last.seq && (record.type === 'unreserve' || record.type === 'allocate') && record.job === wait.job) // prettier-ignore
        return [
          {
            job: wait.job,
            size: sizeOf(records, wait.job),
            reservation: reserves[0].seq,
            made_time: reserves[0].t,
            end_time: (ended as { readonly t: number } | undefined)?.t ?? null,
            reserved_time: reserved,
            idle_time: idle,
          },
        ]
      }),
    )
    expect(found).toBeGreaterThan(20)
  })

  it('`fragmentation-by-leaf` has the idle and the fragmented node-time of each leaf', () => {
    const { leafOfNode, podOfLeaf, leaves } = parseTopology('radix:4')
    const found = expectRows('fragmentation-by-leaf', 'fragmented_time', (records) => {
      const rows = Array.from({ length: leaves }, (_, leaf) => ({ leaf, pod: podOfLeaf[leaf], nodes: 2, idle_time: 0, fragmented_time: 0, partly_used_time: 0 })) // prettier-ignore
      eachSpan(records, (state, length) => {
        const idle = rows.map(({ leaf }) => [...state.freeNodes].filter((node) => leafOfNode[node] === leaf).length)
        for (const row of rows) {
          row.idle_time += idle[row.leaf] * length
          if (!isFragmented(state)) continue
          row.fragmented_time += idle[row.leaf] * length
          if (idle[row.leaf] < 2) row.partly_used_time += idle[row.leaf] * length
        }
      })
      return rows
    })
    expect(found).toBe(60 * 8)
  })

  it('`idle-by-cause` has the node-time by cause, and the worst stretch', () => {
    expectRows('idle-by-cause', 'node_time', (records) => {
      const { nodes } = parseTopology('radix:4')
      const causes: Record<string, [meaning: string, count: (state: LogState) => number]> = {
        'no-job': ['no job waits', (state) => (state.waiting.size === 0 ? state.freeNodes.size : 0)],
        'too-few-nodes': [
          'each waiting job requests more nodes than are idle',
          (state) => (state.waiting.size > 0 && !isFragmented(state) ? state.freeNodes.size : 0),
        ],
        fragmented: [
          'a waiting job requests no more nodes than are idle',
          (state) => (isFragmented(state) ? state.freeNodes.size : 0),
        ],
        down: ['nodes are down, allocated or not', (state) => state.downNodes.size],
      }
      return Object.entries(causes).map(([cause, [meaning, countOf]]) => {
        let [nodeTime, time, all] = [0, 0, 0]
        const stretches: Array<{ begin: number; end: number; used: number }> = []
        eachSpan(records, (state, length, begin) => {
          all += nodes * length
          const used = countOf(state) * length
          if (used === 0) return
          nodeTime += used
          time += length
          const last = stretches.at(-1)
          if (last?.end === begin) Object.assign(last, { end: begin + length, used: last.used + used })
          else stretches.push({ begin, end: begin + length, used })
        })
        const most = Math.max(...stretches.map(({ used }) => used))
        const worst = stretches.find(({ used }) => used === most)
        return {
          cause,
          meaning,
          node_time: nodeTime,
          share: all === 0 ? 0 : nodeTime / all,
          time,
          worst_begin: worst?.begin ?? null,
          worst_end: worst?.end ?? null,
          worst_node_time: worst?.used ?? null,
        }
      })
    })
  })

  it('`biggest-users` adds up allocations and waits by user', () => {
    const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)
    expectRows('biggest-users', 'node_time', (records) => {
      const end = endOf(records)
      const [all, waits] = [runsOf(records), waitsOf(records).filter(isStartOrOpen)]
      const users = new Set([...all, ...waits].map(({ job }) => userOf(records, job)))
      const total = sum(all.map((run) => nodeTimeOf(run, end)))
      return Array.from(users, (user) => {
        const own = all.filter(({ job }) => userOf(records, job) === user)
        const waited = waits.filter(({ job }) => userOf(records, job) === user)
        const started = waited.filter(({ left }) => left !== undefined).toSorted((a, b) => a.left!.seq - b.left!.seq)
        const lengths = [...started, ...waited.filter(({ left }) => left === undefined)].map(({ job, join, left }) => ({ job, wait: (left?.t ?? end) - join.t })) // prettier-ignore
        const longest = lengths.find(({ wait }) => wait === Math.max(...lengths.map((each) => each.wait)))
        return {
          user,
          jobs: new Set([...own, ...waited].map(({ job }) => job)).size,
          node_time: sum(own.map((run) => nodeTimeOf(run, end))),
          share: total === 0 ? 0 : sum(own.map((run) => nodeTimeOf(run, end))) / total,
          lost_time: sum(own.filter((run) => reasonOf(run) !== undefined).map((run) => nodeTimeOf(run, end))),
          mean_wait:
            started.length === 0 ? null : sum(started.map(({ join, left }) => left!.t - join.t)) / started.length,
          longest_wait: longest?.wait ?? null,
          longest_waiter: longest?.job ?? null,
        }
      })
    })
  })

  it('`lost-work` has each run that ended by a failure or a kill', () => {
    const found = expectRows('lost-work', 'node_time', (records) =>
      runsOf(records).flatMap((run) => {
        const reason = reasonOf(run)
        if (reason === undefined) return []
        const down = new Set<number>()
        for (const record of ofType(records, 'down', 'up').filter(({ seq }) => seq < run.ended!.seq))
          for (const node of parseIdset(record.nodes)) down[record.type === 'down' ? 'add' : 'delete'](node)
        return [
          {
            job: run.job,
            user: userOf(records, run.job),
            reason,
            start_time: run.allocate.t,
            end_time: run.release!.t,
            node_count: run.nodes.length,
            node_time: nodeTimeOf(run, 0),
            failed_node: reason === 'node-down' ? run.nodes.find((node) => down.has(node))! : null,
            record: run.ended!.seq,
          },
        ]
      }),
    )
    expect(found).toBeGreaterThan(50)
  })

  const folder = join(import.meta.dirname, '../../eventlog/test/golden/3')
  it.each(globSync('valid/*.ndjson*', { cwd: folder }).filter((name) => !name.endsWith('.json')))(
    'the rows of every query on the golden log %s have the types of the columns',
    (name) => {
      const records = [...readLog(openLogFile(join(folder, name)), sha256)]
      for (const query of queries) answer(query.name, records)
    },
  )
})
