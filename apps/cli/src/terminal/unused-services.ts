import { Effect, FileSystem, Layer, Path, Stdio, Terminal } from 'effect'
import { ChildProcessSpawner } from 'effect/process'

const unused = Effect.die('no command asks questions or starts processes by way of the command-line parser')

/**
 * What Effect's command lines can use to prompt, to read flags from files and to start processes. Ours do none of it,
 * and the real ones would take a fifth of the time that the program takes to start.
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
