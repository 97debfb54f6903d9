import type { TaggedProblem } from '@cloister/run'
import { Effect, FileSystem, Layer, Path, Stdio, Terminal } from 'effect'
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from 'effect/cli'
import { ChildProcessSpawner } from 'effect/process'
import { helpLayer } from './terminal/help.ts'
import { remark } from './terminal/output.ts'
import { ExitWith, exitCodes } from './errors/exit.ts'
import { version } from './version.ts'

/**
 * Groups of commands in the help of the program. Each command has a line for the help of the program, and a function
 * that loads the file of the command. A command line loads only the file of its own command.
 */
const groups = {
  'First steps': {
    demo: entry(
      'Simulate a trace under two policies, and compare the runs',
      async () => (await import('./commands/demo.ts')).demo,
    ),
    simulate: entry(
      'Simulate a policy on a trace, and log every decision',
      async () => (await import('./commands/simulate.ts')).simulate,
    ),
    view: entry(
      'See a run in the browser, and why each job waited',
      async () => (await import('./commands/view.ts')).view,
    ),
    metrics: entry(
      'Measure runs: utilization, waits, makespan, fragmentation',
      async () => (await import('./commands/metrics.ts')).metrics,
    ),
    explain: entry('Tell why a job waited', async () => (await import('./commands/explain.ts')).explain),
    audit: entry(
      'Check a log against every rule of the format and every claim',
      async () => (await import('./commands/audit.ts')).audit,
    ),
    diff: entry('Compare two runs of the same jobs', async () => (await import('./commands/diff.ts')).diff),
    policy: entry('List, show and check placement policies', async () => (await import('./commands/policy.ts')).policy),
    trace: entry('Show, convert and generate job traces', async () => (await import('./commands/trace.ts')).trace),
    topology: entry(
      'Show and convert descriptions of machines',
      async () => (await import('./commands/topology.ts')).topology,
    ),
  },
  'One run': {
    state: entry(
      'Show queue and machine at one moment of a run',
      async () => (await import('./commands/state.ts')).state,
    ),
    rerun: entry("Run the policy again on a log's inputs", async () => (await import('./commands/rerun.ts')).rerun),
    plot: entry('Draw runs as SVG for a paper', async () => (await import('./commands/plot.ts')).plot),
    export: entry(
      'Write a run, or one moment of it, for another program',
      async () => (await import('./commands/export.ts')).exportCommand,
    ),
    sign: entry('Sign a log with a private key', async () => (await import('./commands/sign.ts')).sign),
    verify: entry('Check the signature of a log', async () => (await import('./commands/verify.ts')).verify),
  },
  'Many runs': {
    sweep: entry(
      'Run an experiment: many runs, measured and audited',
      async () => (await import('./commands/sweep.ts')).sweep,
    ),
    reproduce: entry(
      "Run a paper's experiment, and compare with the published values",
      async () => (await import('./commands/reproduce.ts')).reproduce,
    ),
    interference: entry(
      'Compute the slowdown of jobs on shared links',
      async () => (await import('./commands/interference.ts')).interference,
    ),
  },
  'Development of a policy': {
    extract: entry(
      'Write one decision of a log as a small test for vitest',
      async () => (await import('./commands/extract.ts')).extract,
    ),
    fuzz: entry(
      'Try policies on random machines, jobs, queues and failures',
      async () => (await import('./commands/fuzz.ts')).fuzz,
    ),
    minimise: entry(
      'Shrink a faulty run to a small run with the same fault',
      async () => (await import('./commands/minimise.ts')).minimise,
    ),
    bench: entry(
      'Time scheduling, writing logs and reading logs',
      async () => (await import('./commands/bench.ts')).bench,
    ),
  },
  'Real machines': {
    import: entry(
      'Write the history of a real machine as an event log',
      async () => (await import('./commands/import.ts')).importCommand,
    ),
    observe: entry(
      'Write the events of a real machine as they happen',
      async () => (await import('./commands/observe.ts')).observe,
    ),
    drive: entry(
      'Place the jobs of a real machine under Slurm',
      async () => (await import('./commands/drive.ts')).drive,
    ),
  },
}

function entry<Loaded extends Command.Command.Any>(summary: string, load: () => Promise<Loaded>) {
  return { summary, load }
}

type Group = (typeof groups)[keyof typeof groups]
type EntryOf<G> = G extends unknown ? G[keyof G] : never
type Loaded = EntryOf<Group> extends { readonly load: () => Promise<infer C> } ? C : never
type Program = Command.Command<string, unknown, {}, Command.Error<Loaded>, Command.Services<Loaded>>

/**
 * Returns the command `cloister`. The subcommands that `isNeeded` accepts are complete; the other subcommands have only
 * a name and a line of help.
 */
export async function programWith(isNeeded: (name: string) => boolean): Promise<Program> {
  const commandOf = async (name: string, { summary, load }: EntryOf<Group>): Promise<Command.Command.Any> =>
    isNeeded(name) ? await load() : Command.make(name).pipe(Command.withDescription(summary))
  const loaded = Object.entries(groups).map(async ([group, entries]) => ({
    group,
    commands: await Promise.all(Object.entries(entries).map(([name, each]) => commandOf(name, each))),
  }))
  return Command.make('cloister').pipe(
    Command.withDescription('Simulate, audit, measure and view the placement of jobs on fat trees'),
    Command.withSubcommands(await Promise.all(loaded)),
  ) as unknown as Program
}

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

/** Runs a command line, prints problems to standard error, and returns the exit code. `help X` means `X --help`. */
export const runCloister = (args: ReadonlyArray<string>) => {
  const words = args[0] === 'help' ? [...args.slice(1), '--help'] : args
  return Effect.promise(() => programFor(words)).pipe(
    Effect.flatMap((program) => Command.runWith(program, { version })(words)),
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
}

/** Completions describe the flags of all commands; any other command line needs at most one command. */
function programFor(words: ReadonlyArray<string>): Promise<Program> {
  if (words.some((word) => word.startsWith('--completions'))) return programWith(() => true)
  const names = new Set(Object.values(groups).flatMap((entries) => Object.keys(entries)))
  const needed = words.find((word) => names.has(word))
  return programWith((name) => name === needed)
}

type Failure = TaggedProblem | ExitWith | CliError.CliError

const exitCodeOf = Effect.fnUntraced(function* (error: Failure) {
  if (error instanceof ExitWith) return error.code
  // The presenter has printed the errors of a wrong command line before.
  if (error instanceof CliError.ShowHelp) return error.errors.length === 0 ? 0 : exitCodes.unusable
  const { messageOf } = yield* Effect.promise(() => import('./errors/message.ts'))
  yield* remark(`cloister: ${messageOf(error)}`)
  return exitCodes.unusable
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
