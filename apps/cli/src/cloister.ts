import type { TaggedProblem } from '@cloister/run'
import { Effect } from 'effect'
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from 'effect/cli'
import { audit } from './commands/audit.ts'
import { bench } from './commands/bench.ts'
import { demo } from './commands/demo.ts'
import { diff } from './commands/diff.ts'
import { drive } from './commands/drive.ts'
import { explain } from './commands/explain.ts'
import { exportCommand } from './commands/export.ts'
import { extract } from './commands/extract.ts'
import { fuzz } from './commands/fuzz.ts'
import { interference } from './commands/interference.ts'
import { importCommand } from './commands/import.ts'
import { metrics } from './commands/metrics.ts'
import { minimise } from './commands/minimise.ts'
import { observe } from './commands/observe.ts'
import { plot } from './commands/plot.ts'
import { policy } from './commands/policy.ts'
import { state } from './commands/state.ts'
import { reproduce } from './commands/reproduce.ts'
import { rerun } from './commands/rerun.ts'
import { sign } from './commands/sign.ts'
import { simulate } from './commands/simulate.ts'
import { sweep } from './commands/sweep.ts'
import { topology } from './commands/topology.ts'
import { trace } from './commands/trace.ts'
import { verify } from './commands/verify.ts'
import { view } from './commands/view.ts'
import { helpLayer } from './terminal/help.ts'
import { unusedServices } from './terminal/unused-services.ts'
import { remark } from './terminal/output.ts'
import { ExitWith, exitCodes } from './errors/exit.ts'
import { version } from './version.ts'

const cloister = Command.make('cloister').pipe(
  Command.withDescription('Simulate, audit, measure and view the placement of jobs on fat trees'),
  Command.withSubcommands([
    { group: 'First steps', commands: [demo, simulate, view, metrics, explain, audit, diff, policy, trace, topology] },
    { group: 'One run', commands: [state, rerun, plot, exportCommand, sign, verify] },
    { group: 'Many runs', commands: [sweep, reproduce, interference] },
    { group: 'Development of a policy', commands: [extract, fuzz, minimise, bench] },
    { group: 'Real machines', commands: [importCommand, observe, drive] },
  ]),
)

/** Command `cloister` with all subcommands. */
export const program: Command.Command.Any = cloister

/** For a wrong command line, prints the error and a hint to `--help` instead of the whole help. */
const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag === 'InvalidInvocation'
      ? remark(
          `${event.errors.map((error) => `cloister: ${problemOf(error)}`).join('\n')}\n\n${event.commandPath.join(' ')} --help describes the options of the command.`,
        )
      : CliOutput.defaultPresenter.present(event),
}

/** New name of each renamed command of `cloister`, by the former name. */
const formerCommands: ReadonlyMap<string, string> = new Map([['replay', 'state']])

function problemOf(error: CliError.CliError): string {
  if (error._tag !== 'UnknownSubcommand' || error.parent?.length !== 1) return error.message
  const name = formerCommands.get(error.subcommand)
  return name === undefined ? error.message : `the command ${error.subcommand} is now called ${name}`
}

const parseAndRun = Command.runWith(cloister, { version })

/** Runs a command line, prints problems to standard error, and returns the exit code. `help X` means `X --help`. */
export const runCloister = (args: ReadonlyArray<string>) =>
  parseAndRun(args[0] === 'help' ? [...args.slice(1), '--help'] : args).pipe(
    Effect.as(0),
    Effect.catchDefect((defect) =>
      remark(
        `cloister: the program has a defect; please report the defect with the command line: ${defect instanceof Error ? defect.stack : String(defect)}`,
      ).pipe(Effect.as(exitCodes.defect)),
    ),
    Effect.catch(exitCodeOf),
    Effect.provide(CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })),
    Effect.provide(CliOutput.layerPresenter(presenter)),
    Effect.provide(helpLayer),
    Effect.provide(unusedServices),
  )

type Failure = TaggedProblem | ExitWith | CliError.CliError

const exitCodeOf = Effect.fnUntraced(function* (error: Failure) {
  if (error instanceof ExitWith) return error.code
  // The presenter has printed the errors of a wrong command line before.
  if (error instanceof CliError.ShowHelp) return error.errors.length === 0 ? 0 : exitCodes.unusable
  const { messageOf } = yield* Effect.promise(() => import('./errors/message.ts'))
  yield* remark(`cloister: ${messageOf(error)}`)
  return exitCodes.unusable
})
