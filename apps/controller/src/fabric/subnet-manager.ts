import * as Context from 'effect/Context'
import * as Data from 'effect/Data'
import type * as Effect from 'effect/Effect'

/** The subnet manager could not be told of new tables, or the switches not be asked for theirs. */
export class SubnetManagerError extends Data.TaggedError('SubnetManagerError')<{
  /** The program, or the file. */
  readonly subject: string
  readonly reason: string
}> {
  override get message(): string {
    return `${this.subject}: ${this.reason}`
  }
}

/** OpenSM, which reads the tables of all switches from a file, and the switches, which say what they have. */
export class SubnetManager extends Context.Service<
  SubnetManager,
  {
    /** Puts a whole file in the place of the one that is there, by one rename, then has OpenSM read it. */
    readonly install: (
      file: string,
      pidFile: string,
      pieces: Iterable<string>,
    ) => Effect.Effect<void, SubnetManagerError>
    /** What the switches have, as `dump_fts` prints it. */
    readonly tables: Effect.Effect<string, SubnetManagerError>
  }
>()('@cloister/controller/SubnetManager') {}
