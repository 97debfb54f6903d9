import { formatHostlist, nodeName } from '@cloister/topology'
import { Console, Effect } from 'effect'
import type { JobChange } from '../decide/job-changes.ts'
import { HANDED_BACK } from '../decide/observation.ts'
import type { Lease } from '../lease/lease.ts'
import { oneLine } from './look.ts'
import type { Partition } from './partition.ts'
import { type SlurmCommandError, SlurmCommands } from '@cloister/slurm'

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

export interface CarriedOut {
  changes: number
  failed: number
}

/** Carries out changes of up to four Slurm jobs at a time. The next poll repeats a failed change if necessary. */
export class ChangingJobs {
  readonly total: CarriedOut = { changes: 0, failed: 0 }
  readonly #partition: Partition
  readonly isAllowed: Lease['check']
  readonly #commandSeconds: number
  readonly #reported = new Set<string>()
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
      const areDone = yield* Effect.forEach(byJob.values(), (ofJob) => this.#ofJob(ofJob), { concurrency: 4 })
      return areDone.filter((isDone) => isDone).length
    }.bind(this),
  )

  readonly #ofJob = Effect.fnUntraced(
    function* (this: ChangingJobs, changes: ReadonlyArray<JobChange>) {
      const slurm = yield* SlurmCommands
      for (const change of changes) {
        yield* this.isAllowed
        this.total.changes++
        yield* this.#tellOnce(defectOf(change))
        const command = (args: ReadonlyArray<string>) => slurm.change(args, this.#commandSeconds)
        const isDone = yield* Effect.forEach(commandsOf(change, this.#partition), command, { discard: true }).pipe(
          Effect.as(true),
          Effect.catch((error) => this.#failed(change, error).pipe(Effect.as(false))),
        )
        // The next change of the job would assume that the failed change was made.
        if (!isDone) return false
      }
      return true
    }.bind(this),
  )

  #failed({ kind, id }: JobChange, error: SlurmCommandError): Effect.Effect<void> {
    this.total.failed++
    if (kind === 'free-started') {
      this.#keepsRequired = true
      return Effect.void
    }
    return this.#tellOnce(
      `job ${id}: scontrol could not ${kind} the job: ${oneLine(error.reason)}; the command is repeated as long as the decision needs the command, without another message`,
      `${kind} ${error.reason.replaceAll(/\d+/g, '')}`,
    )
  }

  #tellOnce(message: string | undefined, key = message): Effect.Effect<void> {
    if (message === undefined || this.#reported.has(key!)) return Effect.void
    this.#reported.add(key!)
    return Console.error(message)
  }
}
