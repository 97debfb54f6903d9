import type { SlurmJob } from '@cloister/slurm'
import { formatHostlist, nodeName } from '@cloister/topology'
import { Effect } from 'effect'
import { monotonicMilliseconds, remark } from '../polling.ts'
import { type SlurmCommandError, SlurmCommands } from '../programs.ts'
import type { JobChange } from './driver.ts'
import type { Lease } from './lease.ts'
import { HANDED_BACK } from './observations.ts'
import { oneLine, type Partition } from './partition.ts'

export function commandsOf(change: JobChange, { topology }: Partition): ReadonlyArray<ReadonlyArray<string>> {
  const job = `JobId=${change.id}`
  switch (change.kind) {
    case 'hold':
    case 'release':
      return [[change.kind, change.id]]
    case 'free':
    case 'free-started':
      return [['update', job, 'ReqNodeList=']]
    case 'require': {
      const names = Array.from(change.nodes, (node) => nodeName(topology, node))
      return [['update', job, `NumNodes=${names.length}`, `ReqNodeList=${formatHostlist(names)}`]]
    }
    case 'hand-back':
      return [
        ['update', job, 'ReqNodeList=', `AdminComment=${HANDED_BACK}`],
        ['release', change.id],
      ]
  }
}

/** Returns a message about the hand-back of a job that cannot be placed; undefined for every other change. */
export function defectOf(change: JobChange): string | undefined {
  return change.kind === 'hand-back' && change.defect !== undefined
    ? oneLine(
        `job ${change.id} is held for the controller and cannot be placed: ${change.defect}; the job is handed back to Slurm`,
      )
    : undefined
}

interface CarriedOut {
  changes: number
  failed: number
}

/** Failed changes of a job since the last success. Times are ms of the monotonic clock. */
interface Failures {
  readonly since: number
  times: number
  triedAt: number
  reason: string
  /** True if the job is to be handed back, because its changes have failed for too long. */
  isUnchangeable: boolean
}

/** Least number of failures in a row after which a job counts as unchangeable. */
const LEAST_FAILURES = 3
const LONGEST_PAUSE_MS = 300_000

/** Carries out changes of up to four Slurm jobs at a time. The next poll repeats a failed change if necessary. */
export class ChangingJobs {
  readonly total: CarriedOut = { changes: 0, failed: 0 }
  readonly #partition: Partition
  readonly isAllowed: Lease['check']
  readonly #commandSeconds: number
  readonly #reported = new Set<string>()
  readonly #failures = new Map<string, Failures>()
  /** True if this Slurm cannot clear the required nodes of a running job. */
  #keepsRequired = false

  /** @param isAllowed fails if the controller has lost its lease */
  constructor(partition: Partition, isAllowed: Lease['check'], commandSeconds: number) {
    this.#partition = partition
    this.isAllowed = isAllowed
    this.#commandSeconds = commandSeconds
  }

  /** Carries out changes, and returns the number of jobs whose changes all succeeded. */
  readonly all = Effect.fnUntraced(
    function* (this: ChangingJobs, changes: ReadonlyArray<JobChange>) {
      const wanted = changes.filter(({ kind }) => kind !== 'free-started' || !this.#keepsRequired)
      const byJob = Map.groupBy(wanted, ({ id }) => id)
      const now = yield* monotonicMilliseconds
      for (const [id, { isUnchangeable, triedAt, since, reason }] of this.#failures) {
        if (!isUnchangeable) continue
        // Slurm may take seconds to refuse a change, so the pauses grow with the time since the first failure.
        if (now - triedAt < Math.min(LONGEST_PAUSE_MS, (triedAt - since) / 2)) byJob.delete(id)
        else byJob.set(id, [{ kind: 'hand-back', id, defect: `Slurm refuses the changes of the job (${reason})` }])
      }
      const areDone = yield* Effect.forEach(byJob.values(), (ofJob) => this.#ofJob(ofJob), { concurrency: 4 })
      return areDone.filter((isDone) => isDone).length
    }.bind(this),
  )

  readonly #ofJob = Effect.fnUntraced(
    function* (this: ChangingJobs, changes: ReadonlyArray<JobChange>) {
      const slurm = yield* SlurmCommands
      const began = yield* monotonicMilliseconds
      for (const change of changes) {
        yield* this.isAllowed
        this.total.changes++
        yield* this.#tellOnce(defectOf(change))
        const command = (args: ReadonlyArray<string>) => slurm.change(args, this.#commandSeconds)
        const isDone = yield* Effect.forEach(commandsOf(change, this.#partition), command, { discard: true }).pipe(
          Effect.as(true),
          Effect.catch((error) => this.#failed(change, error, began).pipe(Effect.as(false))),
        )
        // The next change of the job would assume that the failed change was made.
        if (!isDone) return false
      }
      this.#failures.delete(changes[0].id)
      return true
    }.bind(this),
  )

  /**
   * Returns the observed jobs; a job whose changes have failed for longer than the given seconds is not ready, and is
   * handed back as soon as Slurm takes a change of the job. Otherwise the job would hold its nodes in the log for good.
   */
  readonly withoutUnchangeable = Effect.fnUntraced(
    function* (this: ChangingJobs, jobs: ReadonlyArray<SlurmJob>, seconds: number) {
      const now = yield* monotonicMilliseconds
      const pending = new Set(jobs.flatMap(({ id, phase }) => (phase === 'pending' ? [id] : [])))
      for (const [id, failures] of this.#failures) {
        if (!pending.has(id)) this.#failures.delete(id)
        failures.isUnchangeable ||= failures.times >= LEAST_FAILURES && now - failures.since > seconds * 1000
      }
      return jobs.map((job) => (this.#failures.get(job.id)?.isUnchangeable === true ? { ...job, isReady: false } : job))
    }.bind(this),
  )

  #failed({ kind, id }: JobChange, error: SlurmCommandError, began: number): Effect.Effect<void> {
    this.total.failed++
    if (kind === 'free-started') {
      this.#keepsRequired = true
      return Effect.void
    }
    const before = this.#failures.get(id) ?? { since: began, times: 0, isUnchangeable: false }
    this.#failures.set(id, { ...before, times: before.times + 1, triedAt: began, reason: oneLine(error.reason) })
    return this.#tellOnce(
      `job ${id}: scontrol could not ${kind} the job: ${oneLine(error.reason)}; the command is repeated as long as the decision needs the command, without another message`,
      `${kind} ${error.reason.replaceAll(/\d+/g, '')}`,
    )
  }

  #tellOnce(message: string | undefined, key = message): Effect.Effect<void> {
    if (message === undefined || this.#reported.has(key!)) return Effect.void
    this.#reported.add(key!)
    return remark(message)
  }
}
