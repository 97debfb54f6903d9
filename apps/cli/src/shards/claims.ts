import { linkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { withPath } from '../files/with-path.ts'
import { isGone, seenWorker } from './heartbeat.ts'
import type { SweepFolder } from './sweep-folder.ts'

/** Most attempts at a cell without an answer. After this number of ended workers, the cell itself may be the cause. */
export const MOST_ATTEMPTS = 5

/** Last attempt at a cell, and the worker of the attempt. */
export interface Claim {
  /** Number of the attempt, from 1. */
  readonly attempt: number
  readonly worker: string
}

/**
 * Assignment of cells to workers. A claim is a file `CELL.ATTEMPT` with the name of a worker. No worker changes or
 * removes the file. If several workers create the link at once, exactly one worker succeeds, also on network file
 * systems. A claim holds while the worker gives signs of life. After the worker's end, another worker claims the
 * next attempt. If a worker only seems to have ended, two workers run the cell with equal results.
 */
export class Claims {
  readonly #folder: SweepFolder
  readonly #worker: string
  readonly #leaseSeconds: number
  /** Last known attempt at each cell, by digest. */
  readonly #attempts = new Map<string, number>()

  constructor(folder: SweepFolder, worker: string, leaseSeconds: number) {
    this.#folder = folder
    this.#worker = worker
    this.#leaseSeconds = leaseSeconds
  }

  /** Reads new claims of all workers. */
  refresh(): void {
    for (const name of this.#folder.names('claims')) {
      const [cell, attempt] = name.split('.')
      this.#attempts.set(cell, Math.max(this.#attempts.get(cell) ?? 0, Number(attempt)))
    }
  }

  /** Returns the number of attempts at a cell; 0 for an unclaimed cell. */
  attemptsAt(cell: string): number {
    return this.#attempts.get(cell) ?? 0
  }

  /** Returns the last claim of a cell; undefined for an unclaimed cell. */
  of(cell: string): Claim | undefined {
    const attempt = this.attemptsAt(cell)
    if (attempt === 0) return undefined
    return { attempt, worker: this.#folder.text('claims', `${cell}.${attempt}`) ?? '' }
  }

  /** Returns true if the worker of a cell's last claim has ended. The first sign of life may take a lease's time. */
  isAbandoned(cell: string, { attempt, worker }: Claim, now: number): boolean {
    const seen = seenWorker(this.#folder, worker)
    if (seen !== undefined) return isGone(seen, now, this.#leaseSeconds)
    const claimed = statSync(this.#folder.file('claims', `${cell}.${attempt}`), { throwIfNoEntry: false })
    return claimed !== undefined && now - claimed.mtimeMs > this.#leaseSeconds * 1000
  }

  /**
   * Claims an attempt at a cell. Returns false if another worker was faster.
   *
   * @throws the error of the operating system, with the path
   */
  claim(cell: string, attempt: number): boolean {
    const path = this.#folder.file('claims', `${cell}.${attempt}`)
    const own = this.#folder.file('claims', `.${this.#worker}.${cell}`)
    const isMine = withPath(path, () => {
      writeFileSync(own, this.#worker)
      try {
        linkSync(own, path)
        return true
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === 'EPERM' || code === 'ENOTSUP') return isCreated(path, this.#worker)
        if (code !== 'EEXIST') throw error
        // The response to a successful link may get lost. The number of links then shows the success.
        return statSync(own).nlink === 2
      } finally {
        rmSync(own, { force: true })
      }
    })
    this.#attempts.set(cell, Math.max(this.attemptsAt(cell), attempt))
    return isMine
  }
}

/** Creates a file exclusively, for file systems without links. */
function isCreated(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
