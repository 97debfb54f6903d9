import {
  type NodeIds,
  parseSinfo,
  parseSqueue,
  sinfoArguments,
  SlurmCommandError,
  SlurmCommands,
  squeueArguments,
} from '@cloister/slurm'
import { type AccountingRow, readSacct, sacctFields } from '@cloister/trace-io'
import type { Anonymiser } from '@cloister/workload'
import { Clock, Effect, Schedule } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { remark, visibleOnOneLine } from '../terminal/output.ts'

/** What is looked at. */
export interface Subject {
  readonly nodeIds: NodeIds
  readonly nodes: number
  /** Of these alone; all where there are none. */
  readonly partitions: ReadonlyArray<string>
  readonly anonymiser: Anonymiser | undefined
}

/** What the controller says at one time. */
export interface Seen {
  /** Unix seconds. */
  readonly at: number
  readonly rows: ReadonlyArray<AccountingRow>
  readonly down: Int32Array
}

/** Looks once. */
const lookOnce = Effect.fnUntraced(function* ({ nodeIds, nodes, partitions, anonymiser }: Subject) {
  const slurm = yield* SlurmCommands
  const among = partitions.length === 0 ? [] : [`--partition=${partitions.join()}`]
  const at = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const jobs = yield* slurm.ask('squeue', [...squeueArguments, ...among])
  const states = yield* slurm.ask('sinfo', sinfoArguments(partitions))
  return yield* attempt((): Seen => {
    const rows = parseSqueue(jobs)
    return { at, rows: rows.map((row) => named(row, anonymiser)), down: parseSinfo(states, nodeIds, nodes) }
  })
})

/** Looks until the controller answers: the first failure is said, and that it is over. */
export const look = Effect.fnUntraced(function* (subject: Subject) {
  let failed = false
  const seen = yield* lookOnce(subject).pipe(
    Effect.tapError((error) => {
      if (failed || !mayPass(error)) return Effect.void
      failed = true
      return remark(visibleOnOneLine(`${error.command}: ${error.reason}; it is asked again until it answers`))
    }),
    Effect.retry({
      while: mayPass,
      schedule: Schedule.min([Schedule.exponential('1 second'), Schedule.spaced('30 seconds')]),
    }),
  )
  if (failed) yield* remark('Slurm answers again')
  return seen
})

function mayPass(error: { readonly _tag: string }): error is SlurmCommandError {
  return error instanceof SlurmCommandError && error.mayPass
}

/** What the accounting says of the last so many seconds; undefined where there is none, which is said. */
export const askAccounting = Effect.fnUntraced(function* ({ partitions, anonymiser }: Subject, seconds: number) {
  const slurm = yield* SlurmCommands
  const among = partitions.length === 0 ? [] : ['-r', partitions.join()]
  const since = ['-S', `now-${Math.max(1, Math.ceil(seconds))}seconds`, '-E', 'now']
  const args = ['-a', '-X', '-D', '-P', '--noconvert', ...since, '-o', sacctFields.join(), ...among]
  return yield* slurm.ask('sacct', args).pipe(
    Effect.flatMap((text) => attempt(() => rowsOf(text, anonymiser))),
    Effect.catch((error) =>
      remark(
        visibleOnOneLine(
          `sacct: ${'reason' in error ? String(error.reason) : error.message}; what the controller has forgotten is not known`,
        ),
      ).pipe(Effect.as(undefined)),
    ),
  )
})

function rowsOf(text: string, anonymiser: Anonymiser | undefined): ReadonlyArray<AccountingRow> {
  const rows: Array<AccountingRow> = []
  readSacct(new TextEncoder().encode(text), { file: 'sacct' }, (row) => rows.push(named(row, anonymiser)))
  return rows
}

function named(row: AccountingRow, anonymiser: Anonymiser | undefined): AccountingRow {
  return anonymiser === undefined ? row : { ...row, labels: anonymiser.labels(row.labels) }
}

/** For how many seconds the controller knows a job that has ended; undefined where it does not say. */
export const minJobAge = Effect.gen(function* () {
  const slurm = yield* SlurmCommands
  const text = yield* slurm.ask('scontrol', ['-o', 'show', 'config']).pipe(Effect.orElseSucceed(() => ''))
  const [, seconds] = /MinJobAge\s*=\s*(\d+)/.exec(text) ?? []
  return seconds === undefined ? undefined : Number(seconds)
})
