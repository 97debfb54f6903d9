import { closeSync, openSync, readSync } from 'node:fs'
import { withPath } from '../files/with-path.ts'

/** Place of a result in a file. */
export interface Line {
  /** Key of the cell. */
  readonly key: string
  /** Digest of the cell with the versions of program and policy. */
  readonly digest: string
  /** Offset of the first byte. */
  readonly from: number
  /** Offset after the line feed. */
  readonly end: number
}

/**
 * Returns the lines of a file in the order of an experiment. The latest result of each cell of the experiment comes
 * last, in the order of the cells. Results of other cells and of other versions come first, in the order of the
 * file, because a reader takes the last result of a cell. If a cell ran again under the same versions, its older lines
 * are dropped.
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

/** Reads the lines of a file, each from its place. @throws the error of the operating system, with the path */
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

/** Writes lines in a fixed order. A line waits until all lines before the line are settled. */
export class LinesInTurn {
  readonly #order: ReadonlyArray<string>
  readonly #write: (line: string) => void
  readonly #held = new Map<string, string>()
  #next = 0

  constructor(order: ReadonlyArray<string>, write: (line: string) => void) {
    this.#order = order
    this.#write = write
  }

  /** Settles a key. An empty line means a key without a line. */
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
