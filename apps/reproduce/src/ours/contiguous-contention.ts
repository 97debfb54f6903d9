import type { GivenSpec } from '@cloister/run'
import { Effect } from 'effect'
import * as combal from '../combal/paper.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import { locateAll, Runs } from '../experiment/services.ts'
import { hours, orDash, threeDigits } from '../report/numbers.ts'
import { reportOf } from '../report/report.ts'

const searches = ['first-fit', 'contiguous', 'relaxed'] as const
/** A tree of 512 nodes with three levels, so that jobs of up to 8 and of up to 64 nodes may be contiguous. */
const topology = 'kary:8:3'

/**
 * Experiment: waits and run times under contiguous and relaxed allocation, if communicating jobs slow each other on
 * shared links. The Pascual paper assumes speed-ups of contiguous jobs instead, and leaves relaxed allocation open.
 */
export const contiguousContention: Experiment = Effect.gen(function* () {
  const { run } = yield* Runs
  const logs = yield* locateAll(
    combal.logs.map(({ scale, source, ...log }) => ({
      ...log,
      source: { ...source, filter: `size=requested/${scale},nodes<=512` },
    })),
  )
  const cells = logs.flatMap(({ name, located }) =>
    searches.flatMap((search) =>
      (['fixed', 'contention'] as const).map((runTimes) => ({
        name,
        search,
        spec: {
          ...located,
          arrivals: 'trace',
          topology,
          policy: 'contiguous',
          config: { search },
          queue: 'easy:50',
          estimates: 'exact',
          overrun: 'run-on',
          communication: 'file:all-to-all',
          runTimes,
        } satisfies GivenSpec,
      })),
    ),
  )
  const results = yield* run(cells.map(({ spec }) => spec))
  const rows = cells.flatMap(({ name, search, spec }, at) => {
    const metrics = results[at]?.metrics
    if (metrics === undefined) return []
    const { wait, turnaround, contention } = metrics
    const slowdown = orDash(contention.mean, threeDigits)
    return [[name, search, spec.runTimes, orDash(wait.mean, hours), orDash(turnaround.mean, hours), slowdown]]
  })
  const title = 'Mean hours of waiting and from submit to end, and mean slowdown of jobs by contention'
  return reportOf([{ title, heading: ['log', 'search', 'run times', 'wait', 'turnaround', 'slowdown'], rows }])
})
