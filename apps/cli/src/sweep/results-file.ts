import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { devNull } from 'node:os'
import { lockForWriting, type WriterLock } from '@cloister/eventlog/node'
import { specKey } from '@cloister/run'
import { type CellResult, type CellTimes, parseResult, type TimedResult } from './cell-result.ts'
import { TimesFile, timesPath } from './times-file.ts'
import { ResultsFileError } from '../errors/errors.ts'
import { withPath } from '../files/with-path.ts'

/**
 * Results of cells, a line each, as they come. A process that is killed leaves at most a torn last line, which the
 * next one cuts off: its cell runs again. `Files` is for what is there whole or not at all; this grows for hours, and what it
 * holds is worth keeping at any time, so that it writes by itself, as event logs do.
 */
export class ResultsFile {
  readonly path: string
  /** What was cut off from the end, in bytes. */
  readonly tornBytes: number
  readonly #lock: WriterLock
  readonly #file: number
  readonly #results: Map<string, TimedResult>
  readonly #times: TimesFile
  #isOpen = true

  /**
   * @throws ResultsFileError for a line that is no result, and for a last one that is not the beginning of one
   * @throws LogFileError where another process writes it
   */
  constructor(path: string, options: { readonly anew: boolean }) {
    this.path = path
    this.#lock = lockForWriting(path)
    try {
      const { results, file, tornBytes } = openResults(path, options.anew)
      // A pipe or a device has nothing beside it.
      this.#times = orClose(file, () => new TimesFile(isRegular(path) ? timesPath(path) : devNull, options))
      for (const [key, result] of results) results.set(key, { ...result, ...this.#times.of(result) })
      this.#results = results
      this.#file = file
      this.tornBytes = tornBytes
    } catch (error) {
      this.#lock.release()
      throw error
    }
  }

  /** The latest result of a cell, by its key. */
  get(key: string): TimedResult | undefined {
    return this.#results.get(key)
  }

  /** @throws what the operating system says, with the path */
  add(result: CellResult, times: CellTimes): void {
    this.#times.add(result, times)
    const line = Buffer.from(`${JSON.stringify(result)}\n`)
    withPath(this.path, () => {
      for (let at = 0; at < line.length;) at += writeSync(this.#file, line, at)
    })
    this.#results.set(specKey(result.cell), { ...result, ...times })
  }

  /** Nothing can be added then. @throws what the operating system says, with the path */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    try {
      withPath(this.path, () => closeSync(this.#file))
      this.#times.close()
    } finally {
      this.#lock.release()
    }
  }
}

function isRegular(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() !== false
}

/** The results that a file holds, and the file, behind the last of them. */
function openResults(path: string, anew: boolean) {
  const text = anew || !existsSync(path) ? '' : withPath(path, () => readFileSync(path, 'utf8'))
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  assertTorn(path, text.slice(whole.length))
  const tornBytes = Buffer.byteLength(text) - Buffer.byteLength(whole)
  const results = readResults(path, whole)
  const file = openSync(path, anew ? 'w' : 'a')
  if (tornBytes > 0) orClose(file, () => withPath(path, () => ftruncateSync(file, Buffer.byteLength(whole))))
  return { results, file, tornBytes }
}

/** Does what comes after a file was opened. */
function orClose<A>(file: number, act: () => A): A {
  try {
    return act()
  } catch (error) {
    closeSync(file)
    throw error
  }
}

const lineStart = '{"cell":'

/** Only what this class may have written itself is cut off. */
function assertTorn(path: string, rest: string): void {
  if (!rest.startsWith(lineStart) && !lineStart.startsWith(rest))
    throw new ResultsFileError({ path, line: undefined, found: rest.slice(0, 40) })
}

function readResults(path: string, whole: string): Map<string, TimedResult> {
  const results = new Map<string, TimedResult>()
  for (const [index, line] of whole.split('\n').slice(0, -1).entries()) {
    const result = parseResult(line)
    if (result === undefined) throw new ResultsFileError({ path, line: index + 1, found: line.slice(0, 40) })
    results.set(specKey(result.cell), { seconds: null, microsecondsPerJob: null, ...result })
  }
  return results
}
