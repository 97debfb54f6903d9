import { attempt } from '@cloister/run'
import {
  drivenJobsArguments,
  endedJob,
  type NodeIds,
  parseDrivenJobs,
  parseSacct,
  parseSinfo,
  sacctArguments,
  sinfoArguments,
  type SlurmJob,
  type UnreadJob,
} from '@cloister/slurm'
import { formatHostlist, nodeName, type Topology } from '@cloister/topology'
import { Clock, Data, Effect } from 'effect'
import { newSeparator, remark, untilAnswered } from '../polling.ts'
import { type SlurmCommandError, SlurmCommands } from '../programs.ts'
import type { JobChange } from './driver.ts'
import type { Lease } from './lease.ts'
import { HANDED_BACK, type Observation, unreadDefect } from './observations.ts'

/** Partition of Slurm whose jobs a controller places, with its machine. */
export interface Partition {
  readonly name: string
  readonly topology: Topology
  readonly nodeIds: NodeIds
}

/** Asks Slurm for the time in Unix seconds, because the clock of this host may have been set back. */
const slurmTime = Effect.gen(function* () {
  const config = yield* (yield* SlurmCommands).ask('scontrol', ['-o', 'show', 'config'])
  const [, time] = /^Configuration data as of (\d+)/.exec(config) ?? []
  return time === undefined ? Math.floor((yield* Clock.currentTimeMillis) / 1000) : Number(time)
})

/**
 * Asks Slurm for the nodes of the partition, and for the jobs of all partitions, because any job may run on these
 * nodes.
 */
const lookOnce = Effect.fnUntraced(function* ({ name, nodeIds, topology }: Partition) {
  const slurm = yield* SlurmCommands
  const at = yield* slurmTime
  const separator = yield* newSeparator
  const jobs = yield* slurm.ask('squeue', drivenJobsArguments(separator))
  const states = yield* slurm.ask('sinfo', sinfoArguments([name]))
  return yield* attempt((): Omit<Observation, 'now'> => ({
    ...parseDrivenJobs(jobs, separator, nodeIds, at),
    useless: parseSinfo(states, nodeIds, topology.nodes),
  }))
})

/** Repeats a query until Slurm answers. Prints the first failure, and the first answer after failures. */
function patiently<A, E extends { readonly _tag: string }, R>(query: Effect.Effect<A, E, R>) {
  return untilAnswered(
    query,
    { first: '200 millis', longest: '10 seconds' },
    ({ command, reason }) => `${command}: ${oneLine(reason)}; Slurm is asked again until Slurm answers`,
  )
}

/** Asks Slurm for jobs and nodes until Slurm answers. */
export function look(partition: Partition) {
  return patiently(lookOnce(partition))
}

/** Prints one message for each job with a value that cannot be parsed, unless the job is handed back. */
export class UnreadReports {
  readonly #reported = new Set<string>()

  tell(unread: ReadonlyArray<UnreadJob>, partition: string): Effect.Effect<void> {
    const own = unread.filter((job) => job.id === undefined || unreadDefect(job, partition) === undefined)
    const fresh = own.map(({ id, reason }) => ({ key: id ?? reason, reason }))
    return Effect.forEach(
      fresh.filter(({ key }) => !this.#reported.has(key)),
      ({ key, reason }) => {
        this.#reported.add(key)
        return remark(`${oneLine(reason)}; the job is left alone, and the job's nodes are unknown`)
      },
      { discard: true },
    )
  }
}

/** Returns the jobs of `ids` that have ended, from Slurm's accounting; empty if the accounting does not answer. */
export const askAccounting = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, { nodeIds }: Partition) {
  if (ids.length === 0) return []
  const slurm = yield* SlurmCommands
  const separator = yield* newSeparator
  const args = [...sacctArguments(separator), '-j', ids.join()]
  const text = yield* slurm.ask('sacct', args).pipe(Effect.catch(() => Effect.succeed('')))
  const rows = yield* Effect.try(() => parseSacct(text, separator)).pipe(Effect.catch(() => Effect.succeed([])))
  const last = new Map(rows.filter(({ jobId }) => ids.includes(jobId)).map((row) => [row.jobId, row]))
  return [...last.values()].map((row): SlurmJob => endedJob(row, nodeIds)).filter(({ phase }) => phase === 'over')
})

/** Puts a text from Slurm on one line of at most 300 characters. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 300)
}

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
    return remark(message)
  }
}

/** Reason why a controller cannot place the jobs of a partition. */
export class PartitionError extends Data.TaggedError('PartitionError')<{
  readonly partition: string
  readonly reason: string
}> {
  override get message(): string {
    return `partition ${this.partition} cannot be driven: ${this.reason}`
  }
}

/** Names of partitions that are safe as arguments of commands, and as parts of arguments. */
const plainName = /^[A-Za-z0-9_.-]{1,64}$/

/**
 * Waits until Slurm answers. Fails if Slurm has no such partition, or if the partition lets jobs share nodes or has a
 * block topology.
 */
export const checkPartition = Effect.fnUntraced(function* (partition: string) {
  const refuse = (reason: string): PartitionError => new PartitionError({ partition, reason })
  if (!plainName.test(partition))
    return yield* refuse('its name must have 1 to 64 letters, digits, dots, hyphens or underscores')
  const slurm = yield* SlurmCommands
  // If the command named the partition, it would fail both for an unknown partition and without an answer of Slurm.
  const all = yield* patiently(slurm.ask('scontrol', ['-a', '-o', 'show', 'partition']))
  const shown = all.split('\n').find((line) => `${line} `.startsWith(`PartitionName=${partition} `))
  if (shown === undefined) return yield* refuse('Slurm has no partition of this name')
  const [, sharing = 'NO'] = /\bOverSubscribe=(\S+)/.exec(shown) ?? []
  if (/^(?:YES|FORCE)/.test(sharing))
    return yield* refuse(`its jobs share nodes (OverSubscribe=${sharing}), and a policy gives each node to one job`)
  const config = yield* patiently(slurm.ask('scontrol', ['-o', 'show', 'config']))
  const [, own] = /\bTopology=(\S+)/.exec(shown) ?? []
  const topology = yield* slurm
    .ask('scontrol', ['show', 'topology', ...(own === undefined || !plainName.test(own) ? [] : [own])])
    .pipe(Effect.catch(() => Effect.succeed('')))
  if ((own === undefined && /TopologyPlugin\s*=\s*topology\/block/.test(config)) || /\bBlockName=/.test(topology))
    return yield* refuse(
      'its topology is topology/block, under which Slurm refuses lists of nodes in several blocks (BadConstraints); with tree or flat topology Slurm takes such lists',
    )
})
