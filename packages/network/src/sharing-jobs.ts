import type { FlowPath } from './flow-paths.ts'

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

/**
 * Load of a job that communicates alone: the share of each link's capacity that the job uses, 1 on the job's busiest
 * link. Links without load are omitted.
 */
export interface JobLoads {
  readonly links: Int32Array
  /** Share of each link, above 0 and at most 1, in the order of `links`, which ascends. */
  readonly shares: Float64Array
}

/** Calls `send` with the sender, the receiver and the size of each message of a job. */
export type Sending = (send: (from: number, to: number, size: number) => void) => void

/**
 * Returns the load per capacity of a job on each link, divided by the load per capacity of the job's busiest link.
 *
 * @param sends all messages of the job's pattern in any order, because loads are averages over time
 * @param sums memory that several calls can use in turn: a number for each link, 0 before and after each call
 */
export function jobLoads(
  path: FlowPath,
  capacity: Float64Array,
  sends: Sending,
  sums: Float64Array = new Float64Array(capacity.length),
): JobLoads {
  const used: Array<number> = []
  let size = 0
  const add = (link: number): void => {
    if (sums[link] === 0) used.push(link)
    sums[link] += size
  }
  try {
    sends((from, to, each) => {
      if (each === 0) return
      size = each
      path(from, to, add)
    })
    const links = Int32Array.from(used).sort()
    const times = Float64Array.from(links, (link) => sums[link] / capacity[link])
    const longest = times.reduce((most, time) => Math.max(most, time), 0)
    return { links, shares: times.map((time) => time / longest) }
  } finally {
    // After an error of a path, the caller may use `sums` again for the next job.
    for (const link of used) sums[link] = 0
  }
}

/**
 * Users of each link in order of arrival. `add` and `remove` take constant time for any number of users, and allocate
 * no memory after the largest number of simultaneous uses has been reached. A use is the presence of one user on one
 * link, and has a number.
 */
class LinkUsers<User> {
  /** First and last use of each link; -1 if the link has no use. */
  readonly #first: Int32Array
  readonly #last: Int32Array
  // `#users`, `#places`, `#next` and `#previous` have an entry for each use. `#next` chains the numbers of removed
  // uses, beginning with `#unused`.
  readonly #users: Array<User | undefined> = []
  readonly #places: Array<number> = []
  readonly #next: Array<number> = []
  readonly #previous: Array<number> = []
  #unused = -1

  constructor(links: number) {
    this.#first = new Int32Array(links).fill(-1)
    this.#last = new Int32Array(links).fill(-1)
  }

  /** Adds a use and returns its number. @param place index of the link in the user's own list of links */
  add(link: number, user: User, place: number): number {
    const use = this.#unused < 0 ? this.#users.length : this.#unused
    if (this.#unused >= 0) this.#unused = this.#next[use]
    this.#users[use] = user
    this.#places[use] = place
    this.#next[use] = -1
    const last = this.#last[link]
    this.#previous[use] = last
    if (last < 0) this.#first[link] = use
    else this.#next[last] = use
    this.#last[link] = use
    return use
  }

  remove(link: number, use: number): void {
    const [previous, next] = [this.#previous[use], this.#next[use]]
    if (previous < 0) this.#first[link] = next
    else this.#next[previous] = next
    if (next < 0) this.#last[link] = previous
    else this.#previous[next] = previous
    this.#users[use] = undefined
    this.#next[use] = this.#unused
    this.#unused = use
  }

  /** Returns the first use of a link; -1 if the link has no use. */
  firstOn(link: number): number {
    return this.#first[link]
  }
  /** Returns the next use of the same link in order of arrival; -1 for the last use. */
  after(use: number): number {
    return this.#next[use]
  }
  userOf(use: number): User {
    return this.#users[use]!
  }
  placeOf(use: number): number {
    return this.#places[use]
  }
}
