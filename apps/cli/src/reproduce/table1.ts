import { loadWorkload } from '@cloister/trace-io/node'
import { Effect } from 'effect'
import { attempt } from '../errors/problem.ts'
import { count } from '../terminal/quantities.ts'
import { type Comparison, compare, state } from './comparison.ts'
import * as paper from './jigsaw-paper.ts'
import type { Context, Reproduction } from './reproduction.ts'

export const table1: Reproduction = {
  name: 'jigsaw-table1',
  title: 'Characteristics of the traces',
  source: 'Jigsaw paper, section 5.1, Table 1',
  produce: Effect.fnUntraced(function* ({ locate, traceDir }: Context) {
    const measured = new Map<string, Characteristics>()
    for (const trace of paper.traces) {
      const located = yield* locate(trace)
      if (located === undefined) continue
      const {
        workload: { jobs },
      } = yield* attempt(() =>
        loadWorkload(located.trace, {
          folders: traceDir === undefined ? [] : [traceDir],
          filter: located.filter ?? '',
        }),
      )
      const [sizes, times] = [jobs.map(({ size }) => size), jobs.map(({ runTime }) => runTime / 1000)]
      measured.set(trace.name, {
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
  }),
}

interface Characteristics {
  readonly jobs: number
  readonly smallest: number
  readonly largest: number
  readonly shortest: number
  readonly longest: number
}

function comparisons(
  { name, table1 }: paper.PaperTrace,
  found: Characteristics | undefined,
): ReadonlyArray<Comparison> {
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

function least(values: ReadonlyArray<number>): number {
  return values.reduce((a, b) => Math.min(a, b))
}

function most(values: ReadonlyArray<number>): number {
  return values.reduce((a, b) => Math.max(a, b))
}
