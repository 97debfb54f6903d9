// Separate from commands.ts, so that a program that only provides the service does not load the readers of outputs.
import * as Context from 'effect/Context'
import * as Data from 'effect/Data'
import type * as Effect from 'effect/Effect'

/** Error for a command of Slurm, or a server of Slurm's REST API, that failed or could not be reached. */
export class SlurmCommandError extends Data.TaggedError('SlurmCommandError')<{
  readonly command: string
  /** Message of the command or of the server. */
  readonly reason: string
  /** True if a second attempt may succeed, as after a timeout; false if it cannot, as for a missing program. */
  readonly mayPass: boolean
}> {}

/** Service with the commands that query Slurm or change jobs. No shell reads the arguments. */
export class SlurmCommands extends Context.Service<
  SlurmCommands,
  {
    /** Runs a command of Slurm and returns its output, with times in Unix seconds. */
    readonly ask: (
      command: 'squeue' | 'sinfo' | 'sacct' | 'scontrol',
      args: ReadonlyArray<string>,
    ) => Effect.Effect<string, SlurmCommandError>
    /** Changes a job by `scontrol`. Its process ends within the given seconds, even if Cloister ends before. */
    readonly change: (args: ReadonlyArray<string>, seconds: number) => Effect.Effect<void, SlurmCommandError>
  }
>()('@cloister/slurm/SlurmCommands') {}
