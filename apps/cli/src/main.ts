import './node-version.ts'
import { isMainThread } from 'node:worker_threads'
import * as NodeServices from '@effect/platform-node/NodeServices'
import { Effect, Layer, Runtime } from 'effect'
import { CliConfig, CliOutput, Command, GlobalFlag } from 'effect/cli'
import { fuzz } from './commands/fuzz.ts'
import { metrics } from './commands/metrics.ts'
import { replay } from './commands/replay.ts'
import { rerun } from './commands/rerun.ts'
import { audit } from './commands/audit.ts'
import { bench } from './commands/bench.ts'
import { diff } from './commands/diff.ts'
import { demo } from './commands/demo.ts'
import { explain } from './commands/explain.ts'
import { exportCommand } from './commands/export.ts'
import { reproduce } from './commands/reproduce.ts'
import { simulate } from './commands/simulate.ts'
import { sweep } from './commands/sweep.ts'
import { policy } from './commands/policy.ts'
import { trace } from './commands/trace.ts'
import { topology } from './commands/topology.ts'
import { view } from './commands/view.ts'
import { serveCells } from './sweep/cell-worker.ts'
import { remark } from './terminal/output.ts'
import { ExitWith, Problem, exitCodes } from './errors/problem.ts'

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

const platform = Layer.mergeAll(
  NodeServices.layer,
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
  CliOutput.layerPresenter(presenter),
)

// A reader that has seen enough closes the pipe (cloister … | head): that is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

const program = cloister.pipe(
  Command.run({ version: CLOISTER_VERSION }),
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
  Effect.provide(platform),
)

if (isMainThread) {
  // No handler of signals, as Effect's own main has: a simulation is one long step, and an interrupt has to end it.
  Runtime.defaultTeardown(await Effect.runPromiseExit(program), (code) => {
    process.exitCode = code
  })
} else {
  serveCells()
}
