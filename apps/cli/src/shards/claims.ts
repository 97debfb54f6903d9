import { linkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { withPath } from '../files/with-path.ts'
import { isGone, seenWorker } from './heartbeat.ts'
import type { SweepFolder } from './sweep-folder.ts'

/** Attempts at a cell whose workers have all ended without a word of it: the cell itself may be what ends them. */
export const MOST_ATTEMPTS = 5

/** The last attempt at a cell, and who made it. */
export interface Claim {
  /** From 1. */
  readonly attempt: number
  readonly worker: string
}

/**
 * Who runs which cell. A claim is a file `CELL.ATTEMPT` that holds the name of a worker and is never changed nor removed:
 * a link puts it there for one of those who try at the same time, also on file systems over a network. It holds as long as
 * its worker gives signs; who finds it gone claims the next attempt. Should a worker only have seemed gone, two run the
 * cell and come to the same.
 */
export class Claims {
  readonly #folder: SweepFolder
  readonly #worker: string
  readonly #leaseSeconds: number
  /** The last attempt at each cell that is known of. */
  readonly #attempts = new Map<string, number>()

  constructor(folder: SweepFolder, worker: string, leaseSeconds: number) {
    this.#folder = folder
    this.#worker = worker
    this.#leaseSeconds = leaseSeconds
  }

  /** Looks what others have claimed since. */
  refresh(): void {
    for (const name of this.#folder.names('claims')) {
      const [cell, attempt] = name.split('.')
      this.#attempts.set(cell, Math.max(this.#attempts.get(cell) ?? 0, Number(attempt)))
    }
  }

  /** 0 for a cell that nobody has claimed. */
  attemptsAt(cell: string): number {
    return this.#attempts.get(cell) ?? 0
  }

  /** The last claim of a cell; undefined where there is none. */
  of(cell: string): Claim | undefined {
    const attempt = this.attemptsAt(cell)
    if (attempt === 0) return undefined
    return { attempt, worker: this.#folder.text('claims', `${cell}.${attempt}`) ?? '' }
  }

  /** Whether the worker of a cell's last claim runs no more; also who has not given a sign yet is given the time of a lease. */
  isAbandoned(cell: string, { attempt, worker }: Claim, now: number): boolean {
    const seen = seenWorker(this.#folder, worker)
    if (seen !== undefined) return isGone(seen, now, this.#leaseSeconds)
    const claimed = statSync(this.#folder.file('claims', `${cell}.${attempt}`), { throwIfNoEntry: false })
    return claimed !== undefined && now - claimed.mtimeMs > this.#leaseSeconds * 1000
  }

  /** Claims an attempt at a cell; false where another was faster. @throws what the operating system says, with the path */
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
        // The answer to a link that was made may be lost on its way; the link is there all the same.
        return statSync(own).nlink === 2
      } finally {
        rmSync(own, { force: true })
      }
    })
    this.#attempts.set(cell, Math.max(this.attemptsAt(cell), attempt))
    return isMine
  }
}

/** On a file system without links. */
function isCreated(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
