import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { devNull } from 'node:os'
import { lockForWriting, type WriterLock } from '@cloister/eventlog/node'
import { type RunSpec, specKey } from '@cloister/run'
import { digestOf } from './cell-digest.ts'
import { type CellResult, type CellTimes, parseResult, type TimedResult } from './cell-result.ts'
import { TimesFile, timesPath } from './times-file.ts'
import { ResultsFileError } from '../errors/errors.ts'
import type { Files } from '../files/files.ts'
import { withPath } from '../files/with-path.ts'
import { type Line, LinesInTurn, linesInOrder, piecesOf } from './line-order.ts'

/** Settings of a file of results. */
export interface ResultsFileOptions {
  /** True to remove the results in the file. */
  readonly anew: boolean
  /**
   * Cells of the experiment. `finish` puts their results into this order; a pipe gets the results in this order from
   * the start. Undefined: results stay in the order of completion.
   */
  readonly cells?: ReadonlyArray<RunSpec>
}

/**
 * File with a result per line. Each line is appended at the end of its cell, so that a kill loses no finished cell. A
 * kill leaves at most a torn last line. The next process cuts the torn line off and runs its cell again. `Files` writes
 * only complete files; this class therefore appends lines itself, like event logs.
 */
export class ResultsFile {
  readonly path: string
  /** Number of bytes cut off from the end. */
  readonly tornBytes: number
  readonly #lock: WriterLock
  readonly #file: number
  readonly #results: Map<string, TimedResult>
  readonly #lines: Array<Line>
  readonly #times: TimesFile
  readonly #order: ReadonlyArray<string> | undefined
  /** Lines for a pipe, because a pipe cannot be put into order afterwards; undefined for a regular file. */
  readonly #inTurn: LinesInTurn | undefined
  #isOpen = true

  /**
   * Opens or creates the file.
   *
   * @throws ResultsFileError for an invalid line, and for a last line that is not the beginning of a result
   * @throws LogFileError if another process writes the file
   */
  constructor(path: string, options: ResultsFileOptions) {
    this.path = path
    this.#order = options.cells?.map(specKey)
    this.#lock = lockForWriting(path)
    try {
      const isFile = isRegular(path)
      const { results, lines, file, tornBytes } = openResults(path, options.anew)
      // A pipe or a device has no neighbouring files.
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

  /** Returns the latest result of a cell, by the cell's key. */
  get(key: string): TimedResult | undefined {
    return this.#results.get(key)
  }

  /** Appends a result and its times. @throws the error of the operating system, with the path */
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

  /** Notes a cell without a result. @throws the error of the operating system, with the path */
  skip(cell: RunSpec): void {
    this.#inTurn?.settle(specKey(cell), '')
  }

  /**
   * Puts results and times into the order of the cells, and closes the file. Older results of a cell, and results of
   * other cells, come first. A file in the right order is not written.
   *
   * @throws the error of the operating system, with the path
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

  /** Closes the file. Further results cannot be added. @throws the error of the operating system, with the path */
  close(): void {
    this.#closeAfter(() => {})
  }

  /** Runs the last step under the lock of the file. */
  #closeAfter(last: () => void): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    try {
      withPath(this.path, () => closeSync(this.#file))
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

/** Opens a file to append results, and reads the results in the file. */
function openResults(path: string, anew: boolean) {
  const text = anew || !existsSync(path) ? '' : withPath(path, () => readFileSync(path, 'utf8'))
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  assertTorn(path, text.slice(whole.length))
  const tornBytes = Buffer.byteLength(text) - Buffer.byteLength(whole)
  const { results, lines } = readResults(path, whole)
  const file = openSync(path, anew ? 'w' : 'a')
  if (tornBytes > 0) orClose(file, () => withPath(path, () => ftruncateSync(file, Buffer.byteLength(whole))))
  return { results, lines, file, tornBytes }
}

/** Runs a step after opening a file, and closes the file if the step fails. */
function orClose<A>(file: number, act: () => A): A {
  try {
    return act()
  } catch (error) {
    closeSync(file)
    throw error
  }
}

const lineStart = '{"cell":'

/**
 * Checks the text of a torn last line. Only text from this class may be cut off.
 *
 * @throws ResultsFileError for a text from elsewhere
 */
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
