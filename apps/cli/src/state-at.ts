import { type LogOutcome, LogState } from '@cloister/eventlog'
import { Effect, Option } from 'effect'
import { Flag } from 'effect/cli'
import { readRecords } from './log-reading.ts'
import { Problem } from './problem.ts'

export const momentFlags = {
  at: Flag.Finite('at').pipe(Flag.withMetavar('T'), Flag.withDescription('The state after everything that happened until T seconds'), Flag.optional),
  seq: Flag.Int('seq').pipe(Flag.withMetavar('N'), Flag.withDescription('The state after record N'), Flag.optional),
}

export interface Moment {
  readonly at: Option.Option<number>
  readonly seq: Option.Option<number>
}

/** The state of queue and machine at a moment of a log, at its end where none is named; and how the log ended, where it was read so far. */
export const stateAt = Effect.fnUntraced(function* (log: string, { at, seq }: Moment) {
  if (Option.isSome(at) && Option.isSome(seq)) return yield* new Problem('--at and --seq name two different states; give one of them')
  const lastSeq = Option.getOrElse(seq, () => Infinity)
  const lastTime = Option.getOrElse(at, () => Infinity)
  let state: LogState | undefined
  const outcome: LogOutcome | undefined = yield* readRecords(log, (record) => {
    if (record.seq > lastSeq || ('t' in record && record.t > lastTime)) return false
    if (record.type === 'header') state = new LogState(record)
    else state!.apply(record)
  })
  if (state === undefined) return yield* new Problem(`${log}: no record is at or before ${Option.isSome(seq) ? `--seq ${lastSeq}` : `--at ${lastTime}`}`)
  if (Option.isSome(seq) && outcome !== undefined && state.seq < lastSeq) {
    return yield* new Problem(`${log}: there is no record ${lastSeq}; the last one is ${state.seq}`)
  }
  return { state, outcome }
})
