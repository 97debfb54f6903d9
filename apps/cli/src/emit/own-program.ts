import { Context, type Effect } from 'effect'
import type { TaggedProblem } from '@cloister/run'

/** Files of the running program. */
export class OwnProgram extends Context.Service<
  OwnProgram,
  {
    /** Copies the program into a folder unless the folder holds a copy. Returns the path of the program's main file. */
    readonly copyTo: (folder: string) => Effect.Effect<string, TaggedProblem>
  }
>()('cloister/OwnProgram') {}
