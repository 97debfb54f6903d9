import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { devNull } from 'node:os'
import { lockForWriting, type WriterLock } from '@cloister/eventlog/node'
import { attempt, type RunSpec, specKey } from '@cloister/run'
import { type Files, withPath } from '@cloister/run/node'
import { Effect } from 'effect'
import {
  type CellResult,
  type CellTimes,
  digestOf,
  parseResult,
  ResultsFileError,
  type TimedResult,
} from './cell-result.ts'
import { TimesFile, timesPath } from './times-file.ts'

/** Settings for opening the file of results of a sweep. */
export interface ResultsFileOptions {
  /** True to remove the results that are in the file. */
  readonly anew: boolean
  /**
   * Cells of the experiment, in order. `finish` sorts the results into this order, and a pipe gets the results in this
   * order from the start. Undefined: results stay in the order in which the runs ended.
   */
  readonly cells?: ReadonlyArray<RunSpec>
}

/**
 * File of results, with a line for each cell. The line of a cell is appended when the run of the cell ends, so that a
 * kill loses no finished cell. A kill leaves at most a torn last line. The next process cuts the torn line off, and
 * runs the cell of this line again. The class appends lines itself, because the service `Files` writes only complete
 * files.
 */
export class ResultsFile {
  readonly path: string
  /** Number of bytes of a torn last line that were cut off when the file was opened. */
  readonly tornBytes: number
  readonly #lock: WriterLock
  readonly #file: number
  readonly #results: Map<string, TimedResult>
  readonly #lines: Array<Line>
  readonly #times: TimesFile
  readonly #order: ReadonlyArray<string> | undefined
  /** Writer in the order of the cells for a pipe, which cannot be sorted afterwards, undefined for a regular file. */
  readonly #inTurn: LinesInTurn | undefined
  #isOpen = true

  /**
   * Opens or creates the file of results.
   * @throws ResultsFileError for an invalid line, and for an incomplete last line that is not the beginning of a result
   * @throws LogFileError if another process writes the file
   */
  constructor(path: string, options: ResultsFileOptions) {
    this.path = path
    this.#order = options.cells?.map(specKey)
    this.#lock = lockForWriting(path)
    try {
      const isFile = isRegular(path)
      const { results, lines, file, tornBytes } = readOrCreate(path, options.anew)
      // For a pipe or a device, the times go nowhere, because no file can stand beside a pipe or a device.
      this.#times = orClose(file, () => new TimesFile(isFile ? timesPath(path) : devNull, options))
      for (const [key, result] of results) results.set(key, { ...result, ...this.#times.of(result) })
      this.#results = results
      this.#lines = lines
      this.#file = file
      this.tornBytes = tornBytes
      if (!isFile && this.#order !== undefined) this.#inTurn = new LinesInTurn(this.#order, (line) => this.#write(line))
    } catch (error) {
      this.#lock.release()
      throw error
    }
  }

  /** Returns the latest result of a cell, by the key of the cell, or undefined without a result. */
  get(key: string): TimedResult | undefined {
    return this.#results.get(key)
  }

  /** Appends the result and the times of a cell. @throws the error of the operating system, with the path */
  add(result: CellResult, times: CellTimes): void {
    const key = specKey(result.cell)
    this.#times.add(result, times)
    const line = `${JSON.stringify(result)}\n`
    if (this.#inTurn === undefined) {
      const from = this.#lines.at(-1)?.end ?? 0
      this.#write(line)
      this.#lines.push({ key, digest: digestOf(result), from, end: from + Buffer.byteLength(line) })
    } else this.#inTurn.settle(key, line)
    this.#results.set(key, { ...result, ...times })
  }

  /** Notes that a cell failed, so that a pipe gets the later results. @throws the error of the operating system */
  skip(cell: RunSpec): void {
    this.#inTurn?.settle(specKey(cell), '')
  }

  /**
   * Puts results and times into the order of the cells, and closes the file. Results of older versions and of other
   * cells come first. A sorted file stays unchanged. @throws the error of the operating system, with the path
   */
  finish(create: Files['Service']['create']): void {
    this.#closeAfter(() => {
      if (this.#order === undefined || !isRegular(this.path)) return
      const lines = linesInOrder(this.#lines, this.#order)
      if (lines.length !== this.#lines.length || lines.some((line, at) => line !== this.#lines[at]))
        replace(this.path, piecesOf(this.path, lines), create)
      const times = this.#times.inOrder(lines.map(({ digest }) => digest))
      if (times !== undefined) replace(timesPath(this.path), [times], create)
    })
  }

  /** Closes the file of results without sorting. @throws the error of the operating system, with the path */
  close(): void {
    this.#closeAfter(() => {})
  }

  /** Runs `last` after closing the files, while this process still has the lock of the file of results. */
  #closeAfter(last: () => void): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    try {
      withPath(this.path, () => flushAndClose(this.#file))
      this.#times.close()
      last()
    } finally {
      this.#lock.release()
    }
  }

  #write(text: string): void {
    const bytes = Buffer.from(text)
    withPath(this.path, () => {
      for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at)
    })
  }
}

/** Flushes a file to the disk, which may report only now that a write failed, and closes the file. */
function flushAndClose(file: number): void {
  try {
    // A pipe or a device cannot be flushed.
    if (fstatSync(file).isFile()) fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Opens a file of results. The caller closes the file; after a failure, the end of the scope closes the file. */
export function openResults(path: string, options: ResultsFileOptions) {
  return Effect.acquireRelease(
    attempt(() => new ResultsFile(path, options)),
    (file) => Effect.ignore(attempt(() => file.close())),
  )
}

function replace(path: string, pieces: Iterable<string>, create: Files['Service']['create']): void {
  const file = create(path, 'overwrite')
  try {
    for (const piece of pieces) file.write(piece)
    file.commit()
  } finally {
    file.discard()
  }
}

function isRegular(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() !== false
}

function readOrCreate(path: string, anew: boolean) {
  const text = anew || !existsSync(path) ? '' : withPath(path, () => readFileSync(path, 'utf8'))
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  assertTorn(path, text.slice(whole.length))
  const tornBytes = Buffer.byteLength(text) - Buffer.byteLength(whole)
  const { results, lines } = readResults(path, whole)
  const file = openSync(path, anew ? 'w' : 'a')
  if (tornBytes > 0) orClose(file, () => withPath(path, () => ftruncateSync(file, Buffer.byteLength(whole))))
  return { results, lines, file, tornBytes }
}

function orClose<A>(file: number, act: () => A): A {
  try {
    return act()
  } catch (error) {
    closeSync(file)
    throw error
  }
}

const lineStart = '{"cell":'

/** Text of another program at the end of a file of results must not be cut off as a torn line. */
function assertTorn(path: string, rest: string): void {
  if (!rest.startsWith(lineStart) && !lineStart.startsWith(rest))
    throw new ResultsFileError({ path, line: undefined, found: rest.slice(0, 40) })
}

function readResults(path: string, whole: string) {
  const results = new Map<string, TimedResult>()
  const lines: Array<Line> = []
  let from = 0
  for (const [index, line] of whole.split('\n').slice(0, -1).entries()) {
    const result = parseResult(line)
    if (result === undefined) throw new ResultsFileError({ path, line: index + 1, found: line.slice(0, 40) })
    const key = specKey(result.cell)
    const end = from + Buffer.byteLength(line) + 1
    lines.push({ key, digest: digestOf(result), from, end })
    results.set(key, { seconds: null, microsecondsPerJob: null, ...result })
    from = end
  }
  return { results, lines }
}

/** Line of a file of results, with the cell of the result. */
interface Line {
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
function linesInOrder(lines: ReadonlyArray<Line>, order: ReadonlyArray<string>): ReadonlyArray<Line> {
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
function* piecesOf(path: string, lines: Iterable<Line>): Iterable<string> {
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
class LinesInTurn {
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
