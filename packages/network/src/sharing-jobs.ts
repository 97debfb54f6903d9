import type { JobLoads } from './job-loads.ts'
import { LinkUsers } from './link-users.ts'

/** Speed of a job's communication, divided by its speed without other jobs: above 0, at most 1. */
export interface JobSpeed {
  readonly job: number
  readonly speed: number
}

interface Sharing extends JobLoads {
  readonly job: number
  /** Position of the job in the order of `add`. Computations take jobs in this order. */
  readonly order: number
  /** Use of each of the job's links, as `LinkUsers` numbers uses. */
  readonly uses: Int32Array
  /** Indices in `links`, in any order, of the job's short links, which cannot carry all their jobs at full speed. */
  readonly short: Array<number>
  speed: number
  before: number
  /** Number of the last computation of speeds with this job, and of the last computation that set its speed below 1. */
  tied: number
  found: number
}

/**
 * Jobs that share links, with one speed for each job. The speeds are weighted max-min fair: a job at speed `x` uses `x`
 * times its share of each link, and no job can be faster unless an equally slow or slower job gets slower. When a job
 * starts or ends, speeds are computed again only for jobs that short links connect with this job. The speeds equal
 * those of a computation for all jobs.
 */
export class SharingJobs {
  readonly #jobs = new Map<number, Sharing>()
  readonly #users: LinkUsers<Sharing>
  /** Sum of the shares of each link's jobs at full speed, added in the order of the jobs. */
  readonly #wanted: Float64Array
  // State of one computation of speeds. By link: the last computation that saw the link (`#seen`), and its place among
  // the short links (`#place`). By place: free share (`#rest`), growth of the load with the common speed (`#growth`),
  // and number of growing jobs (`#growing`).
  readonly #seen: Int32Array
  readonly #place: Int32Array
  readonly #rest: Float64Array
  readonly #growth: Float64Array
  readonly #growing: Int32Array
  #sharings = 0
  #added = 0

  constructor(links: number) {
    this.#users = new LinkUsers(links)
    this.#wanted = new Float64Array(links)
    this.#seen = new Int32Array(links)
    this.#place = new Int32Array(links)
    this.#rest = new Float64Array(links)
    this.#growth = new Float64Array(links)
    this.#growing = new Int32Array(links)
  }

  /**
   * Adds a job, whose speed counts as 1 before. @returns the speeds that changed, in the order in which jobs were added
   */
  add(job: number, { links, shares }: JobLoads): ReadonlyArray<JobSpeed> {
    const uses = new Int32Array(links.length)
    const order = this.#added++
    const added: Sharing = { job, links, shares, order, uses, short: [], speed: 1, before: 1, tied: 0, found: 0 }
    this.#jobs.set(job, added)
    for (let at = 0; at < links.length; at++) {
      const link = links[at]
      uses[at] = this.#users.add(link, added, at)
      const wasShort = this.#wanted[link] > 1
      this.#wanted[link] += shares[at]
      if (wasShort) added.short.push(at)
      else if (this.#wanted[link] > 1) this.#forEachUse(link, (user, place) => user.short.push(place))
    }
    return this.#shareAmong([added])
  }

  /** Removes a job. @returns the speeds of other jobs that changed, in the order in which jobs were added */
  remove(job: number): ReadonlyArray<JobSpeed> {
    const removed = this.#jobs.get(job)!
    this.#jobs.delete(job)
    const tied = new Set<Sharing>()
    for (let at = 0; at < removed.links.length; at++) {
      const link = removed.links[at]
      this.#users.remove(link, removed.uses[at])
      const wasShort = this.#wanted[link] > 1
      this.#wanted[link] = this.#wantedAnew(link)
      if (!wasShort) continue
      const isShort = this.#wanted[link] > 1
      this.#forEachUse(link, (user, place) => {
        tied.add(user)
        if (!isShort) user.short.splice(user.short.indexOf(place), 1)
      })
    }
    return this.#shareAmong([...tied])
  }

  /**
   * Adds a link's shares again from zero, because repeated additions and subtractions would accumulate rounding errors.
   */
  #wantedAnew(link: number): number {
    let wanted = 0
    for (let use = this.#users.firstOn(link); use >= 0; use = this.#users.after(use))
      wanted += this.#users.userOf(use).shares[this.#users.placeOf(use)]
    return wanted
  }

  #forEachUse(link: number, visit: (user: Sharing, place: number) => void): void {
    for (let use = this.#users.firstOn(link); use >= 0; use = this.#users.after(use))
      visit(this.#users.userOf(use), this.#users.placeOf(use))
  }

  #shareAmong(first: ReadonlyArray<Sharing>): ReadonlyArray<JobSpeed> {
    if (first.length === 0) return []
    this.#sharings++
    const { jobs, short } = this.#tiedTo(first)
    this.#fill(jobs.length, short)
    return jobs.flatMap((each) => {
      if (each.found !== this.#sharings) each.speed = 1
      return each.speed === each.before ? [] : [{ job: each.job, speed: each.speed }]
    })
  }

  /**
   * Returns the jobs that short links connect with `first`, directly or through other jobs, in the order of `add`, and
   * these links, ascending.
   */
  #tiedTo(first: ReadonlyArray<Sharing>): { readonly jobs: ReadonlyArray<Sharing>; readonly short: Int32Array } {
    const jobs: Array<Sharing> = []
    const short: Array<number> = []
    const users = this.#users
    const tie = (job: Sharing): void => {
      if (job.tied === this.#sharings) return
      job.tied = this.#sharings
      job.before = job.speed
      jobs.push(job)
    }
    first.forEach(tie)
    for (const job of jobs) {
      for (const at of job.short) {
        const link = job.links[at]
        if (this.#seen[link] === this.#sharings) continue
        this.#seen[link] = this.#sharings
        short.push(link)
        for (let use = users.firstOn(link); use >= 0; use = users.after(use)) tie(users.userOf(use))
      }
    }
    return { jobs: jobs.sort((a, b) => a.order - b.order), short: Int32Array.from(short).sort() }
  }

  /** Progressive filling: all speeds grow together, at most to 1. If a link is full, its jobs keep their speeds. */
  #fill(jobs: number, short: Int32Array): void {
    for (let at = 0; at < short.length; at++) {
      this.#place[short[at]] = at
      this.#rest[at] = 1
      this.#growth[at] = this.#wanted[short[at]]
      this.#growing[at] = this.#countOn(short[at])
    }
    for (let left = jobs; left > 0;) {
      let fullest = -1
      let level = 1
      for (let at = 0; at < short.length; at++) {
        if (this.#growing[at] === 0) continue
        const reached = Math.max(0, this.#rest[at]) / this.#growth[at]
        if (reached < level) {
          fullest = at
          level = reached
        }
      }
      if (fullest < 0) return
      this.#forEachUse(short[fullest], (job) => {
        if (job.found === this.#sharings) return
        this.#keep(job, level)
        left--
      })
    }
  }

  #countOn(link: number): number {
    let count = 0
    for (let use = this.#users.firstOn(link); use >= 0; use = this.#users.after(use)) count++
    return count
  }

  #keep(job: Sharing, level: number): void {
    job.found = this.#sharings
    job.speed = level
    const { links, shares, short } = job
    for (const at of short) {
      const place = this.#place[links[at]]
      this.#rest[place] -= level * shares[at]
      this.#growth[place] -= shares[at]
      this.#growing[place]--
    }
  }
}
