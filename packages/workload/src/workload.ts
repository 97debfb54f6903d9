import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Job } from './job.ts'
import { columnOf, type Jobs } from './jobs.ts'

/** Jobs in submit order, with their origin. Jobs with equal submit times are in the order of the source file. */
export interface Workload<List extends Jobs = Jobs> {
  readonly name: string
  /** SHA-256 (hex) of the source file as downloaded, before decompression; absent for generated workloads. */
  readonly sourceSha256?: string
  /** Canonical spelling of the applied filter; empty if no filter was applied. */
  readonly filter: string
  readonly jobs: List
  /** SHA-256 (hex) of the canonical job list, as `jobListSha256` returns. */
  readonly sha256: string
  /** Unix seconds of time 0 of the submit times; absent if unknown. */
  readonly epoch?: number
}

/**
 * Returns the SHA-256 (hex) of the canonical list of jobs. For a run on a trace, the list has the jobs that the filter
 * and the option `resample` left, with the arrival times of the option `arrivals`, before the options for scenario,
 * bandwidth, communication and overruns change jobs. The list has one line for each job, in the order of the jobs. Each
 * line ends in LF; one space separates values:
 *
 *     id submit size runTime walltime [bandwidth=MB/s] [communication=share:pattern]
 *
 * Times are integer milliseconds, an unknown walltime is `-`, id and pattern are percent-encoded as by
 * `encodeURIComponent`. Labels (users, accounts, queues, names of jobs) are not part of the list.
 */
export function jobListSha256(jobs: Iterable<Job>): string {
  const list = new JobList()
  for (const job of jobs) list.add(job)
  return list.sha256()
}

class JobList {
  readonly #hash = sha256.create()
  readonly #utf8 = new TextEncoder()
  #text = ''

  add({ id, submit, size, runTime, walltime, bandwidth, communication }: Job): void {
    this.#text += `${isPlain(id) ? id : encodeURIComponent(id)} ${submit} ${size} ${runTime} ${walltime ?? '-'}`
    if (bandwidth !== undefined) this.#text += ` bandwidth=${bandwidth}`
    if (communication !== undefined)
      this.#text += ` communication=${communication.share}:${encodeURIComponent(communication.pattern)}`
    this.#text += '\n'
    if (this.#text.length > 65_536) this.#flush()
  }

  sha256(): string {
    this.#flush()
    return bytesToHex(this.#hash.digest())
  }

  #flush(): void {
    this.#hash.update(this.#utf8.encode(this.#text))
    this.#text = ''
  }
}

/**
 * Makes a workload from jobs in submit order, and computes the SHA-256 of the job list.
 *
 * @throws WorkloadError for jobs out of order, repeated ids, sizes that are not whole numbers of at least 1 and times
 *   that are not integer milliseconds of at least 0
 */
export function makeWorkload<List extends Jobs>(jobs: List, origin: Omit<Workload, 'jobs' | 'sha256'>): Workload<List> {
  const list = new JobList()
  let [lastSubmit, lastNumber, ascend] = [0, -1, true]
  for (const job of jobs) {
    const fault = jobFault(job, lastSubmit)
    if (fault !== undefined)
      throw new WorkloadError({ workload: origin.name, job: job.id, ...fault, found: String(job[fault.field]) })
    lastSubmit = job.submit
    const number = isPlain(job.id) ? Number(job.id) : -1
    if (number <= lastNumber) ascend = false
    lastNumber = number
    list.add(job)
  }
  if (!ascend && !haveDifferentNumbers(jobs)) checkIds(jobs, origin.name)
  return { ...origin, jobs, sha256: list.sha256() }
}

/** Returns true only for different numbers as ids, as in most logs: a set of millions of texts takes much memory. */
function haveDifferentNumbers(jobs: Jobs): boolean {
  const numbers = columnOf(jobs, ({ id }) => (isPlain(id) ? Number(id) : -1))
  numbers.sort()
  return numbers.every((number, at) => number > (at === 0 ? -1 : numbers[at - 1]))
}

function checkIds(jobs: Jobs, workload: string): void {
  const ids = new Set<string>()
  for (const { id } of jobs) {
    if (ids.has(id)) throw new WorkloadError({ workload, job: id, field: 'id', found: id, expected: 'every id once' })
    ids.add(id)
  }
}

/** Returns true for an id of digits. Most ids are digits and need no percent-encoding, which takes time. */
function isPlain(id: string): boolean {
  for (let at = 0; at < id.length; at++) if (id.charCodeAt(at) < 48 || id.charCodeAt(at) > 57) return false
  return true
}

interface JobFault {
  readonly field: 'submit' | 'size' | 'runTime' | 'walltime'
  readonly expected: string
}

function jobFault(job: Job, lastSubmit: number): JobFault | undefined {
  const expected = 'integer milliseconds of at least 0'
  if (!isCount(job.submit)) return { field: 'submit', expected }
  if (!isCount(job.runTime)) return { field: 'runTime', expected }
  if (job.walltime !== undefined && !isCount(job.walltime)) return { field: 'walltime', expected }
  if (!isCount(job.size) || job.size === 0) return { field: 'size', expected: 'a whole number of nodes of at least 1' }
  if (job.submit < lastSubmit)
    return { field: 'submit', expected: `jobs in submit order, so a submit time of at least ${lastSubmit}` }
  return undefined
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

/** Error for a job that no workload may have, with the field of the job, the value found and the values allowed. */
export class WorkloadError extends Error {
  readonly _tag = 'WorkloadError'
  readonly workload: string
  /** Id of the wrong job. */
  readonly job: string
  readonly field: string
  readonly found: string
  readonly expected: string

  constructor(at: Pick<WorkloadError, 'workload' | 'job' | 'field' | 'found' | 'expected'>) {
    const { workload, job, field, found, expected } = at
    super(`${workload}, field ${field}: found ${found} (job ${job}), expected ${expected}`)
    this.name = 'WorkloadError'
    this.workload = workload
    this.job = job
    this.field = field
    this.found = found
    this.expected = expected
  }
}
