import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { WorkloadError } from './workload-error.ts'
import type { Job, Workload } from './workload.ts'

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
  const hash = sha256.create()
  const utf8 = new TextEncoder()
  let text = ''
  for (const job of jobs) {
    text += `${isPlain(job.id) ? job.id : encodeURIComponent(job.id)} ${job.submit} ${job.size} ${job.runTime} ${job.walltime ?? '-'}`
    if (job.bandwidth !== undefined) text += ` bandwidth=${job.bandwidth}`
    if (job.communication !== undefined)
      text += ` communication=${job.communication.share}:${encodeURIComponent(job.communication.pattern)}`
    text += '\n'
    if (text.length > 65_536) {
      hash.update(utf8.encode(text))
      text = ''
    }
  }
  return bytesToHex(hash.update(utf8.encode(text)).digest())
}

/**
 * Makes a workload from jobs in submit order, and computes the SHA-256 of the job list.
 *
 * @throws WorkloadError for jobs out of order, repeated ids, sizes that are not whole numbers of at least 1 and times
 *   that are not integer milliseconds of at least 0
 */
export function makeWorkload(jobs: ReadonlyArray<Job>, origin: Omit<Workload, 'jobs' | 'sha256'>): Workload {
  // Most logs have strictly ascending ids, which are all different and need no set of up to a million texts.
  const ids = haveAscendingNumbers(jobs) ? undefined : new Set<string>()
  let lastSubmit = 0
  for (const job of jobs) {
    const fault =
      jobFault(job, lastSubmit) ??
      (ids?.has(job.id) === true ? { field: 'id', found: job.id, expected: 'every id once' } : undefined)
    if (fault !== undefined)
      throw new WorkloadError({
        workload: origin.name,
        job: job.id,
        field: fault.field,
        found: String(fault.found),
        expected: fault.expected,
      })
    ids?.add(job.id)
    lastSubmit = job.submit
  }
  return { ...origin, jobs, sha256: jobListSha256(jobs) }
}

function haveAscendingNumbers(jobs: ReadonlyArray<Job>): boolean {
  let last = -1
  for (const { id } of jobs) {
    const number = isPlain(id) ? Number(id) : -1
    if (number <= last) return false
    last = number
  }
  return true
}

/** Returns true for an id of digits. Most ids are digits and need no percent-encoding, which takes time. */
function isPlain(id: string): boolean {
  for (let at = 0; at < id.length; at++) if (id.charCodeAt(at) < 48 || id.charCodeAt(at) > 57) return false
  return true
}

function jobFault(
  job: Job,
  lastSubmit: number,
): { readonly field: keyof Job; readonly found: number | string; readonly expected: string } | undefined {
  const time = 'integer milliseconds of at least 0'
  if (!isCount(job.submit)) return { field: 'submit', found: job.submit, expected: time }
  if (!isCount(job.runTime)) return { field: 'runTime', found: job.runTime, expected: time }
  if (job.walltime !== undefined && !isCount(job.walltime))
    return { field: 'walltime', found: job.walltime, expected: time }
  if (!isCount(job.size) || job.size === 0)
    return { field: 'size', found: job.size, expected: 'a whole number of nodes of at least 1' }
  if (job.submit < lastSubmit)
    return {
      field: 'submit',
      found: job.submit,
      expected: `jobs in submit order, so a submit time of at least ${lastSubmit}`,
    }
  return undefined
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}
