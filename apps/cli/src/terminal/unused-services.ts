import { Effect, FileSystem, Layer, Path, Stdio, Terminal } from 'effect'
import { ChildProcessSpawner } from 'effect/process'

const unused = Effect.die('no command asks questions or starts processes by way of the command-line parser')

/**
 * Services of Effect's command lines to prompt, to read flags from files, and to start processes. Our commands use none
 * of these services. The real services would take a fifth of the program's start.
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
