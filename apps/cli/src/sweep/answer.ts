import { isTagged } from '@cloister/run'
import { Cause, Console, Effect } from 'effect'
import { messageOf } from '../errors/message.ts'
import { describeThrown } from '../errors/thrown.ts'
import type { Answer, OnShare, Task } from './cell-workers.ts'
import { runCell } from './run-cell.ts'

/** Runs a cell of an experiment. `answer` never fails: the result has the reason of a failure or defect. */
export const answer = Effect.fnUntraced(function* ({ cell, options }: Task, onShare: OnShare) {
  const remarks: Array<string> = []
  const quiet: Console.Console = Object.assign(Object.create(console), { error: (text: string) => remarks.push(text) })
  return yield* runCell(cell, options, (ended, jobs) => onShare(ended / jobs)).pipe(
    Effect.provideService(Console.Console, quiet),
    Effect.map((ran): Answer => ({ type: 'done', ...ran, remarks })),
    Effect.catchCause((cause) => Effect.succeed<Answer>({ type: 'failed', reason: reasonOf(cause), remarks })),
  )
})

function reasonOf(cause: Cause.Cause<unknown>): string {
  const error = Cause.squash(cause)
  return isTagged(error) ? messageOf(error) : `cloister has a defect: ${describeThrown(error)}`
}
