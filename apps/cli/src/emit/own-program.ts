import { Context, type Effect } from 'effect'
import type { TaggedProblem } from '@cloister/run'

/** The program that runs, as files. */
export class OwnProgram extends Context.Service<
  OwnProgram,
  {
    /** Puts a copy into a folder, unless it is there, and gives the path of what Node runs in it. */
    readonly copyTo: (folder: string) => Effect.Effect<string, TaggedProblem>
  }
>()('cloister/OwnProgram') {}
