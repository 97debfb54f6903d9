import { formatScenario } from '@cloister/workload'
import type { Run } from '@cloister/run'
import type { ConvertedWorkload } from '@cloister/trace-io'
import { Effect } from 'effect'
import { remark } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'

/** Says what a reader of a run's results should know of its inputs. */
export const remarkOnRun = Effect.fnUntraced(function* ({ source, options, applied, bound }: Run) {
  yield* remarkOnLosses(source)
  if (applied.estimates === 'requested' && source.withoutWalltime > 0) {
    yield* remark(
      `${count(source.withoutWalltime)} of ${count(source.workload.jobs.length)} jobs have no estimate; their run time is taken for it`,
    )
  }
  const scenario = formatScenario(options.scenario)
  if (scenario !== applied.scenario)
    yield* remark(`${bound.policy.name} claims no speed-up: in scenario ${scenario} its jobs keep their run times`)
})

/** Says which jobs of a trace were left out, and which sizes were rounded. */
export function remarkOnLosses({ read, skipped, roundedSizes, workload }: ConvertedWorkload): Effect.Effect<void> {
  const reasons = Object.entries(skipped).map(([reason, jobs]) => `${count(jobs)} by ${reason}`)
  const rounded = roundedSizes === 0 ? '' : `; ${count(roundedSizes)} sizes rounded up to whole nodes`
  if (reasons.length === 0 && rounded === '') return Effect.void
  return remark(
    `${workload.name}: ${count(read)} jobs, ${count(workload.jobs.length)} kept${reasons.length === 0 ? '' : `, skipped ${reasons.join(', ')}`}${rounded}`,
  )
}
