import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { withPath } from '@cloister/run/node'
import { Schema } from 'effect'
import { type CellResult, type CellTimes, digestOf } from './cell-result.ts'

const Line = Schema.Struct({
  cell: Schema.String,
  seconds: Schema.NullOr(Schema.Number),
  microsecondsPerJob: Schema.NullOr(Schema.Number),
})
const isLine = Schema.is(Line)

/** Returns the path of the file of times beside a file of results: `a.results.times.ndjson` for `a.results.ndjson`. */
export function timesPath(results: string): string {
  return `${results.replace(/\.ndjson$/, '')}.times.ndjson`
}

/**
 * File with the times of cells, a line for each cell. The file stands beside the file of results, because times differ
 * from run to run. Users may delete the file; then the times are unknown. The reader skips invalid lines, for example a
 * line torn by a kill.
 */
export class TimesFile {
  readonly #path: string
  readonly #file: number
  readonly #times: Map<string, CellTimes>
  #text: string

  /** Opens or creates the file of times. @throws the error of the operating system, with the path */
  constructor(path: string, options: { readonly anew: boolean }) {
    this.#path = path
    const text = options.anew || !existsSync(path) ? '' : withPath(path, () => readFileSync(path, 'utf8'))
    this.#times = timesIn(text)
    this.#text = text
    this.#file = withPath(path, () => openSync(path, options.anew ? 'w' : 'a'))
    if (text !== '' && !text.endsWith('\n')) this.#write('\n')
  }

  /** Returns the times of the cell of a result, or undefined if unknown. */
  of(result: CellResult): CellTimes | undefined {
    return this.#times.get(digestOf(result))
  }

  /** Appends the times of the cell of a result. @throws the error of the operating system, with the path */
  add(result: CellResult, times: CellTimes): void {
    this.#times.set(digestOf(result), times)
    this.#write(timesLine(digestOf(result), times))
  }

  /** Returns the text with one line for each cell, `digests` last and in order; undefined if the file has this text. */
  inOrder(digests: ReadonlyArray<string>): string | undefined {
    const last = new Set(digests)
    const others = [...this.#times.keys()].filter((digest) => !last.has(digest))
    const known = [...others, ...digests].filter((digest) => this.#times.has(digest))
    const text = known.map((digest) => timesLine(digest, this.#times.get(digest)!)).join('')
    return text === this.#text ? undefined : text
  }

  close(): void {
    withPath(this.#path, () => closeSync(this.#file))
  }

  #write(text: string): void {
    withPath(this.#path, () => writeSync(this.#file, text))
    this.#text += text
  }
}

/** Returns the line of a file of times for a cell. @param cell digest of the cell */
export function timesLine(cell: string, { seconds, microsecondsPerJob }: CellTimes): string {
  return `${JSON.stringify({ cell, seconds, microsecondsPerJob })}\n`
}

/** Parses the text of a file of times. Returns the times by the digest of the cell. */
export function timesIn(text: string): Map<string, CellTimes> {
  const times = new Map<string, CellTimes>()
  for (const line of text.split('\n')) {
    try {
      const value: unknown = JSON.parse(line)
      if (isLine(value)) times.set(value.cell, { seconds: value.seconds, microsecondsPerJob: value.microsecondsPerJob })
    } catch {
      // Skips an invalid line, for example a line that a kill tore.
    }
  }
  return times
}
