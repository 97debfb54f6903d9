import type { LogRecord } from '@cloister/eventlog'
import type { RateChange } from './explanation.ts'

export class RateChanges {
  readonly #job: string
  readonly #changes: Array<RateChange> = []
  #mayChange = false
  /** Last start or release. The progress records with this cause follow at once. */
  #last: RateChange['because'] = null

  constructor(job: string) {
    this.#job = job
  }

  see(record: LogRecord): void {
    if (record.type === 'header') this.#mayChange = record.requires?.includes('progress') === true
    else if (record.type === 'allocate') this.#last = { seq: record.seq, change: 'start', job: record.job }
    else if (record.type === 'release') this.#last = { seq: record.seq, change: 'end', job: record.job }
    else if (record.type === 'progress' && record.job === this.#job) {
      const { seq, t, rate, cause } = record
      this.#changes.push({ seq, t, rate, because: cause === this.#last?.seq ? this.#last : null })
    }
  }

  /** Changes of the job's rate; undefined if the log has no rates. */
  get all(): ReadonlyArray<RateChange> | undefined {
    return this.#mayChange ? this.#changes : undefined
  }
}
