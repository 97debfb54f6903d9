import { Effect } from 'effect'
import type { Experiment } from '../experiment/reproduction.ts'
import { plan } from '../experiment/planned-runs.ts'
import { locateAll, Runs } from '../experiment/services.ts'
import { compare } from '../report/comparison.ts'
import { crossTable, reportOf } from '../report/report.ts'
import * as paper from './paper.ts'

/** Policies by the names of the Mishra paper's algorithms. */
const policies = { Greedy: 'greedy', Balanced: 'balanced', Adaptive: 'adaptive' } as const

/** Experiment on the time of a decision: the time in the scheduler per job, in the runs of Table 3 with RHVD. */
export const decisionTime: Experiment = Effect.gen(function* () {
  const { time } = yield* Runs
  const seconds = new Map<string, number>()
  const logs = yield* locateAll(paper.logs)
  for (const { located, ...log } of logs)
    for (const algorithm of paper.ours) {
      const filter = `size=requested/${paper.readingOf(log).scale},${located.filter ?? ''}`
      const communication = `${paper.communicating}%:recursive-halving-vector-doubling:50%`
      const scheme = { name: algorithm, spec: { policy: policies[algorithm], communication } }
      const { spec } = plan({ ...log, located: { ...located, filter } }, 'easy:100', scheme)
      seconds.set(`${log.name} ${algorithm}`, yield* time(spec))
    }
  const names = logs.map(({ name }) => name)
  return reportOf(
    [
      crossTable(
        'Time in the scheduler per job',
        '',
        names,
        paper.ours,
        (log, algorithm) => `${(seconds.get(`${log} ${algorithm}`)! * 1e6).toFixed(1)} µs`,
      ),
    ],
    names.flatMap((log) =>
      paper.ours.map((algorithm) =>
        compare(
          '5.2',
          `time of a decision under ${algorithm}: ${log}`,
          'seconds',
          { low: 0, high: paper.decision },
          seconds.get(`${log} ${algorithm}`),
        ),
      ),
    ),
  )
})
