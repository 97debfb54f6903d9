import { fstatSync, statSync } from 'node:fs'
import { Context, Layer } from 'effect'

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
    /** True if standard error is a terminal that can replace a line (not TERM=dumb). */
    readonly isWatched: boolean
    /** Width of standard output in characters, or 80 without a terminal. */
    readonly columns: number
    /** Replaces the last status line on standard error. An empty `line` removes the status line. */
    readonly showStatus: (line: string) => void
  }
>()('cloister/Terminal') {}

/** Service `Terminal` for standard output and standard error of this process. */
export const processTerminal: Layer.Layer<Terminal> = Layer.sync(Terminal, () => ({
  write: (text) => process.stdout.write(text),
  isOutput: (path) => {
    const [file, output] = [statSync(path, { throwIfNoEntry: false }), fstatSync(1)]
    return file !== undefined && file.dev === output.dev && file.ino === output.ino && !file.isCharacterDevice()
  },
  isWatched: process.stderr.isTTY === true && process.env['TERM'] !== 'dumb',
  columns: process.stdout.columns || 80,
  showStatus: (line) => process.stderr.write(`\r\x1b[K${line}`),
}))
