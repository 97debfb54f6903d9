import { formatHostlist, nodeName } from '@cloister/topology'
import { Console, Effect } from 'effect'
import type { Act } from '../decide/acts.ts'
import { HANDED_BACK } from '../decide/sight.ts'
import type { Lease } from '../lease/lease.ts'
import { oneLine } from './look.ts'
import type { Partition } from './partition.ts'
import { type SlurmCommandError, SlurmCommands } from '@cloister/slurm'

/** Returns the calls of `scontrol` for one change, in order. */
export function commandsOf(act: Act, { topology }: Partition): ReadonlyArray<ReadonlyArray<string>> {
  const job = `JobId=${act.id}`
  switch (act.kind) {
    case 'hold':
    case 'release':
      return [[act.kind, act.id]]
    case 'free':
    case 'free-started':
      return [['update', job, 'ReqNodeList=']]
    case 'require': {
      const names = Array.from(act.nodes, (node) => nodeName(topology, node))
      return [['update', job, `NumNodes=${names.length}`, `ReqNodeList=${formatHostlist(names)}`]]
    }
    case 'hand-back':
      return [
        ['update', job, 'ReqNodeList=', `AdminComment=${HANDED_BACK}`],
        ['release', act.id],
      ]
  }
}

/** Returns a message to people on the hand-back of a job that cannot be placed; undefined for every other change. */
export function defectOf(act: Act): string | undefined {
  return act.kind === 'hand-back' && act.defect !== undefined
    ? oneLine(
        `job ${act.id} is held for the controller and cannot be placed: ${act.defect}; the job is handed back to Slurm`,
      )
    : undefined
}

/** Numbers of tried and of failed changes of jobs. */
export interface CarriedOut {
  acts: number
  failed: number
}

/**
 * Carries out changes, for each job in order. A failed change is repeated at the next poll if the change is still
 * necessary.
 */
export class Acting {
  readonly total: CarriedOut = { acts: 0, failed: 0 }
  readonly #partition: Partition
  readonly isAllowed: Lease['check']
  readonly #commandSeconds: number
  readonly #told = new Set<string>()
  /** True if this Slurm cannot clear the required nodes of a running job. */
  #keepsRequired = false

  /**
   * Makes an executor of changes.
   *
   * @param isAllowed fails if the controller may change nothing any more
   * @param commandSeconds longest time of a command
   */
  constructor(partition: Partition, isAllowed: Lease['check'], commandSeconds: number) {
    this.#partition = partition
    this.isAllowed = isAllowed
    this.#commandSeconds = commandSeconds
  }

  /** Carries out changes, and returns the number of jobs whose changes all succeeded. */
  readonly all = Effect.fnUntraced(
    function* (this: Acting, acts: ReadonlyArray<Act>) {
      const wanted = acts.filter(({ kind }) => kind !== 'free-started' || !this.#keepsRequired)
      const byJob = Map.groupBy(wanted, ({ id }) => id)
      const areDone = yield* Effect.forEach(byJob.values(), (ofJob) => this.#ofJob(ofJob), { concurrency: 4 })
      return areDone.filter((isDone) => isDone).length
    }.bind(this),
  )

  readonly #ofJob = Effect.fnUntraced(
    function* (this: Acting, acts: ReadonlyArray<Act>) {
      const slurm = yield* SlurmCommands
      for (const act of acts) {
        yield* this.isAllowed
        this.total.acts++
        yield* this.#tellOnce(defectOf(act))
        const change = (args: ReadonlyArray<string>) => slurm.change(args, this.#commandSeconds)
        const isDone = yield* Effect.forEach(commandsOf(act, this.#partition), change, { discard: true }).pipe(
          Effect.as(true),
          Effect.catch((error) => this.#failed(act, error).pipe(Effect.as(false))),
        )
        // The next change of the job assumes that the failed change was made.
        if (!isDone) return false
      }
      return true
    }.bind(this),
  )

  #failed({ kind, id }: Act, error: SlurmCommandError): Effect.Effect<void> {
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
    if (message === undefined || this.#told.has(key!)) return Effect.void
    this.#told.add(key!)
    return Console.error(message)
  }
}
