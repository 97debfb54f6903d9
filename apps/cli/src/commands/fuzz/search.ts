import { type Fault, type Limits, type Tester } from '@cloister/fuzz'
import { formatCommand, isTagged, quoteWord, type RunSpec } from '@cloister/run'
import { Console, Effect, Option } from 'effect'
import { join } from 'node:path'
import { messageOf } from '../../errors/message.ts'
import { describeThrown } from '../../errors/thrown.ts'
import { runInputs } from '../../run/inputs.ts'
import { program } from '../../run/log-target.ts'
import { checkAtLeast, refuseIf } from '../flags.ts'

/** Tester of runs with the messages of this program. */
export const tester: Tester = {
  program,
  describe: (error) => (isTagged(error) ? messageOf(error) : describeThrown(error)),
}

/** Returns the limits of `--runs` and `--minutes`. @param unsaid number of runs if the user gives neither option */
export const limitsOf = Effect.fnUntraced(function* (
  given: { readonly runs: Option.Option<number>; readonly minutes: Option.Option<number> },
  unsaid: number,
) {
  const minutes = Option.getOrElse(given.minutes, () => Infinity)
  const runs = Option.getOrElse(given.runs, () => (minutes === Infinity ? unsaid : Infinity))
  yield* checkAtLeast('runs', runs, 1)
  yield* refuseIf(minutes <= 0, `--minutes: found ${minutes}, expected more than 0`)
  return { runs, milliseconds: minutes * 60_000 } satisfies Limits
})

/** Gives a search the inputs of runs, and hides remarks, because remarks of thousands of runs would fill the terminal. */
export function silently<A, E, R>(search: Effect.Effect<A, E, R>, traceDir?: string) {
  return search.pipe(
    Effect.provide(runInputs(traceDir)),
    Effect.provideService(Console.Console, { ...console, error: () => {}, log: () => {} }),
  )
}

/** Returns the shell command that shows the fault of a run whose files are in `folder`. */
export function commandOfFault(spec: RunSpec, { command }: Fault, folder: string): string {
  const log = quoteWord(join(folder, 'run.ndjson'))
  const simulate = `cloister simulate ${formatCommand(spec)} --out ${log} --force`
  // The simulation writes the log even if its exit code is not 0, and the second command shows the fault on the log.
  return command === 'simulate' ? simulate : `${simulate}; cloister ${command} ${log}`
}
