import { SlurmCommandError } from '@cloister/slurm'
import type { AccountingRow } from '@cloister/trace-io'
import type { Anonymiser } from '@cloister/workload'
import { Clock, Effect, Schedule } from 'effect'
import { messageOf } from '../errors/message.ts'
import { remark, visibleOnOneLine } from '../terminal/output.ts'
import type { ClusterSource, Seen } from './cluster-source.ts'

/** Source of a cluster's state, and the anonymiser of names of people (undefined: the names stay). */
export interface Subject {
  readonly source: ClusterSource
  readonly anonymiser: Anonymiser | undefined
}

/** State of a cluster, with the time at which Slurm was queried. */
export interface Observation extends Seen {
  /** Time of the query in Unix seconds. */
  readonly at: number
}

const lookOnce = Effect.fnUntraced(function* ({ source, anonymiser }: Subject) {
  const at = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const { rows, down } = yield* source.look
  return { at, rows: named(rows, anonymiser), down } satisfies Observation
})

/** Queries a cluster's state until Slurm answers or fails for good. Remarks tell when failed queries begin and end. */
export const look = Effect.fnUntraced(function* (subject: Subject) {
  let failed = false
  const seen = yield* lookOnce(subject).pipe(
    Effect.tapError((error) => {
      if (failed || !mayPass(error)) return Effect.void
      failed = true
      return remark(visibleOnOneLine(`${error.command}: ${error.reason}; the query is repeated until Slurm answers`))
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

/** Queries Slurm's accounting of the last `seconds` seconds. After a failure, prints a remark and returns undefined. */
export const askAccounting = Effect.fnUntraced(function* ({ source, anonymiser }: Subject, seconds: number) {
  return yield* source.accounting(Math.max(1, Math.ceil(seconds))).pipe(
    Effect.map((rows) => named(rows, anonymiser)),
    Effect.catch((error) =>
      remark(
        visibleOnOneLine(`${messageOf(error)}; the ends of jobs that the controller has forgotten are unknown`),
      ).pipe(Effect.as(undefined)),
    ),
  )
})

function named(rows: ReadonlyArray<AccountingRow>, anonymiser: Anonymiser | undefined): ReadonlyArray<AccountingRow> {
  return anonymiser === undefined ? rows : rows.map((row) => ({ ...row, labels: anonymiser.labels(row.labels) }))
}
