import type { Routes } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { type Follow, followOn, RoutingError } from './routes.ts'

/** Load on one link in one direction. */
export interface LinkLoad {
  readonly level: number
  readonly link: number
  readonly direction: 'up' | 'down'
  readonly load: number
  /** Number of jobs with traffic on the link in this direction. */
  readonly jobs: number
}

/** Loads on the links of one job's routes. */
export interface JobLoad {
  readonly job: string
  /** Number of pairs of a link and a direction on the job's routes, and number of these pairs that other jobs use. */
  readonly links: number
  readonly shared: number
  /** Largest load on a link of the job's routes: by the job alone, by all other jobs together, and in total. */
  readonly worstOwn: number
  readonly worstForeign: number
  readonly worst: number
}

/** Loads on the links of a fabric. */
export interface LoadReport {
  /** Number of pairs of a link and a direction with a load, and number of these pairs that several jobs use. */
  readonly links: number
  readonly shared: number
  /** Largest load on a link in one direction. If the traffic is a permutation, 1 means no contention. */
  readonly worst: number
  /** Pairs of a link and a direction with the largest loads, largest load first. */
  readonly hotspots: ReadonlyArray<LinkLoad>
  /** Loads of each job, in the order in which the jobs were added. */
  readonly jobs: ReadonlyArray<JobLoad>
}

/** A cell is a link in one direction. `cells` has all cells of the job's routes, `own` the job's load on each. */
interface JobCells {
  readonly job: string
  readonly cells: Int32Array
  readonly own: Float64Array
}

/** Loads on every link in both directions, for any jobs under any routes: call `add` for each job, then `report`. */
export class LinkLoads {
  readonly #follow: Follow
  /** First cell of each level. Cell `first + 2 * link` is the link upwards, and the next cell the link downwards. */
  readonly #first: ReadonlyArray<number>
  readonly #load: Float64Array
  readonly #users: Int32Array
  readonly #jobs: Array<JobCells> = []
  /** Load of the job that `add` is adding, by cell; 0 between calls of `add`. */
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

  /** @throws RoutingError if the routes do not lead from a source of the traffic to its target */
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

  load(level: number, link: number, direction: 'up' | 'down'): number {
    return this.#load[this.#first[level] + 2 * link + (direction === 'up' ? 0 : 1)]
  }

  /** @param hotspots greatest number of links to list in `hotspots` */
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

/** Function that calls `visit` with each pair of source and target, and with the amount of flow between them. */
export type Traffic = (visit: (source: number, target: number, amount: number) => void) => void

/** Returns traffic of one flow from every node to every other node. */
export function allToAll(nodes: ArrayLike<number>): Traffic {
  return (visit) => {
    for (let i = 0; i < nodes.length; i++)
      for (let j = 0; j < nodes.length; j++) if (i !== j) visit(nodes[i], nodes[j], 1)
  }
}

/** Returns traffic of one flow from every `nodes[i]` to `nodes[permutation[i]]`, except from a node to itself. */
export function permuted(nodes: ArrayLike<number>, permutation: ArrayLike<number>): Traffic {
  if (permutation.length !== nodes.length)
    throw new RoutingError(
      `the permutation of ${nodes.length} nodes has ${permutation.length} places; expected one place for each node`,
    )
  return (visit) => {
    for (let i = 0; i < nodes.length; i++) if (permutation[i] !== i) visit(nodes[i], nodes[permutation[i]], 1)
  }
}

/** Returns traffic with the amount `matrix[i][j]`, in any unit, from `nodes[i]` to `nodes[j]` if `i` is not `j`. */
export function matrixTraffic(nodes: ArrayLike<number>, matrix: ReadonlyArray<ArrayLike<number>>): Traffic {
  if (matrix.length !== nodes.length || matrix.some((row) => row.length !== nodes.length)) {
    throw new RoutingError(
      `the traffic matrix of ${nodes.length} nodes has a wrong size; expected one row and one column for each node`,
    )
  }
  return (visit) => {
    for (let i = 0; i < nodes.length; i++)
      for (let j = 0; j < nodes.length; j++) if (i !== j && matrix[i][j] !== 0) visit(nodes[i], nodes[j], matrix[i][j])
  }
}
