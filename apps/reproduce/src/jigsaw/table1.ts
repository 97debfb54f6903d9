import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { Traces, locateAll } from '../experiment/traces.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { count } from '../report/quantities.ts'
import { least, most } from '../report/statistics.ts'
import * as paper from './paper.ts'

export const table1: Experiment = Effect.gen(function* () {
  const traces = yield* Traces
  const measured = new Map<string, Characteristics>()
  for (const { name, located } of yield* locateAll(paper.traces)) {
    const jobs = yield* traces.jobs({ trace: located.trace, filter: located.filter })
    const [sizes, times] = [jobs.map(({ size }) => size), jobs.map(({ runTime }) => runTime / 1000)]
    measured.set(name, {
      jobs: jobs.length,
      smallest: least(sizes),
      largest: most(sizes),
      shortest: least(times),
      longest: most(times),
    })
  }
  const rows = [...measured].map(([name, { jobs, largest, shortest, longest }]) => [
    name,
    count(jobs),
    count(largest),
    `${count(shortest)} to ${count(longest)} s`,
  ])
  return {
    tables: [{ title: 'Traces', heading: ['trace', 'jobs', 'largest', 'run times'], rows }],
    comparisons: paper.traces.flatMap((trace) => comparisons(trace, measured.get(trace.name))),
    charts: [],
  }
})

interface Characteristics {
  readonly jobs: number
  readonly smallest: number
  readonly largest: number
  readonly shortest: number
  readonly longest: number
}

function comparisons({ name, table1 }: paper.Trace, found: Characteristics | undefined): ReadonlyArray<Comparison> {
  return [
    compare('Table 1', `jobs, ${name}`, 'count', table1.jobs, found?.jobs),
    compare('Table 1', `nodes of the largest job, ${name}`, 'count', table1.largest, found?.largest),
    compare('Table 1', `shortest run time in s, ${name}`, 'count', table1.shortest, found?.shortest),
    compare('Table 1', `longest run time in s, ${name}`, 'count', table1.longest, found?.longest),
    state(
      'Table 1',
      `there are jobs of a single node: ${name}`,
      found === undefined ? undefined : found.smallest === 1,
    ),
  ]
}
