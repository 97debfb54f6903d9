import { linkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { withPath } from '@cloister/run/node'
import { isGone, seenWorker } from './heartbeat.ts'
import type { SweepFolder } from './sweep-folder.ts'

/** Largest number of workers that may end at a cell without an answer, because the cell may have ended the workers. */
export const MOST_ATTEMPTS = 5

/** Latest claim of a cell: number of the attempt (from 1), and name of the worker. */
export interface Claim {
  readonly attempt: number
  readonly worker: string
}

/**
 * Assignment of the cells of a sweep to the workers of the sweep. A claim is a file `CELL.ATTEMPT` with the name of a
 * worker; no worker changes or removes a claim. If several workers claim an attempt at the same time by creating a hard
 * link, exactly one worker succeeds, also on network file systems. A claim holds while its worker writes heartbeats;
 * afterwards another worker claims the next attempt. If a worker stops writing heartbeats but still runs, a second
 * worker also runs the cell (one run of the experiment); both results are equal.
 */
export class Claims {
  readonly #folder: SweepFolder
  readonly #worker: string
  readonly #leaseSeconds: number
  /** Number of the latest known attempt at each cell, by the digest of the cell. */
  readonly #attempts = new Map<string, number>()

  constructor(folder: SweepFolder, worker: string, leaseSeconds: number) {
    this.#folder = folder
    this.#worker = worker
    this.#leaseSeconds = leaseSeconds
  }

  /** Reads the claims of all workers from the folder of the sweep. */
  refresh(): void {
    for (const name of this.#folder.names('claims')) {
      const [cell, attempt] = name.split('.')
      this.#attempts.set(cell, Math.max(this.#attempts.get(cell) ?? 0, Number(attempt)))
    }
  }

  /** Returns the number of known attempts at a cell, or 0 for a cell without a claim. */
  attemptsAt(cell: string): number {
    return this.#attempts.get(cell) ?? 0
  }

  /** Returns the latest claim of a cell, or undefined for a cell without a claim. */
  of(cell: string): Claim | undefined {
    const attempt = this.attemptsAt(cell)
    if (attempt === 0) return undefined
    return { attempt, worker: this.#folder.text('claims', `${cell}.${attempt}`) ?? '' }
  }

  /**
   * Returns true if the worker of a claim has ended, or wrote no heartbeat for the lease time. Before the first
   * heartbeat, the lease time counts from the claim.
   */
  isAbandoned(cell: string, { attempt, worker }: Claim, now: number): boolean {
    const seen = seenWorker(this.#folder, worker)
    if (seen !== undefined) return isGone(seen, now, this.#leaseSeconds)
    const claimed = statSync(this.#folder.file('claims', `${cell}.${attempt}`), { throwIfNoEntry: false })
    return claimed !== undefined && now - claimed.mtimeMs > this.#leaseSeconds * 1000
  }

  /**
   * Claims an attempt at a cell for this worker. Returns false if another worker has claimed the attempt.
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
        // A network file system may lose the response to a successful link. The file `own` then has two links.
        return statSync(own).nlink === 2
      } finally {
        rmSync(own, { force: true })
      }
    })
    this.#attempts.set(cell, Math.max(this.attemptsAt(cell), attempt))
    return isMine
  }
}

/** Creates a file unless the file exists. `claim` calls this function on file systems without hard links. */
function isCreated(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
