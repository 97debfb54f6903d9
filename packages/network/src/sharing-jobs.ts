import type { JobLoads } from './job-loads.ts'
import { LinkUsers } from './link-users.ts'

/** How fast a job communicates, against how fast it does by itself: above 0, at most 1. */
export interface JobSpeed {
  readonly job: number
  readonly speed: number
}

interface Sharing extends JobLoads {
  readonly job: number
  /** Jobs are gone through in the order in which they were added. */
  readonly order: number
  /** The number of its use of each of its links. */
  readonly uses: Int32Array
  /** Where in `links` those stand that cannot carry all, in no order. */
  readonly short: Array<number>
  speed: number
  before: number
  /** Of the sharing in which it was last tied to others, and in which its speed was last found. */
  tied: number
  found: number
}

/**
 * Jobs that share links, one number for each: weighted max-min, where a job at speed `x` takes `x` times its share of each
 * link. No job can be faster without one that is as slow being slower still. Speeds are found again among those jobs alone
 * that links which cannot carry all tie to a job that comes or goes; they are the same as if all were.
 */
export class SharingJobs {
  readonly #jobs = new Map<number, Sharing>()
  readonly #users: LinkUsers<Sharing>
  /** By link: what its jobs would take by themselves, added up in their order. */
  readonly #wanted: Float64Array
  // In one sharing, by link: whether it was looked at, its place among those that cannot carry all, and of each of these
  // what is left of it, by how much its load grows with the common speed, and how many of its jobs grow.
  readonly #seen: Int32Array
  readonly #place: Int32Array
  readonly #rest: Float64Array
  readonly #growth: Float64Array
  readonly #growing: Int32Array
  #sharings = 0
  #added = 0

  /** @param links how many there are */
  constructor(links: number) {
    this.#users = new LinkUsers(links)
    this.#wanted = new Float64Array(links)
    this.#seen = new Int32Array(links)
    this.#place = new Int32Array(links)
    this.#rest = new Float64Array(links)
    this.#growth = new Float64Array(links)
    this.#growing = new Int32Array(links)
  }

  /** A job begins. @returns the speeds that change, in the order in which the jobs were added; that of the job counts as 1 before */
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

  /** A job ends. @returns the speeds of others that change */
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

  /** Added up anew: what was added and taken away again would leave traces. */
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

  /** All jobs that short links tie to some, directly or through others, in order; and those links, ascending. */
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

  /** Progressive filling: all grow together until a link is full, whose jobs keep what they have; and to 1 at most. */
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
