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
import { replay } from './commands/replay.ts'
import { reproduce } from './commands/reproduce.ts'
import { rerun } from './commands/rerun.ts'
import { sign } from './commands/sign.ts'
import { simulate } from './commands/simulate.ts'
import { sweep } from './commands/sweep.ts'
import { topology } from './commands/topology.ts'
import { trace } from './commands/trace.ts'
import { verify } from './commands/verify.ts'
import { view } from './commands/view.ts'
import { unusedServices } from './terminal/unused-services.ts'
import { remark } from './terminal/output.ts'
import { ExitWith, exitCodes } from './errors/exit.ts'
import { version } from './version.ts'

const cloister = Command.make('cloister').pipe(
  Command.withDescription(
    'Simulates how jobs are placed on fat-tree clusters, and audits, measures and replays the event logs of such runs.',
  ),
  Command.withSubcommands([
    demo,
    simulate,
    metrics,
    audit,
    replay,
    rerun,
    explain,
    extract,
    diff,
    view,
    plot,
    exportCommand,
    sign,
    verify,
    importCommand,
    observe,
    drive,
    trace,
    topology,
    policy,
    sweep,
    reproduce,
    interference,
    fuzz,
    minimise,
    bench,
  ]),
)

/** Wrong options: what is wrong and where to look it up. The whole help would hide it. */
const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag === 'InvalidInvocation'
      ? remark(
          `${event.errors.map(({ message }) => `cloister: ${message}`).join('\n')}\n\n${event.commandPath.join(' ')} --help tells what it takes.`,
        )
      : CliOutput.defaultPresenter.present(event),
}

const parseAndRun = Command.runWith(cloister, { version })

/** Runs a command line. What went wrong is said on standard error; the result is the exit code. */
export const runCloister = (args: ReadonlyArray<string>) =>
  parseAndRun(args).pipe(
    Effect.as(0),
    Effect.catchDefect((defect) =>
      remark(
        `cloister: this is a defect of cloister, please report it with the command line: ${defect instanceof Error ? defect.stack : String(defect)}`,
      ).pipe(Effect.as(exitCodes.defect)),
    ),
    Effect.catch(exitCodeOf),
    Effect.provide(CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })),
    Effect.provide(CliOutput.layerPresenter(presenter)),
    Effect.provide(unusedServices),
  )

type Failure = TaggedProblem | ExitWith | CliError.CliError

const exitCodeOf = Effect.fnUntraced(function* (error: Failure) {
  if (error instanceof ExitWith) return error.code
  // The presenter has shown it.
  if (error instanceof CliError.ShowHelp) return error.errors.length === 0 ? 0 : exitCodes.unusable
  const { messageOf } = yield* Effect.promise(() => import('./errors/message.ts'))
  yield* remark(`cloister: ${messageOf(error)}`)
  return exitCodes.unusable
})
