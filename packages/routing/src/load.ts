import type { Routes } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { type Follow, followOn } from './path.ts'
import type { Traffic } from './traffic.ts'

/** Load on one link in one direction. */
export interface LinkLoad {
  readonly level: number
  readonly link: number
  readonly direction: 'up' | 'down'
  readonly load: number
  /** Number of jobs that cause the load. */
  readonly jobs: number
}

/** Loads on the links of one job. */
export interface JobLoad {
  readonly job: string
  /** Number of links and directions of the job, and number of them that further jobs use too. */
  readonly links: number
  readonly shared: number
  /** Largest load on any of these links: of the job alone, of further jobs, and in total. */
  readonly worstOwn: number
  readonly worstForeign: number
  readonly worst: number
}

/** Load of messages on the links of a fabric, and the links that jobs share. */
export interface LoadReport {
  /** Number of links and directions in use, and in use by several jobs. */
  readonly links: number
  readonly shared: number
  /** Largest load on a link. For a permutation as traffic, 1 means no contention. */
  readonly worst: number
  /** Most loaded links, largest load first. */
  readonly hotspots: ReadonlyArray<LinkLoad>
  /** Jobs in the order in which they were added. */
  readonly jobs: ReadonlyArray<JobLoad>
}

/** Cells of a job's links, and the job's load on each cell. */
interface JobCells {
  readonly job: string
  readonly cells: Int32Array
  readonly own: Float64Array
}

/** Load on every link in both directions, for any jobs under any routes. Add the jobs, then ask for a report. */
export class LinkLoads {
  readonly #follow: Follow
  /** First cell of each level; cell `first + 2 * link` is up, the next cell down. */
  readonly #first: ReadonlyArray<number>
  readonly #load: Float64Array
  readonly #users: Int32Array
  readonly #jobs: Array<JobCells> = []
  /** State of the job that is being added. */
  readonly #own: Float64Array

  constructor(topology: Topology) {
    const first = [0]
    for (const { links } of topology.levels) first.push(first[first.length - 1] + 2 * links)
    this.#follow = followOn(topology)
    this.#first = first
    this.#load = new Float64Array(first[first.length - 1])
    this.#own = new Float64Array(this.#load.length)
    this.#users = new Int32Array(this.#load.length)
  }

  /** Adds the traffic of a job. @throws RoutingError if the routes do not lead to a target */
  add(job: string, routes: Routes, traffic: Traffic): void {
    const own = this.#own
    const used: Array<number> = []
    let amount = 0
    const visit = (level: number, link: number, up: boolean): void => {
      const cell = this.#first[level] + 2 * link + (up ? 0 : 1)
      if (own[cell] === 0) used.push(cell)
      own[cell] += amount
    }
    traffic((source, target, each) => {
      amount = each
      this.#follow(routes, source, target, visit)
    })
    const cells = Int32Array.from(used).sort()
    this.#jobs.push({ job, cells, own: Float64Array.from(cells, (cell) => own[cell]) })
    for (const cell of cells) {
      this.#load[cell] += own[cell]
      this.#users[cell]++
      own[cell] = 0
    }
  }

  /** Returns the load on a link in one direction. */
  load(level: number, link: number, direction: 'up' | 'down'): number {
    return this.#load[this.#first[level] + 2 * link + (direction === 'up' ? 0 : 1)]
  }

  /** @param hotspots number of links to list */
  report(hotspots = 10): LoadReport {
    const used = Int32Array.from(this.#users.keys()).filter((cell) => this.#users[cell] > 0)
    const byLoad = used.toSorted((a, b) => this.#load[b] - this.#load[a] || a - b)
    return {
      links: used.length,
      shared: used.filter((cell) => this.#users[cell] > 1).length,
      worst: used.length === 0 ? 0 : this.#load[byLoad[0]],
      hotspots: Array.from(byLoad.subarray(0, hotspots), (cell) => this.#linkLoad(cell)),
      jobs: this.#jobs.map((each) => this.#jobLoad(each)),
    }
  }

  #linkLoad(cell: number): LinkLoad {
    const level = this.#first.findLastIndex((first) => first <= cell)
    const at = cell - this.#first[level]
    return {
      level,
      link: at >> 1,
      direction: at % 2 === 0 ? 'up' : 'down',
      load: this.#load[cell],
      jobs: this.#users[cell],
    }
  }

  #jobLoad({ job, cells, own }: JobCells): JobLoad {
    let [shared, worstOwn, worstForeign, worst] = [0, 0, 0, 0]
    for (let i = 0; i < cells.length; i++) {
      const load = this.#load[cells[i]]
      if (this.#users[cells[i]] > 1) shared++
      worstOwn = Math.max(worstOwn, own[i])
      worstForeign = Math.max(worstForeign, load - own[i])
      worst = Math.max(worst, load)
    }
    return { job, links: cells.length, shared, worstOwn, worstForeign, worst }
  }
}
