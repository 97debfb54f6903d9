import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { withPath } from '@cloister/run/node'
import type { CellResult, CellTimes } from '../sweep/cell-result.ts'
import { digestOf } from '../sweep/cell-digest.ts'
import { timesLine } from '../sweep/times-file.ts'
import type { Failure } from './results-read.ts'
import type { FolderKind, SweepFolder } from './sweep-folder.ts'

/** Files of one worker in the folder of a sweep. Each file is created with its first line. */
export class WorkerFiles {
  readonly #folder: SweepFolder
  readonly #name: string
  readonly #open = new Map<FolderKind, number>()

  constructor(folder: SweepFolder, name: string) {
    this.#folder = folder
    this.#name = name
  }

  /**
   * Adds the result of a cell, and flushes the result to the disk. From then on, all workers count the cell as done.
   * @throws the error of the operating system
   */
  add(result: CellResult, times: CellTimes): void {
    this.#append('times', timesLine(digestOf(result), times))
    this.#append('results', `${JSON.stringify(result)}\n`, true)
  }

  addFailure(failure: Failure): void {
    this.#append('failures', `${JSON.stringify(failure)}\n`, true)
  }

  addCheck(check: object): void {
    this.#append('checks', `${JSON.stringify(check)}\n`, true)
  }

  close(): void {
    for (const file of this.#open.values()) closeSync(file)
    this.#open.clear()
  }

  #append(kind: FolderKind, line: string, sync = false): void {
    const path = this.#folder.file(kind, `${this.#name}.ndjson`)
    withPath(path, () => {
      const file = this.#open.get(kind) ?? openSync(path, 'ax')
      this.#open.set(kind, file)
      const bytes = Buffer.from(line)
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
      if (sync) fsyncSync(file)
    })
  }
}
