import * as Context from 'effect/Context'
import * as Data from 'effect/Data'
import type * as Effect from 'effect/Effect'

/** A command of Slurm, or a server of its REST API, that could not be asked, or that failed. */
export class SlurmCommandError extends Data.TaggedError('SlurmCommandError')<{
  readonly command: string
  /** What it said. */
  readonly reason: string
  /** Whether asking again may help: the controller may be back then, but a program that is not installed stays away. */
  readonly mayPass: boolean
}> {}

/** The commands by which Slurm is asked and, by who drives a partition, told. No shell reads their arguments. */
export class SlurmCommands extends Context.Service<
  SlurmCommands,
  {
    /** What a command prints, with times in Unix seconds. */
    readonly ask: (
      command: 'squeue' | 'sinfo' | 'sacct' | 'scontrol',
      args: ReadonlyArray<string>,
    ) => Effect.Effect<string, SlurmCommandError>
    /** Has `scontrol` change a job. It ends within so many seconds, also where this process is gone by then. */
    readonly change: (args: ReadonlyArray<string>, seconds: number) => Effect.Effect<void, SlurmCommandError>
  }
>()('@cloister/slurm/SlurmCommands') {}
