import type { SlurmJob } from '@cloister/slurm'
import type { DrivenLog } from './driven-log.ts'
import type { Starts } from './happened.ts'
import { areSameNodes, HANDED_BACK, isDriven, type Sight } from './sight.ts'

/** One thing to be done to a job of Slurm. Done twice it is as done once. */
export type Act = { readonly id: string } & (
  | { readonly kind: 'hold' | 'release' | 'free' | 'free-started' | 'hand-back' }
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
  { jobs }: Sight,
  partition: string,
  starts: Starts,
  unrouted: ReadonlySet<string>,
): ReadonlyArray<Act> {
  return jobs.flatMap((job) => [...actsFor(log, job, partition, starts, unrouted)])
}

function* actsFor<Index>(
  log: DrivenLog<Index>,
  job: SlurmJob,
  partition: string,
  starts: Starts,
  unrouted: ReadonlySet<string>,
): Generator<Act, void> {
  const { id, phase, isHeld } = job
  if (job.mark === HANDED_BACK && job.partition === partition && phase === 'pending' && isHeld)
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
