import { Effect } from 'effect'
import { CliConfig, CliOutput, Command, GlobalFlag } from 'effect/cli'
import { audit } from './commands/audit.ts'
import { bench } from './commands/bench.ts'
import { demo } from './commands/demo.ts'
import { diff } from './commands/diff.ts'
import { explain } from './commands/explain.ts'
import { exportCommand } from './commands/export.ts'
import { fuzz } from './commands/fuzz.ts'
import { metrics } from './commands/metrics.ts'
import { policy } from './commands/policy.ts'
import { replay } from './commands/replay.ts'
import { reproduce } from './commands/reproduce.ts'
import { rerun } from './commands/rerun.ts'
import { simulate } from './commands/simulate.ts'
import { sweep } from './commands/sweep.ts'
import { topology } from './commands/topology.ts'
import { trace } from './commands/trace.ts'
import { view } from './commands/view.ts'
import { ExitWith, Problem, exitCodes } from './errors/problem.ts'
import { unusedServices } from './terminal/unused-services.ts'
import { remark } from './terminal/output.ts'

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
    diff,
    view,
    exportCommand,
    trace,
    topology,
    policy,
    sweep,
    reproduce,
    fuzz,
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

const parseAndRun = Command.runWith(cloister, { version: CLOISTER_VERSION })

/** Runs a command line. Why it failed is said on standard error; what is left of an error is its exit code. */
export const runCloister = (args: ReadonlyArray<string>) =>
  parseAndRun(args).pipe(
    Effect.catchDefect((defect) =>
      Effect.fail(
        new Problem(
          `this is a defect of cloister, please report it with the command line: ${defect instanceof Error ? defect.stack : String(defect)}`,
          exitCodes.defect,
        ),
      ),
    ),
    Effect.tapErrorTag('Problem', ({ message }) => remark(`cloister: ${message}`)),
    Effect.catchTag('ShowHelp', ({ errors }) =>
      errors.length === 0 ? Effect.void : Effect.fail(new ExitWith(exitCodes.unusable)),
    ),
    Effect.provide(CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })),
    Effect.provide(CliOutput.layerPresenter(presenter)),
    Effect.provide(unusedServices),
  )
