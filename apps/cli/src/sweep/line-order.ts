import { closeSync, openSync, readSync } from 'node:fs'
import { withPath } from '@cloister/run/node'

/** Line of a file of results, with the cell of the result. */
export interface Line {
  /** Key of the cell (`specKey`), without the versions of program and policy. */
  readonly key: string
  /** Digest of the cell with the versions of program and policy. */
  readonly digest: string
  /** Offset of the first byte of the line. */
  readonly from: number
  /** Offset after the line feed of the line. */
  readonly end: number
}

/**
 * Returns the lines of a file of results in the order of an experiment. First come the results of other cells and of
 * older versions, in the order of the file. Then comes the latest result of each cell of the experiment, in the order
 * of the cells, because a reader takes the last result of a cell. Older results of a cell under the same versions are
 * dropped.
 */
export function linesInOrder(lines: ReadonlyArray<Line>, order: ReadonlyArray<string>): ReadonlyArray<Line> {
  const byDigest = new Map<string, Line>()
  for (const line of lines) {
    byDigest.delete(line.digest)
    byDigest.set(line.digest, line)
  }
  const latest = new Map([...byDigest.values()].map((line) => [line.key, line]))
  const ordered = order.flatMap((key) => latest.get(key) ?? [])
  const isOrdered = new Set(ordered)
  return [...[...byDigest.values()].filter((line) => !isOrdered.has(line)), ...ordered]
}

/** Reads the texts of lines of a file. @throws the error of the operating system, with the path */
export function* piecesOf(path: string, lines: Iterable<Line>): Iterable<string> {
  const file = withPath(path, () => openSync(path, 'r'))
  try {
    for (const { from, end } of lines) yield withPath(path, () => readPart(file, from, end - from))
  } finally {
    closeSync(file)
  }
}

function readPart(file: number, from: number, length: number): string {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length;) {
    const read = readSync(file, bytes, at, length - at, from + at)
    if (read === 0)
      throw Object.assign(
        new Error(`the file ends at byte ${from + at}, expected a result up to byte ${from + length}`),
        { code: 'ENODATA', syscall: 'read' },
      )
    at += read
  }
  return bytes.toString()
}

/** Writer of lines in a fixed order of keys. A line is held back until the lines of all earlier keys are settled. */
export class LinesInTurn {
  readonly #order: ReadonlyArray<string>
  readonly #write: (line: string) => void
  readonly #held = new Map<string, string>()
  #next = 0

  constructor(order: ReadonlyArray<string>, write: (line: string) => void) {
    this.#order = order
    this.#write = write
  }

  /** Gives the writer the line of a key, or an empty text for a key without a line. */
  settle(key: string, line: string): void {
    this.#held.set(key, line)
    for (; this.#held.has(this.#order[this.#next]); this.#next++) {
      const next = this.#order[this.#next]
      const held = this.#held.get(next)!
      this.#held.delete(next)
      if (held !== '') this.#write(held)
    }
  }
}
