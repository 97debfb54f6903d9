import * as Context from 'effect/Context'
import * as Data from 'effect/Data'
import type * as Effect from 'effect/Effect'

/** OpenSM did not get new tables, or the switches did not report their tables. */
export class SubnetManagerError extends Data.TaggedError('SubnetManagerError')<{
  /** Program or file that failed, such as `dump_fts`. */
  readonly subject: string
  readonly reason: string
}> {
  override get message(): string {
    return `${this.subject}: ${this.reason}`
  }
}

/** Access to OpenSM and the switches. OpenSM reads the tables from a file; the switches report their tables. */
export class SubnetManager extends Context.Service<
  SubnetManager,
  {
    /** Replaces a whole file by one rename, then makes OpenSM read the file. */
    readonly install: (
      file: string,
      pidFile: string,
      pieces: Iterable<string>,
    ) => Effect.Effect<void, SubnetManagerError>
    /** Current tables of the switches, in the format of `dump_fts`. */
    readonly tables: Effect.Effect<string, SubnetManagerError>
  }
>()('@cloister/controller/SubnetManager') {}
