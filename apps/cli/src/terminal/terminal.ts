import { Context } from 'effect'

/** Output of commands besides results and remarks. The functions are plain, because simulations call the functions. */
export class Terminal extends Context.Service<
  Terminal,
  {
    /** Writes text to standard output unchanged. */
    readonly write: (text: string) => void
    /** Returns true if a file is standard output. Results on standard output would mix with the file's content. */
    readonly isOutput: (path: string) => boolean
    /** True if standard error is a terminal. */
    readonly isWatched: boolean
    /** Width of standard output in characters; 80 without a terminal. */
    readonly columns: number
    /** Replaces the last status line on standard error. An empty line removes the status. */
    readonly showStatus: (line: string) => void
  }
>()('cloister/Terminal') {}
