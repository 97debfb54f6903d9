import { Effect, FileSystem, Layer, Path, Stdio, Terminal } from 'effect'
import { ChildProcessSpawner } from 'effect/process'

const unused = Effect.die('no command uses the services of the command-line parser to prompt or to start processes')

/**
 * Stubs for the services with which Effect's command line prompts, reads flags from files, and starts processes. The
 * commands of Cloister do this without Effect. Loading the real services would take a fifth of the program's start.
 */
export const unusedServices = Layer.mergeAll(
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
