import { type LogOutcome, type LogState, milliseconds } from '@cloister/eventlog'
import { type SeekableLog, seekInLog } from '@cloister/eventlog/node'
import { Effect, Option } from 'effect'
import { NoRecordError, OptionConflictError, OutsidePartError } from '../errors/errors.ts'
import { attempt } from '../errors/attempt.ts'
import { remark } from '../terminal/output.ts'

export interface Moment {
  readonly at: Option.Option<number>
  readonly seq: Option.Option<number>
}

/**
 * Returns the state of queue and machine at a moment of a log, by default the end of the log. At the end, also returns
 * the outcome of reading. A large log is read whole only once, because the program keeps an index file beside the log.
 */
export const stateAt = Effect.fnUntraced(function* (path: string, { at, seq }: Moment) {
  if (Option.isSome(at) && Option.isSome(seq))
    return yield* new OptionConflictError({
      options: ['--at', '--seq'],
      reason: 'name two different states; give one of the two options',
    })
  const remarks: Array<string> = []
  const find = (log: SeekableLog): { readonly state: LogState; readonly outcome: LogOutcome | undefined } => {
    const last = log.index.records - 1
    const wanted = Option.getOrElse(seq, () => (Option.isSome(at) ? log.seqAt(at.value) : last))
    if (Option.isSome(at) && at.value < 0) throw new NoRecordError({ path, option: '--at', value: at.value })
    if (wanted < 0) throw new NoRecordError({ path, option: '--seq', value: wanted })
    if (wanted > last) throw new NoRecordError({ path, option: '--seq', value: wanted, last })
    checkWithinPart(path, log, { at, seq })
    return { state: log.stateAt(wanted), outcome: wanted === last ? log.outcome : undefined }
  }
  const found = yield* Effect.exit(attempt(() => seekInLog(path, find, (text) => remarks.push(text))))
  yield* Effect.forEach(remarks, remark)
  return yield* found
})

function checkWithinPart(path: string, log: SeekableLog, { at, seq }: Moment): void {
  const { part } = log.index.header
  if (part === undefined) return
  const first = Math.max(0, log.seqAt((milliseconds(part.from) - 1) / 1000))
  if (Option.isSome(at) && (at.value < part.from || at.value > part.until))
    throw new OutsidePartError({ path, option: '--at', value: at.value, ...part, first })
  if (Option.isSome(seq) && seq.value < first)
    throw new OutsidePartError({ path, option: '--seq', value: seq.value, ...part, first })
}
