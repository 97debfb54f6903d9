/** Error for a job that no workload may have, with the field of the job, the value found and the values allowed. */
export class WorkloadError extends Error {
  readonly _tag = 'WorkloadError'
  readonly workload: string
  /** Id of the wrong job. */
  readonly job: string
  readonly field: string
  readonly found: string
  readonly expected: string

  constructor(at: {
    readonly workload: string
    readonly job: string
    readonly field: string
    readonly found: string
    readonly expected: string
  }) {
    super(`${at.workload}, field ${at.field}: found ${at.found} (job ${at.job}), expected ${at.expected}`)
    this.name = 'WorkloadError'
    this.workload = at.workload
    this.job = at.job
    this.field = at.field
    this.found = at.found
    this.expected = at.expected
  }
}
