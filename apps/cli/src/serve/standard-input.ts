import { readSync } from 'node:fs'
import type { Lines } from './agent.ts'

const LF = 10
/** Time in ms between two reads of an input that does not block. */
const PAUSE_MS = 5

/** Returns a function that reads standard input line by line. The function blocks: a scheduling pass cannot pause. */
export function standardInput(): Lines['read'] {
  const buffer = Buffer.alloc(2 ** 16)
  let bytes: Buffer = Buffer.alloc(0)
  return () => {
    for (let searched = 0; ;) {
      const to = bytes.indexOf(LF, searched)
      if (to >= 0) {
        const line = bytes.toString('utf8', 0, to)
        bytes = bytes.subarray(to + 1)
        return line
      }
      searched = bytes.length
      const length = readSome(buffer)
      if (length === 0) return undefined
      bytes = Buffer.concat([bytes, buffer.subarray(0, length)])
    }
  }
}

/** Returns the number of bytes; 0 at the end of the input. */
function readSome(buffer: Buffer): number {
  for (;;) {
    try {
      return readSync(0, buffer)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EOF') return 0
      if (code !== 'EAGAIN') throw error
      // Another process made the input non-blocking.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
}
