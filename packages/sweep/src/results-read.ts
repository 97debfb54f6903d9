import { createHash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { attempt, type RunSpec, specKey } from '@cloister/run'
import { withPath } from '@cloister/run/node'
import { Data, Effect, Schema } from 'effect'
import {
  answers,
  type CellResult,
  type CellTimes,
  differing,
  digestOf,
  parseResult,
  ResultsFileError,
} from './cell-result.ts'
import type { Cell } from './experiment.ts'
import type { FailedRun } from './failed-runs.ts'
import type { ResultsFile } from './results-file.ts'
import { type Failure, readTimes, SweepFolder } from './sweep-folder.ts'
import { timesLine } from './times-file.ts'

/** Result in a file of results, as offset and length of its line. */
export interface Placed {
  readonly worker: string
  readonly path: string
  /** Offset of the first byte of the line. */
  readonly from: number
  readonly length: number
  /** SHA-256 of the line, to compare two results of a cell. */
  readonly sha256: string
}

const FailureLine = Schema.Struct({ cell: Schema.String, attempt: Schema.Number, reason: Schema.String })
const isFailure = Schema.is(FailureLine)

/** Returns the failure in a line. An invalid line (undefined) is ignored, so that the failed cell may run again. */
function parseFailure(line: string): Failure | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isFailure(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Results and failures of all workers of a sweep so far. A new reading continues at the end of the last reading. */
export class ResultsRead {
  readonly #folder: SweepFolder
  readonly #ends = new Map<string, { readonly bytes: number; readonly lines: number }>()
  /** Lines with the results of each cell, by the digest of the cell. A cell that two workers ran has two results. */
  readonly results = new Map<string, Array<Placed>>()
  /** Last failure of each cell, by the digest of the cell. */
  readonly failures = new Map<string, Failure>()

  constructor(folder: SweepFolder) {
    this.#folder = folder
  }

  /** Paths of all files read so far. */
  get paths(): ReadonlyArray<string> {
    return [...this.#ends.keys()]
  }

  isDone(cell: string): boolean {
    return this.results.has(cell)
  }

  /** Returns the last failure of a cell, or undefined for a cell with a result, and for a cell without a failure. */
  failureOf(cell: string): Failure | undefined {
    return this.isDone(cell) ? undefined : this.failures.get(cell)
  }

  /** Reads new lines of all files of results and failures. @throws ResultsFileError for an invalid line of results */
  refresh(): void {
    for (const name of this.#folder.names('results')) this.readResults(this.#folder.file('results', name), name)
    for (const name of this.#folder.names('failures')) this.#readFailures(this.#folder.file('failures', name))
  }

  /** Reads the new lines of one file of results. @throws ResultsFileError for an invalid line */
  readResults(path: string, name: string): void {
    for (const { line, from, number } of this.#newLines(path)) {
      const result = parseResult(line.toString())
      if (result === undefined) throw new ResultsFileError({ path, line: number, found: line.toString('utf8', 0, 40) })
      const digest = digestOf(result)
      const placed: Placed = {
        worker: name.replace(/\.ndjson$/, ''),
        path,
        from,
        length: line.length,
        sha256: createHash('sha256').update(line).digest('hex'),
      }
      this.results.set(digest, [...(this.results.get(digest) ?? []), placed])
    }
  }

  #readFailures(path: string): void {
    for (const { line } of this.#newLines(path)) {
      const value = parseFailure(line.toString())
      if (value === undefined) continue
      if ((this.failures.get(value.cell)?.attempt ?? 0) <= value.attempt) this.failures.set(value.cell, value)
    }
  }

  /** Yields the whole lines since the last reading. An incomplete last line is left for a later reading. */
  *#newLines(path: string): Generator<{ readonly line: Buffer; readonly from: number; readonly number: number }> {
    const { bytes: begin, lines } = this.#ends.get(path) ?? { bytes: 0, lines: 0 }
    const bytes = bytesFrom(path, begin)
    let number = lines
    let at = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, at)) {
      yield { line: bytes.subarray(at, end), from: begin + at, number: ++number }
      at = end + 1
    }
    this.#ends.set(path, { bytes: begin + at, lines: number })
  }
}

const lineFeed = 10

/** Opens the file each time, so that a network file system checks for new bytes. */
function bytesFrom(path: string, from: number): Buffer {
  return withPath(path, () => {
    const file = openSync(path, 'r')
    try {
      return readWhole(file, from, fstatSync(file).size - from)
    } finally {
      closeSync(file)
    }
  })
}

/** Returns the cells without a result, each with the reason of the last failure. */
export function missingCells(cells: ReadonlyArray<Cell>, read: ResultsRead): ReadonlyArray<FailedRun> {
  return cells
    .filter(({ digest }) => !read.isDone(digest))
    .map(({ cell, digest }) => ({ cell, reason: read.failureOf(digest)?.reason ?? 'the cell has no result yet' }))
}

/** Reads a result from its line in a file of results. */
export function readPlaced({ path, from, length }: Placed): { readonly line: string; readonly result: CellResult } {
  const line = withPath(path, () => {
    const file = openSync(path, 'r')
    try {
      return readWhole(file, from, length).toString()
    } finally {
      closeSync(file)
    }
  })
  return { line, result: JSON.parse(line) as CellResult }
}

function readWhole(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.max(length, 0))
  let got = 0
  while (got < bytes.length) {
    const read = readSync(file, bytes, got, bytes.length - got, from + got)
    if (read === 0) break
    got += read
  }
  return bytes.subarray(0, got)
}

/** Folder given as the folder of a sweep, without results of workers. */
export class NoSweepError extends Data.TaggedError('NoSweepError')<{ readonly path: string }> {
  override get message(): string {
    return `${this.path}: the folder has no results of workers of a sweep`
  }
}

/** Reads the results of a sweep from its folder, or from a file of results (then `folder` is undefined). */
export const readSweep = Effect.fnUntraced(function* (path: string) {
  const folder = new SweepFolder(path)
  if (!existsSync(path)) return yield* new NoSweepError({ path })
  const isFolder = yield* attempt(() => folder.exists())
  const read = new ResultsRead(folder)
  yield* attempt(() => (isFolder ? read.refresh() : read.readResults(path, path)))
  return { folder: isFolder ? folder : undefined, read }
})

/** Cell with two different results, with the workers of both results and the names of the different fields. */
export interface UnequalResults {
  readonly cell: RunSpec
  readonly workers: ReadonlyArray<string>
  readonly fields: ReadonlyArray<string>
}

/** Returns the first result of each cell, in the order of the cells, and the cells with different results. */
export function mergedResults(
  cells: ReadonlyArray<Cell>,
  read: ResultsRead,
): { readonly placed: ReadonlyArray<Placed>; readonly unequal: ReadonlyArray<UnequalResults> } {
  const placed: Array<Placed> = []
  const unequal: Array<UnequalResults> = []
  for (const { cell, digest } of cells) {
    const [first, ...others] = read.results.get(digest) ?? []
    if (first === undefined) continue
    placed.push(first)
    const other = others.find(({ sha256 }) => sha256 !== first.sha256)
    if (other === undefined) continue
    const fields = differing(readPlaced(first).result, readPlaced(other).result)
    unequal.push({ cell, workers: [first.worker, other.worker], fields })
  }
  return { placed, unequal }
}

/**
 * Adds the results that the shards of an experiment have, and that a file of results lacks, to the file. Returns the
 * cells with different results of two workers.
 */
export const joinResults = Effect.fnUntraced(function* (
  cells: ReadonlyArray<Cell>,
  folder: SweepFolder,
  results: ResultsFile,
) {
  return yield* attempt(() => {
    const read = new ResultsRead(folder)
    if (folder.exists()) read.refresh()
    const lacking = cells.filter(({ cell, digest }) => !answers(results.get(specKey(cell)), digest))
    const { placed, unequal } = mergedResults(lacking, read)
    const times = placed.length === 0 ? new Map<string, CellTimes>() : readTimes(folder)
    for (const each of placed) {
      const { result } = readPlaced(each)
      results.add(result, times.get(digestOf(result)) ?? { seconds: null, microsecondsPerJob: null })
    }
    return unequal
  })
})

/** Yields the lines of the times of cells, in the order of the cells, from the files of all workers. */
export function* timesOf(cells: ReadonlyArray<Cell>, folder: SweepFolder): Iterable<string> {
  const known = readTimes(folder)
  for (const { digest } of cells) {
    const times = known.get(digest)
    if (times !== undefined) yield timesLine(digest, times)
  }
}
