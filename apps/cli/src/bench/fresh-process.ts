import { Context, type Effect } from 'effect'
import type { FreshProcessError } from '../errors/errors.ts'

/** This program in a process of its own, where nothing is warm. */
export class FreshProcess extends Context.Service<
  FreshProcess,
  {
    /**
     * Runs a command line; gives what it writes to standard output.
     *
     * @param program the cloister.js of another one, in its place
     */
    readonly run: (args: ReadonlyArray<string>, program?: string) => Effect.Effect<string, FreshProcessError>
    /**
     * Runs a command line where this program writes to, and again whenever a file changes that it has loaded, until
     * somebody ends it; gives the exit code.
     */
    readonly watch: (args: ReadonlyArray<string>) => Effect.Effect<number, FreshProcessError>
  }
>()('cloister/FreshProcess') {}
