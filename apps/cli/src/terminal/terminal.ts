import { Context } from 'effect'

/** What commands show besides results and remarks. Plain functions: they are called in the midst of simulations. */
export class Terminal extends Context.Service<
  Terminal,
  {
    /** Writes to standard output as it is. */
    readonly write: (text: string) => void
    /** Whether a file is standard output: results that go there would mix with it. */
    readonly isOutput: (path: string) => boolean
    /** Whether somebody looks at standard error. */
    readonly isWatched: boolean
    /** Width of standard output, in characters; 80 if it is no terminal. */
    readonly columns: number
    /** Shows a line on standard error in place of the one before; an empty one takes it away. */
    readonly showStatus: (line: string) => void
  }
>()('cloister/Terminal') {}
