import { Context } from 'effect'

/**
 * Output of commands besides results and remarks. The members are plain functions instead of effects, because the loop
 * of a simulation calls the functions.
 */
export class Terminal extends Context.Service<
  Terminal,
  {
    /** Writes text to standard output unchanged. */
    readonly write: (text: string) => void
    /** Returns true if a path is the file of standard output, so that a printed result would mix with the file. */
    readonly isOutput: (path: string) => boolean
    /** True if standard error is a terminal. */
    readonly isWatched: boolean
    /** Width of standard output in characters, or 80 without a terminal. */
    readonly columns: number
    /** Replaces the last status line on standard error. An empty `line` removes the status line. */
    readonly showStatus: (line: string) => void
  }
>()('cloister/Terminal') {}
