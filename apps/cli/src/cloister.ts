import type { TaggedProblem } from '@cloister/run'
import { Console, Effect, FileSystem, Layer, Path, Stdio, Terminal } from 'effect'
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from 'effect/cli'
import { ChildProcessSpawner } from 'effect/process'
import { completionsFlag } from './terminal/completions.ts'
import { Json, print, remark } from './terminal/output.ts'
import { Terminal as OwnTerminal } from './terminal/terminal.ts'
import { ExitWith, exitCodes } from './errors/errors.ts'
import { version } from './version.ts'

/**
 * Groups of commands in the help of the program. Each command has a line for the help of the program, and a function
 * that loads the file of the command. A file of a command exports only the command. A command line loads only the file
 * of its own command.
 */
const groups = {
  'First steps': {
    demo: ['Simulate a trace under two policies, and compare the runs', () => import('./commands/demo.ts')],
    simulate: ['Simulate a policy on a trace, and log every decision', () => import('./commands/simulate.ts')],
    view: ['See a run in the browser, and why each job waited', () => import('./commands/view.ts')],
    metrics: ['Measure runs: utilization, waits, makespan, fragmentation', () => import('./commands/metrics.ts')],
    explain: ['Tell why a job waited', () => import('./commands/explain.ts')],
    audit: ['Check a log against every rule of the format and every claim', () => import('./commands/audit.ts')],
    diff: ['Compare two runs of the same jobs', () => import('./commands/diff.ts')],
    policy: ['List, show and check placement policies', () => import('./commands/policy.ts')],
    trace: ['Show, convert and generate job traces', () => import('./commands/trace.ts')],
    topology: ['Show and convert descriptions of machines', () => import('./commands/topology.ts')],
  },
  'One run': {
    state: ['Show queue and machine at one moment of a run', () => import('./commands/state.ts')],
    query: ['Answer a named question about a run, as a table', () => import('./commands/query.ts')],
    capacity: ['Show the largest job that fits, and ways to let a job start', () => import('./commands/capacity.ts')],
    rerun: ["Run the policy again on a log's inputs", () => import('./commands/rerun.ts')],
    plot: ['Draw runs as SVG, PDF or PNG for a paper', () => import('./commands/plot.ts')],
    export: ['Write a run, or one moment of it, for another program', () => import('./commands/export.ts')],
    sign: ['Sign a log with a private key', () => import('./commands/sign.ts')],
    verify: ['Check the signature of a log', () => import('./commands/verify.ts')],
  },
  'Many runs': {
    calibrate: ['Compare simulations of a real history with its waits', () => import('./commands/calibrate.ts')],
    sweep: ['Run an experiment: many runs, measured and audited', () => import('./commands/sweep.ts')],
    reproduce: [
      "Run a paper's experiment, and compare with the published values",
      () => import('./commands/reproduce.ts'),
    ],
    interference: ['Compute the slowdown of jobs on shared links', () => import('./commands/interference.ts')],
  },
  'Development of a policy': {
    extract: ['Write one decision of a log as a small test for vitest', () => import('./commands/extract.ts')],
    fuzz: ['Try policies on random machines, jobs, queues and failures', () => import('./commands/fuzz.ts')],
    minimise: ['Shrink a faulty run to a small run with the same fault', () => import('./commands/minimise.ts')],
    router: ['List, show and check routers, which fill forwarding tables', () => import('./commands/router.ts')],
    order: ['List, show and check queue orders', () => import('./commands/order.ts')],
    serve: ['Let an agent that learns choose the next job of the queue', () => import('./commands/serve.ts')],
    bench: ['Time scheduling, writing logs and reading logs', () => import('./commands/bench.ts')],
  },
  'Real machines': {
    import: ['Write the history of a real machine as an event log', () => import('./commands/import.ts')],
    observe: ['Write the events of a real machine as they happen', () => import('./commands/observe.ts')],
    drive: ['Place the jobs of a real machine under Slurm', () => import('./commands/drive.ts')],
  },
} as const

type Entries = (typeof groups)[keyof typeof groups]
type ValueOf<T> = T extends unknown ? T[keyof T] : never
type Loaded = ValueOf<Entries> extends readonly [string, () => Promise<infer File>] ? ValueOf<File> : never
type Program = Command.Command<string, unknown, {}, Command.Error<Loaded>, Command.Services<Loaded>>

/**
 * Returns the command `cloister`. The subcommands that `isNeeded` accepts are complete; the other subcommands have only
 * a name and a line of help.
 */
export async function programWith(isNeeded: (name: string) => boolean): Promise<Program> {
  const commandOf = async (name: string, [summary, load]: ValueOf<Entries>): Promise<Command.Command.Any> => {
    if (!isNeeded(name)) return Command.make(name).pipe(Command.withDescription(summary))
    const [command] = Object.values<Loaded>(await load())
    return command
  }
  const loaded = Object.entries(groups).map(async ([group, entries]) => ({
    group,
    commands: await Promise.all(Object.entries(entries).map(([name, each]) => commandOf(name, each))),
  }))
  return Command.make('cloister').pipe(
    Command.withDescription('Simulate, audit, measure and view the placement of jobs on fat trees'),
    Command.withSubcommands(await Promise.all(loaded)),
  ) as unknown as Program
}

type Presenter = Layer.Layer<never, never, OwnTerminal>

/** For a wrong command line, prints the error and a hint to `--help` instead of the whole help. */
const presenter: Presenter = Layer.effect(
  CliOutput.Presenter,
  Effect.map(OwnTerminal, (terminal): CliOutput.Presenter => ({
    present: Effect.fnUntraced(function* (event) {
      if (event._tag === 'Version') return yield* Console.log(`${event.name} v${event.version}`)
      if (event._tag === 'InvalidInvocation') {
        const problems = event.errors.map(problemOf)
        yield* remark(
          `${problems.map((problem) => `cloister: ${problem}`).join('\n')}\n\n${event.commandPath.join(' ')} --help describes the options of the command.`,
        )
        return yield* printError(event.errors[0], problems.join('\n'), exitCodes.unusable, []).pipe(
          Effect.provideService(OwnTerminal, terminal),
        )
      }
      // Help shows the options of runs in groups. Most command lines need neither help nor the table of these options.
      const { helpText } = yield* Effect.promise(() => import('./terminal/help.ts'))
      yield* Console.log(helpText(event.helpDoc, terminal.columns))
    }),
  })),
)

/** New name of each renamed command of `cloister`, by the former name. */
const formerCommands: ReadonlyMap<string, string> = new Map([['replay', 'state']])

function problemOf(error: CliError.CliError): string {
  if (error._tag !== 'UnknownSubcommand' || error.parent?.length !== 1) return error.message
  const name = formerCommands.get(error.subcommand)
  return name === undefined ? error.message : `the command ${error.subcommand} is now called ${name}`
}

/**
 * Runs a command line, and returns the exit code. `help X` means `X --help`. Problems go to standard error, and under
 * --json also as JSON to standard output.
 *
 * @param shown layer that shows the help, by default as text
 */
export const runCloister = (args: ReadonlyArray<string>, shown: Presenter = presenter) => {
  const words = args[0] === 'help' ? [...args.slice(1), '--help'] : args
  return Effect.promise(() => programFor(words)).pipe(
    Effect.flatMap((program) => Command.runWith(program, { version })(words)),
    Effect.as(0),
    Effect.catchDefect(
      Effect.fnUntraced(function* (defect) {
        const text = `the program has a defect; please report the defect with the command line: ${defect instanceof Error ? defect.stack : String(defect)}`
        yield* remark(`cloister: ${text}`)
        yield* printError({ _tag: 'Defect' }, text, exitCodes.defect, words)
        return exitCodes.defect
      }),
    ),
    Effect.catch((error) => exitCodeOf(error, words)),
    Effect.provide([
      CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, completionsFlag] }),
      shown,
      unusedServices,
    ]),
    Effect.provideService(Json, { isAsked: words.includes('--json'), isPrinted: false }),
  )
}

/** Completions describe the flags of all commands; any other command line needs at most one command. */
function programFor(words: ReadonlyArray<string>): Promise<Program> {
  if (words.some((word) => word.startsWith('--completions'))) return programWith(() => true)
  const names = new Set(Object.values(groups).flatMap((entries) => Object.keys(entries)))
  const needed = words.find((word) => names.has(word))
  return programWith((name) => name === needed)
}

type Failure = TaggedProblem | ExitWith | CliError.CliError

const exitCodeOf = Effect.fnUntraced(function* (error: Failure, words: ReadonlyArray<string>) {
  if (error instanceof ExitWith) return error.code
  // The presenter has printed the errors of a wrong command line before.
  if (error instanceof CliError.ShowHelp) return error.errors.length === 0 ? 0 : exitCodes.unusable
  const { messageOf } = yield* Effect.promise(() => import('./errors/message.ts'))
  const message = messageOf(error)
  yield* remark(`cloister: ${message}`)
  yield* printError(error, message, exitCodes.unusable, words)
  return exitCodes.unusable
})

/**
 * Under --json, prints an error as JSON to standard output. Prints nothing after a result, and if a word of the command
 * line names the file of standard output, because standard output then has a log.
 */
const printError = Effect.fnUntraced(function* (
  error: { readonly _tag: string },
  message: string,
  exitCode: number,
  words: ReadonlyArray<string>,
) {
  const { isOutput } = yield* OwnTerminal
  const { isAsked, isPrinted } = yield* Json
  if (!isAsked || isPrinted || words.some((word) => isOutput(word.replace(/^--out=/, '')))) return
  const { errorAsJson } = yield* Effect.promise(() => import('./errors/error-json.ts'))
  yield* print('error', true, errorAsJson(error, message, exitCode), () => '')
})

const unused = Effect.die('no command uses the services of the command-line parser to prompt or to start processes')

/**
 * Stubs for the services with which Effect's command line prompts, reads flags from files, and starts processes. The
 * commands of Cloister do this without Effect. Loading the real services would take a fifth of the program's start.
 */
const unusedServices = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Stdio.layerTest({}),
  Layer.succeed(
    Terminal.Terminal,
    Terminal.make({
      columns: unused,
      rows: unused,
      size: unused,
      readInput: unused,
      readLine: unused,
      display: () => unused,
    }),
  ),
  Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make(() => unused),
  ),
)
