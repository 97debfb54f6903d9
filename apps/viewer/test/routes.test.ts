import { type Header, LoggedTables, type LogRecord, LogState, type Route, RoutedPaths } from '@cloister/eventlog'
import { parseIdset } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RoutesAnswers } from '../src/run/routes.ts'
import { runs, viewed } from './runs.ts'

const router = { name: 'any', version: '1.0.0', claims: { links: 'shared', changes: 'own' } } as const

/** Entries of a few switches for nodes of the smaller machine of `runs`, often sound entries towards a leaf. */
const entries = fc.array(
  fc
    .tuple(fc.nat(19), fc.nat(12), fc.nat(2), fc.nat(3))
    .map(([sw, first, more, port]) => `${sw} ${first}-${first + 1 + more}:${port}`),
  { minLength: 1, maxLength: 6 },
)

/** Returns the state of a run at a record, with further route records, which later belong to running jobs. */
function stateWith(
  records: ReadonlyArray<LogRecord>,
  share: number,
  changes: ReadonlyArray<ReadonlyArray<string>>,
): { readonly state: LogState; readonly routes: ReadonlyArray<Route> } {
  const state = new LogState({ ...(records[0] as Header), router })
  for (const record of records.slice(1, 1 + Math.floor(share * (records.length - 1))))
    if (!state.ended) state.apply(record)
  const jobs = [...state.running.keys()]
  const routes: Array<Route> = []
  for (const [at, texts] of state.ended ? [] : changes.entries()) {
    const common = { seq: state.seq + 1, t: state.t, type: 'route', cause: 0 } as const
    const job = jobs[at % 3 === 2 ? (at - 1) % Math.max(1, jobs.length) : at % Math.max(1, jobs.length)]
    // The first record of a job stands for all records of the job.
    const undone = at % 3 === 2 ? [...state.routes.values()].find((route) => route.job === job) : undefined
    const route = {
      ...common,
      ...(job === undefined ? {} : { job }),
      ...(undone?.job === undefined ? { entries: texts } : { undo: undone.seq }),
    }
    state.apply(route)
    routes.push(route)
  }
  return { state, routes }
}

const cases = fc
  .tuple(runs, fc.nat(99), fc.array(entries, { maxLength: 7 }))
  .map(([{ records }, percent, changes]) => stateWith(records, percent / 100, changes))

describe('the question `routes`', () => {
  it('`RoutesAnswers` gives the tables, the paths and the changes that the route records of the log have', () => {
    let jobs = 0
    fc.assert(
      fc.property(cases, fc.nat(19), fc.nat(), fc.nat(), ({ state, routes }, number, from, to) => {
        const { topology } = state
        const tables = new LoggedTables(topology, state.routes.values())
        const paths = new RoutedPaths(topology, tables)
        const shown = { level: number < 8 ? 0 : number < 16 ? 1 : 2, sw: number % 4 }
        const pair = { from: from % topology.nodes, to: to % topology.nodes }
        const job = routes.find((route) => route.job !== undefined)?.job ?? null
        const found = new RoutesAnswers().answer(state, routes, { seq: state.seq, switch: shown, job, pair })
        expect(found.path).toEqual(paths.between(pair.from, pair.to))

        const ports = new Map(
          found.table!.rows.flatMap(({ port, nodes }) =>
            Array.from(parseIdset(nodes), (node) => [node, port] as const),
          ),
        )
        for (let node = 0; node < topology.nodes; node++)
          expect(ports.get(node) ?? -1).toBe(tables.port(shown.level, shown.sw, node))
        const own = Array.from(job === null ? [] : state.running.get(job)!.nodes)
        for (const row of found.table!.rows) {
          expect(row.end ?? undefined).toEqual(paths.endOf(shown, row.port))
          expect(row.destinations).toBe(parseIdset(row.nodes).length)
          expect(row.ofJob).toBe(Array.from(parseIdset(row.nodes)).filter((node) => own.includes(node)).length)
        }

        expect(found.changes.map(({ seq, job: of, undo }) => [seq, of, undo])).toEqual(
          routes.map((route) => [route.seq, route.job ?? null, route.undo ?? null]),
        )
        if (job === null) {
          expect(found.job).toBeNull()
          return
        }
        jobs++
        const all = own.flatMap((source) =>
          own.flatMap((target) => (source === target ? [] : [paths.between(source, target)])),
        )
        expect(found.job).toMatchObject({
          nodes: own.length,
          pairs: all.length,
          lost: all.filter(({ lost }) => lost !== null).length,
        })
        const ofJob = new LoggedTables(
          topology,
          [...state.routes.values()].filter((route) => route.job === job),
        )
        let count = 0
        for (const [level, { switches }] of topology.levels.entries())
          for (let sw = 0; sw < switches; sw++) count += ofJob.row(level, sw).filter((port) => port >= 0).length
        expect(found.job!.entries).toBe(count)
        expect(found.job!.paths).toEqual(own.length > 4 ? [] : all)
      }),
      { numRuns: 150 },
    )
    expect(jobs).toBeGreaterThan(20)
  })

  it('`RoutesAnswers` counts the switches and entries of each change', () => {
    fc.assert(
      fc.property(runs, ({ records }) => {
        const { state, routes } = stateWith(records, 0, [['0,3 2-4:1', '8 5:0'], ['1 0-1:0'], ['1 0-1:0']])
        const { changes } = new RoutesAnswers().answer(state, routes, { seq: 3, switch: null, job: null, pair: null })
        expect(changes).toEqual([
          { seq: 1, job: null, undo: null, entries: 7, switches: 3 },
          { seq: 2, job: null, undo: null, entries: 2, switches: 1 },
          { seq: 3, job: null, undo: null, entries: 2, switches: 1 },
        ])
      }),
      { numRuns: 3 },
    )
  })

  it('`ViewedRun` answers with empty routes if the log has no router', () => {
    fc.assert(
      fc.property(runs, (log) => {
        const question = { seq: 3, switch: { level: 0, sw: 0 }, job: 'job1', pair: { from: 0, to: 1 } }
        const { json } = viewed(log).answer('routes', question)
        expect(json).toEqual({ changes: [], furtherChanges: 0, table: null, job: null, path: null })
      }),
      { numRuns: 3 },
    )
  })
})
