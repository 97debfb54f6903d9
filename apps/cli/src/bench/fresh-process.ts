import { Context, type Effect } from 'effect'
import type { FreshProcessError } from '../errors/errors.ts'

/** Service that runs command lines of Cloister in separate processes, without warm caches or compiled code. */
export class FreshProcess extends Context.Service<
  FreshProcess,
  {
    /**
     * Runs a command line in a separate process, and returns the standard output of the process.
     *
     * @param program path of the cloister.js of another Cloister; default: this program
     */
    readonly run: (args: ReadonlyArray<string>, program?: string) => Effect.Effect<string, FreshProcessError>
    /**
     * Runs a command line in a process with the standard streams of this process. Runs the command line again whenever
     * a file that the process loaded changes, until a signal ends the process. Returns the exit code.
     */
    readonly watch: (args: ReadonlyArray<string>) => Effect.Effect<number, FreshProcessError>
  }
>()('cloister/FreshProcess') {}
