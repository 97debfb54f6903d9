import type { Job } from './job.ts'

/**
 * Jobs of a workload by their numbers, from 0, in submit order. An array of jobs has this type. `LazyJobs` needs less
 * memory, so a program can hold ten million jobs.
 */
export interface Jobs extends Iterable<Job> {
  readonly length: number
  /** Returns the job with a number; undefined if the number is not below `length`. */
  at(number: number): Job | undefined
}

/** Most jobs in an array: reading an array takes less time. */
const MOST_IN_ARRAY: number = 2 ** 20

/** Returns an array of jobs, or `LazyJobs` for more than 2^20 jobs. @param make returns the job with a number */
export function jobsOf(length: number, make: (number: number) => Job): Jobs {
  if (length > MOST_IN_ARRAY) return new LazyJobs(length, make)
  const jobs = new Array<Job>(length)
  for (let number = 0; number < length; number++) jobs[number] = make(number)
  return jobs
}

/** Number of jobs that `LazyJobs` keeps, a power of two: more than the running jobs and the window of most runs. */
const KEPT = 1024

/** Jobs that a function makes when they are asked for, for example from columns. The last jobs are kept. */
export class LazyJobs implements Jobs {
  readonly length: number
  readonly #make: (number: number) => Job
  /** Number of the job in each place of `#kept`. */
  readonly #numbers = new Int32Array(KEPT).fill(-1)
  readonly #kept = new Array<Job>(KEPT)

  /** @param make returns the job with a number, always with the same values */
  constructor(length: number, make: (number: number) => Job) {
    this.length = length
    this.#make = make
  }

  at(number: number): Job | undefined {
    const place = number & (KEPT - 1)
    if (this.#numbers[place] === number) return this.#kept[place]
    if (number < 0 || number >= this.length) return undefined
    const job = this.#make(number)
    this.#numbers[place] = number
    this.#kept[place] = job
    return job
  }

  *[Symbol.iterator](): Generator<Job, void, void> {
    for (let number = 0; number < this.length; number++) yield this.#make(number)
  }
}

/** Returns changed jobs. `change` of a job SHALL depend only on the job, because `LazyJobs` are changed when asked for. */
export function mapJobs<List extends Jobs>(jobs: List, change: (job: Job) => Job): List {
  const changed: Jobs = Array.isArray(jobs)
    ? jobs.map((job) => change(job))
    : new LazyJobs(jobs.length, (number) => change(jobs.at(number)!))
  return changed as List
}

/** Returns a number of each job. */
export function columnOf(jobs: Jobs, numberOf: (job: Job) => number): Float64Array {
  const column = new Float64Array(jobs.length)
  let number = 0
  for (const job of jobs) column[number++] = numberOf(job)
  return column
}
