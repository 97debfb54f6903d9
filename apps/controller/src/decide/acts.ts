import type { SlurmJob } from '@cloister/slurm'
import type { DrivenLog } from './driven-log.ts'
import type { Starts } from './happened.ts'
import { areSameNodes, HANDED_BACK, isDriven, isIn, markDefect, type Sight, unreadDefect } from './sight.ts'

/** One thing to be done to a job of Slurm. Done twice it is as done once. */
export type Act = { readonly id: string } & (
  | { readonly kind: 'hold' | 'release' | 'free' | 'free-started' }
  /** `defect` explains why the job cannot be placed, for people; absent if the reason is in the log or was said. */
  | { readonly kind: 'hand-back'; readonly defect?: string }
  | { readonly kind: 'require'; readonly nodes: Int32Array }
)

/**
 * What has to be done so that Slurm does what the log says: it follows from what the log says and what is seen alone. So it does not
 * matter what was done before, nor who stopped in the middle of it.
 *
 * A start whose routes are not there yet is prepared, and not released.
 *
 * hold: Slurm does not start it. require: it starts on these nodes alone. release: it may start. free: it may start
 * anywhere, and one that has started may be started anywhere the next time. hand-back:
 * Slurm decides, from now on.
 */
export function acts<Index>(
  log: DrivenLog<Index>,
  sight: Sight,
  partition: string,
  starts: Starts,
  unrouted: ReadonlySet<string>,
): ReadonlyArray<Act> {
  const placed = sight.jobs.flatMap((job) => [...actsFor(log, job, partition, starts, unrouted)])
  return [...placed, ...defectActs(sight, partition)]
}

/** Hands back every held job that carries the mark and cannot be placed. */
export function defectActs({ jobs, unread }: Pick<Sight, 'jobs' | 'unread'>, partition: string): ReadonlyArray<Act> {
  const defects = [
    ...jobs.map((job) => [job.id, markDefect(job, partition)] as const),
    ...unread.map((job) => [job.id, unreadDefect(job, partition)] as const),
  ]
  return defects.flatMap(([id, defect]): ReadonlyArray<Act> =>
    id === undefined || defect === undefined ? [] : [{ kind: 'hand-back', id, defect }],
  )
}

function* actsFor<Index>(
  log: DrivenLog<Index>,
  job: SlurmJob,
  partition: string,
  starts: Starts,
  unrouted: ReadonlySet<string>,
): Generator<Act, void> {
  const { id, phase, isHeld } = job
  if (job.mark === HANDED_BACK && isIn(job.partition, partition) && phase === 'pending' && isHeld)
    yield { kind: 'release', id }
  if (!isDriven(job, partition) || phase === 'over') return
  const name = log.nameOf(id)
  const started = name === undefined ? undefined : log.state.running.get(name)
  if (phase === 'running') {
    // slurmctld kills a job at its own restart if a node that it requires is gone.
    if (job.isRequiring && started !== undefined) yield { kind: 'free-started', id }
    return
  }
  if (started !== undefined && !starts.givenUp.has(name!))
    return yield* startActs(job, started.nodes, unrouted.has(name!))
  if (job.demands.length > 0 || (name !== undefined && log.rejected.has(name))) return yield { kind: 'hand-back', id }
  if (!isHeld) yield { kind: 'hold', id }
  if (job.isRequiring) yield { kind: 'free', id }
}

function* startActs({ id, isHeld, required }: SlurmJob, nodes: Int32Array, waits: boolean): Generator<Act, void> {
  const isRight = required !== undefined && areSameNodes(required, nodes)
  if (!isHeld && isRight && !waits) return
  // Slurm may start it elsewhere until it is held, or before its routes are there.
  if (!isHeld) yield { kind: 'hold', id }
  if (!isRight) yield { kind: 'require', id, nodes }
  if (!waits) yield { kind: 'release', id }
}
