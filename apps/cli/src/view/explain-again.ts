import { type Explanation } from '@cloister/replay'
import type { WholeWhy } from '@cloister/viewer'
import { Effect, Option, Semaphore } from 'effect'
import { FreshProcess } from '../bench/fresh-process.ts'
import { exitCodes } from '../errors/exit.ts'
import type { Explain } from './view-server.ts'

type Answer = Explanation & Pick<WholeWhy, 'differsFrom' | 'reasonsUntil'>

/** Largest number of cached explanations. */
const MOST_KNOWN = 50

/**
 * Returns a function that explains the wait of a job by `cloister explain` in a separate process. There the policy runs
 * again over the whole log, and the server answers further questions meanwhile. Explanations run one at a time. After a
 * failure the result is undefined, and the page shows only the explanation from the log.
 * @param policy policy of the log as a file or package, if the policy is not built in
 */
export const explainAgain = Effect.fnUntraced(function* (policy: Option.Option<string>) {
  const { run } = yield* FreshProcess
  const turn = yield* Semaphore.make(1)
  const known = new Map<string, WholeWhy>()
  const explain: Explain = ({ path, version }, job) => {
    const key = JSON.stringify([path, version, job])
    const asking = Effect.gen(function* () {
      const found = known.get(key)
      if (found !== undefined) return found
      const given = Option.match(policy, { onNone: () => [], onSome: (name) => ['--policy', name] })
      const text = yield* run(['explain', path, `--job=${job}`, ...given, '--json']).pipe(
        Effect.catch((error) =>
          error.code === exitCodes.notWhole && error.stdout !== undefined
            ? Effect.succeed(error.stdout)
            : Effect.fail(error),
        ),
      )
      const { differsFrom, reasonsUntil, ...explanation } = JSON.parse(text) as Answer
      const why: WholeWhy = { explanation, source: 'policy', differsFrom, reasonsUntil }
      if (known.size >= MOST_KNOWN) known.clear()
      known.set(key, why)
      return why
    })
    return turn
      .withPermits(1)(asking)
      .pipe(Effect.catch(() => Effect.succeed(undefined)))
  }
  return explain
})
