import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { Schema } from 'effect'
import { withPath } from '../files/with-path.ts'
import { digestOf } from './cell-digest.ts'
import type { CellResult, CellTimes } from './cell-result.ts'

const Line = Schema.Struct({
  cell: Schema.String,
  seconds: Schema.NullOr(Schema.Number),
  microsecondsPerJob: Schema.NullOr(Schema.Number),
})
const isLine = Schema.is(Line)

/** `experiment.results.ndjson` has its times in `experiment.results.times.ndjson`. */
export function timesPath(results: string): string {
  return `${results.replace(/\.ndjson$/, '')}.times.ndjson`
}

/**
 * What cells took, a line each, beside their results, which would differ from run to run with it. It may be deleted: what it
 * does not have is not known, and a line that is none, such as one that a kill has torn, is passed over.
 */
export class TimesFile {
  readonly #path: string
  readonly #file: number
  readonly #times: ReadonlyMap<string, CellTimes>

  /** @throws what the operating system says, with the path */
  constructor(path: string, options: { readonly anew: boolean }) {
    this.#path = path
    const text = options.anew || !existsSync(path) ? '' : withPath(path, () => readFileSync(path, 'utf8'))
    this.#times = timesIn(text)
    this.#file = withPath(path, () => openSync(path, options.anew ? 'w' : 'a'))
    if (text !== '' && !text.endsWith('\n')) this.#write('\n')
  }

  /** What is known of a result; nothing where it is not. */
  of(result: CellResult): CellTimes | undefined {
    return this.#times.get(digestOf(result))
  }

  /** @throws what the operating system says, with the path */
  add(result: CellResult, times: CellTimes): void {
    this.#write(timesLine(digestOf(result), times))
  }

  close(): void {
    withPath(this.#path, () => closeSync(this.#file))
  }

  #write(text: string): void {
    withPath(this.#path, () => writeSync(this.#file, text))
  }
}

export function timesLine(cell: string, { seconds, microsecondsPerJob }: CellTimes): string {
  return `${JSON.stringify({ cell, seconds, microsecondsPerJob })}\n`
}

/** The times in the text of such a file, by the digest of the cell. */
export function timesIn(text: string): ReadonlyMap<string, CellTimes> {
  const times = new Map<string, CellTimes>()
  for (const line of text.split('\n')) {
    try {
      const value: unknown = JSON.parse(line)
      if (isLine(value)) times.set(value.cell, { seconds: value.seconds, microsecondsPerJob: value.microsecondsPerJob })
    } catch {
      // Torn by a kill.
    }
  }
  return times
}
