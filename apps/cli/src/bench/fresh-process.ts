import { Context, type Effect } from 'effect'
import type { FreshProcessError } from '../errors/errors.ts'

/** Separate process of the program, without warm caches or compiled code. */
export class FreshProcess extends Context.Service<
  FreshProcess,
  {
    /**
     * Runs a command line and returns the standard output.
     *
     * @param program path of another Cloister's cloister.js, instead of this program
     */
    readonly run: (args: ReadonlyArray<string>, program?: string) => Effect.Effect<string, FreshProcessError>
    /**
     * Runs a command line with this program's standard streams. Runs the command line again whenever a loaded file
     * changes, until a signal ends the process. Returns the exit code.
     */
    readonly watch: (args: ReadonlyArray<string>) => Effect.Effect<number, FreshProcessError>
  }
>()('cloister/FreshProcess') {}
