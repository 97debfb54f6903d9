import { Context, type Effect } from 'effect'
import type { FreshProcessError } from '../errors/errors.ts'

/** Service that runs command lines of Cloister in separate processes, without warm caches or compiled code. */
export class FreshProcess extends Context.Service<
  FreshProcess,
  {
    /**
     * Runs a command line, and returns the process's standard output.
     * @param program path of the cloister.js of another Cloister, by default this program
     */
    readonly run: (args: ReadonlyArray<string>, program?: string) => Effect.Effect<string, FreshProcessError>
    /**
     * Runs a command line with the standard streams of this process, and again whenever a file that the process loaded
     * changes. Returns the exit code after a signal.
     */
    readonly watch: (args: ReadonlyArray<string>) => Effect.Effect<number, FreshProcessError>
  }
>()('cloister/FreshProcess') {}
