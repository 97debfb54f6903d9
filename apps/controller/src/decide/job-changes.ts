import type { SlurmJob } from '@cloister/slurm'
import type { DrivenLog } from './driven-log.ts'
import {
  areSameNodes,
  HANDED_BACK,
  isDriven,
  isIn,
  markDefect,
  type Observation,
  type Starts,
  unreadDefect,
} from './observations.ts'

/** Change of a Slurm job. Making the change a second time has no further effect. */
export type JobChange = { readonly id: string } & (
  | { readonly kind: 'hold' | 'release' | 'free' | 'free-started' }
  /** `defect`: reason why no controller can place the job, for a message to people. */
  | { readonly kind: 'hand-back'; readonly defect?: string }
  | { readonly kind: 'require'; readonly nodes: Int32Array }
)

/**
 * Returns the changes that make Slurm's jobs follow the log. Earlier changes do not matter, so that a controller can
 * complete the changes of a stopped predecessor.
 *
 * - hold: Slurm does not start the job.
 * - require: the job starts on the given nodes and nowhere else.
 * - release: Slurm may start the job. A job whose routes the switches lack gets a `require`, but no release yet.
 * - free: the job may start on any nodes.
 * - free-started: a running job may start on any nodes at its next start.
 * - hand-back: from now on Slurm decides about the job.
 */
export function jobChanges<Index>(
  log: DrivenLog<Index>,
  observation: Observation,
  partition: string,
  starts: Starts,
  unrouted: ReadonlySet<string>,
): ReadonlyArray<JobChange> {
  const placed = observation.jobs.flatMap((job) => [...changesFor(log, job, partition, starts, unrouted)])
  return [...placed, ...changesForDefects(observation, partition)]
}

/** Returns a hand-back for each held job that carries the controller's mark and cannot be placed. */
export function changesForDefects(
  { jobs, unread }: Pick<Observation, 'jobs' | 'unread'>,
  partition: string,
): ReadonlyArray<JobChange> {
  const defects = [
    ...jobs.map((job) => [job.id, markDefect(job, partition)] as const),
    ...unread.map((job) => [job.id, unreadDefect(job, partition)] as const),
  ]
  return defects.flatMap(([id, defect]): ReadonlyArray<JobChange> =>
    id === undefined || defect === undefined ? [] : [{ kind: 'hand-back', id, defect }],
  )
}

function* changesFor<Index>(
  log: DrivenLog<Index>,
  job: SlurmJob,
  partition: string,
  starts: Starts,
  unrouted: ReadonlySet<string>,
): Generator<JobChange, void> {
  const { id, phase, isHeld } = job
  if (job.mark === HANDED_BACK && isIn(job.partition, partition) && phase === 'pending' && isHeld)
    yield { kind: 'release', id }
  if (!isDriven(job, partition) || phase === 'over') return
  const name = log.nameOf(id)
  const started = name === undefined ? undefined : log.state.running.get(name)
  if (phase === 'running') {
    // When slurmctld restarts, it kills a job if a node in the job's list of required nodes is gone.
    if (job.isRequiring && started !== undefined) yield { kind: 'free-started', id }
    return
  }
  if (started !== undefined && !starts.givenUp.has(name!))
    return yield* startChanges(job, started.nodes, unrouted.has(name!))
  if (job.demands.length > 0 || (name !== undefined && log.rejected.has(name))) return yield { kind: 'hand-back', id }
  if (!isHeld) yield { kind: 'hold', id }
  if (job.isRequiring) yield { kind: 'free', id }
}

function* startChanges(
  { id, isHeld, required }: SlurmJob,
  nodes: Int32Array,
  waits: boolean,
): Generator<JobChange, void> {
  const isRight = required !== undefined && areSameNodes(required, nodes)
  if (!isHeld && isRight && !waits) return
  // Slurm may start a released job on wrong nodes, or before the switches have the job's routes.
  if (!isHeld) yield { kind: 'hold', id }
  if (!isRight) yield { kind: 'require', id, nodes }
  if (!waits) yield { kind: 'release', id }
}
