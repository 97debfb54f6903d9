import { type ForgedFault, type ForgingOutcome, fuzzLogs as search } from '@cloister/fuzz'
import { OptionError, quoteWord } from '@cloister/run'
import { attempt, Files } from '@cloister/run/node'
import { Effect, Option } from 'effect'
import { join } from 'node:path'
import { exitCodes, ExitWith } from '../errors/exit.ts'
import { print } from '../terminal/output.ts'
import { makeProgress, share } from '../terminal/progress.ts'
import { count } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import { type FuzzOptions, limitsOf, silently, subjectsGiven, tester } from './fuzz.ts'
import { consumers } from './log-consumers.ts'

/** Default of `--runs` with `--logs`. */
const RUNS = 400

/**
 * Runs `cloister fuzz --logs`: changes the logs of random runs like an attacker who knows the format, seals the forged
 * logs, and gives each forged log to every command that reads logs. No command may crash or hang, and `audit --rerun`
 * must not accept decisions that the policy did not make.
 */
export const fuzzLogs = Effect.fn(function* ({ policy, seed, out, json, ...options }: FuzzOptions) {
  const limits = yield* limitsOf(options, RUNS)
  if (Option.isSome(options.only))
    return yield* new OptionError({
      option: 'only',
      reason: 'cannot be used with --logs, because forged logs have no numbers',
    })
  const subjects = yield* subjectsGiven(policy, options.policyConfig)
  const progress = yield* makeProgress
  const onProgress = (done: number): void => progress.show(() => share('forging:', done, 1))
  const outcome = yield* silently(search({ ...limits, subjects, seed, tester, onProgress }, consumers))
  progress.clear()
  const { fault: found, ...counts } = outcome
  const fault = found === undefined ? null : yield* keep(found, out)
  yield* print(json, { seed, ...counts, fault }, () => describe(seed, outcome, fault))
  if (fault !== null) return yield* new ExitWith(exitCodes.no)
})

const keep = Effect.fnUntraced(function* ({ bytes, command, problem }: ForgedFault, out: string) {
  const files = yield* Files
  const path = join(out, 'forged.ndjson')
  yield* attempt(() => {
    files.makeFolder(out)
    files.writeText(path, Buffer.from(bytes).toString('latin1'), 'overwrite')
  })
  const [verb, ...options] = command.split(' ')
  return { command, problem, reproduce: ['cloister', verb, quoteWord(path), ...options].join(' ') }
})

function describe(
  seed: number,
  { runs, forged, unwritable }: ForgingOutcome,
  fault: { readonly problem: string; readonly reproduce: string } | null,
): string {
  const facts = fields([
    ['runs', `${count(runs)} of seed ${seed}`],
    [
      'forged',
      `${count(forged - unwritable)} logs, read by every command that reads logs; ${count(unwritable)} further forgeries that the format does not allow`,
    ],
    ['faults', fault === null ? 'none' : 'one, on a shrunk run'],
  ])
  return fault === null ? facts : `${facts}\n\n${fault.problem}\n\n  ${fault.reproduce}`
}
