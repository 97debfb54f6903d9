import { Effect } from 'effect'
import { plan, type Planned, runAll } from '../experiment/outcomes.ts'
import { locateAll } from '../experiment/traces.ts'
import * as paper from '../pascual/paper.ts'
import type { Table } from '../report/report.ts'

const [llnl] = paper.logs.filter(({ name }) => name === 'LLNL')

/** Readings of LLNL's log and machine on points that the Pascual paper leaves open. */
const readings: ReadonlyArray<{ readonly name: string; readonly filter?: string; readonly installed?: number }> = [
  { name: 'as for Figure 2' },
  { name: 'times to the second', filter: 'size=requested' },
  { name: 'sizes by allocated processors, not by requested processors', filter: 'size=allocated,times=minutes' },
  { name: 'only jobs that completed', filter: 'size=requested,status=1,times=minutes' },
  { name: 'without jobs larger than half of the machine', filter: 'size=requested,nodes<=2004,times=minutes' },
  { name: 'all 4096 nodes of the tree installed', installed: 4096 },
]
const searches = ['first-fit', 'contiguous'] as const

/** Table of LLNL's mean waits under contiguous allocation and under first fit, in a first-come, first-served queue. */
export const llnlWaits = Effect.gen(function* () {
  const planned = yield* Effect.forEach(
    readings,
    Effect.fnUntraced(function* ({ name, filter, installed = llnl.installed }) {
      const source = filter === undefined ? llnl.source : { log: 'thunder', filter }
      const located = yield* locateAll([{ ...llnl, source }])
      return located.flatMap((log) =>
        searches.map((search): Planned => {
          const policy = { name: 'contiguous', config: { search, installed } }
          return plan(
            { ...log, name, queue: paper.queues.FCFS },
            { name: search, spec: { ...paper.estimates, policy } },
          )
        }),
      )
    }),
  )
  const outcomes = yield* runAll(planned.flat())
  const rows = readings.flatMap(({ name }) => {
    const [firstFit, contiguous] = searches.map((search) => outcomes.get(name, search)?.metrics.wait.mean)
    if (typeof firstFit !== 'number' || typeof contiguous !== 'number') return []
    return [
      [name, minutes(firstFit), minutes(contiguous), firstFit === 0 ? '-' : `x ${(contiguous / firstFit).toFixed(2)}`],
    ]
  })
  const { low, high } = paper.waitWithoutSpeedup
  return {
    title: `Mean wait on LLNL, first come, first served; the paper has x ${low} to ${high}`,
    heading: ['reading', 'non-contiguous', 'contiguous', 'relative'],
    rows,
  } satisfies Table
})

function minutes(seconds: number): string {
  return `${(seconds / 60).toFixed(1)} min`
}
