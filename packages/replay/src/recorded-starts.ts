import { type Allocate, FoldError, type Submit, milliseconds } from '@cloister/eventlog'
import type { StateRecord } from './recorded-passes.ts'

export interface RecordedStart {
  readonly allocate: Allocate
  /** End of the run by the scheduler's estimate, in milliseconds; Infinity without an estimate. */
  readonly estimatedEnd: number
}

export class RecordedStarts {
  readonly running: Map<string, RecordedStart> = new Map()
  /** Jobs that ended since the previous scheduling pass. `end`: seq of the job's finish or kill. */
  readonly released: Array<RecordedStart & { readonly end: number }> = []
  readonly #submits = new Map<string, Submit>()

  submitOf(job: string): Submit {
    return this.#submits.get(job)!
  }

  beginPass(): void {
    this.released.length = 0
  }

  note(record: StateRecord): void {
    switch (record.type) {
      case 'submit':
        this.#submits.set(record.job, record)
        break
      case 'allocate':
        this.running.set(record.job, {
          allocate: record,
          estimatedEnd:
            milliseconds(record.t) + milliseconds(record.estimate ?? this.submitOf(record.job).estimate ?? Infinity),
        })
        break
      case 'release': {
        const start = this.running.get(record.job)
        if (start === undefined) throw new FoldError(record, `job ${record.job} is not running`)
        this.released.push({ ...start, end: record.cause })
        this.running.delete(record.job)
      }
    }
  }
}
