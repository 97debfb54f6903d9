import { fstatSync, statSync } from 'node:fs'
import { Layer } from 'effect'
import { Terminal } from '../terminal/terminal.ts'

/** Service `Terminal` for standard output and standard error of this process. */
export const processTerminal: Layer.Layer<Terminal> = Layer.sync(Terminal, () => ({
  write: (text) => process.stdout.write(text),
  isOutput: (path) => {
    const [file, output] = [statSync(path), fstatSync(1)]
    return file.dev === output.dev && file.ino === output.ino && !file.isCharacterDevice()
  },
  isWatched: process.stderr.isTTY === true,
  columns: process.stdout.columns || 80,
  showStatus: (line) => process.stderr.write(`\r\x1b[K${line}`),
}))
