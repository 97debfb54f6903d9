import { auditLog } from '@cloister/audit'
import { LoggedTables, LogState, recordOf, type Header, type LogRecord } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import type { ForwardingTables } from '@cloister/placement'
import { jigsaw } from '@cloister/policy-jigsaw'
import type { Topology } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulate, type Outage, type Simulation } from '../src/index.ts'
import { numbered, run, type RunOptions } from './random-runs.ts'
import { failingRuns, reroutingRouter } from './rerouting.ts'

/** Calls `check` before each record except route records: then all changes of the tables are recorded. */
function watching(
  { recorder, routing, topology, ...rest }: Simulation<any>,
  check: (state: LogState, tables: ForwardingTables, topology: Topology) => void,
): Simulation<any> {
  let state: LogState | undefined
  return {
    ...rest,
    topology,
    routing: routing!,
    recorder: {
      record: (event) => {
        const seq = recorder.record(event)
        const record = recordOf(event, seq)
        state ??= new LogState({ topology: refOf(topology), policy: { claims: {} } } as unknown as Header)
        if (event.type !== 'route') check(state, routing!.tables, topology)
        ;(state as { seq: number }).seq = seq - 1
        state.apply(record)
        return seq
      },
    },
  }
}

function refOf({ name, pgft }: Topology): unknown {
  return { name, pgft }
}

function expectEqual(state: LogState, tables: ForwardingTables, topology: Topology): void {
  const logged = new LoggedTables(topology, state.routes.values())
  topology.levels.forEach(({ switches }, level) => {
    for (let sw = 0; sw < switches; sw++) {
      const expected = Array.from({ length: topology.nodes }, (_, node) => tables.port(level, sw, node))
      expect(Array.from(logged.row(level, sw)), `level ${level}, switch ${sw}`).toEqual(expected)
    }
  })
}

describe('tables from the log alone, with failures', () => {
  it('equal the tables of the router after every record', () => {
    let causes = 0
    let lost = 0
    fc.assert(
      fc.property(failingRuns, (options) => {
        const { records } = run(options, simulate, (simulation) => watching(simulation, expectEqual))
        const outages = new Set(records.flatMap(({ type, seq }) => (type === 'down' || type === 'up' ? [seq] : [])))
        for (const record of records) {
          if (record.type !== 'route') continue
          if (outages.has(record.cause)) causes++
          if (record.unroutable !== undefined) lost++
        }
      }),
      { numRuns: 25 },
    )
    expect(causes).toBeGreaterThan(20)
    expect(lost).toBeGreaterThan(5)
  })

  it('keep the rules of the auditor', () => {
    fc.assert(
      fc.property(failingRuns, (options) => {
        const { violations } = auditLog([run(options).bytes], sha256)
        expect(violations).toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})

describe('a job whose links fail', () => {
  const jobs = numbered([
    { submit: 0, size: 4, runTime: 50_000, walltime: undefined },
    { submit: 0, size: 1, runTime: 90_000, walltime: undefined },
  ])
  const cut: ReadonlyArray<Outage> = [
    { time: 10_000, change: 'down', resources: { nodes: [], links: [[0]] } },
    { time: 20_000, change: 'down', resources: { nodes: [], links: [[1]] } },
    { time: 30_000, change: 'up', resources: { nodes: [], links: [[0]] } },
  ]
  const options: RunOptions = {
    topology: 'radix:4',
    policy: jigsaw,
    config: {},
    jobs,
    queue: { backfill: 'none' },
    estimates: 'exact',
    overrun: 'run-on',
    refusals: false,
    outages: cut,
    router: reroutingRouter('own'),
  }
  const told = (given: RunOptions): ReadonlyArray<unknown> =>
    run(given).records.flatMap((record) => {
      if (record.type === 'route' || record.type === 'kill' || record.type === 'requeue')
        return record.job === '1' ? [record] : []
      return []
    })

  it('is routed over its other links, loses its routes with the last link, and has them again after the repair', () => {
    expect(told(options)).toMatchObject([
      { t: 0, type: 'route' },
      { t: 10, type: 'route', entries: expect.anything() },
      { t: 20, type: 'route', unroutable: 'no way from node 0 to node 2' },
      { t: 30, type: 'route', entries: expect.anything() },
      { t: 50, type: 'route', undo: 4 },
    ])
  })

  it('is killed with the option, because of the record that says so, and waits again with requeue', () => {
    const records = told({ ...options, unroutable: 'kill', requeue: true }) as ReadonlyArray<LogRecord>
    const says = records.find((record) => record.type === 'route' && record.unroutable !== undefined)!
    expect(records.filter(({ type }) => type !== 'route')).toMatchObject([
      { t: 20, type: 'kill', code: 'unroutable', cause: says.seq },
      { t: 20, type: 'requeue' },
    ])
  })
})
