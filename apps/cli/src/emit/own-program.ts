import { Context, type Effect } from 'effect'
import type { TaggedProblem } from '@cloister/run'

/** Service with access to the files of the running Cloister. */
export class OwnProgram extends Context.Service<
  OwnProgram,
  {
    /** Copies the program into a folder, unless the folder has a copy. Returns the path of the copied cloister.js. */
    readonly copyTo: (folder: string) => Effect.Effect<string, TaggedProblem>
  }
>()('cloister/OwnProgram') {}
