import type { Topology } from '@cloister/topology'
import type { WholeTables } from './routes/recorded-entries.ts'

/** Running job in the computation of contention. */
export interface Contender {
  readonly id: string
  /** Number of the job's start among all starts of the log, from 0. */
  readonly order: number
  /** Share of the run time that the job spends communicating when it runs alone, from 0 to 1. */
  readonly communicationShare: number
  /** Sum of the job's message sizes on each link direction, divided by the greatest of these sums. */
  readonly shares: ReadonlyMap<number, number>
}

interface SharedLink {
  readonly jobs: Map<Contender, number>
  /** Sum of the shares of all jobs on the link at full speed. If the sum exceeds 1, the link slows its jobs. */
  wanted: number
  /** Share of the link that no job with a known speed uses, while `rates` computes speeds. */
  left: number
  /** Sum of the shares of the jobs whose speed `rates` has not computed yet. */
  open: number
  /** Number of the jobs whose speed `rates` has not computed yet. */
  seekers: number
}

/**
 * Computes the rates of running jobs from the links that the jobs share. Each direction of a link has a separate
 * number. Messages take the routes of the log's tables, or of D-mod-k (Zahavi 2010) in a log without tables of the whole
 * machine. All links have the same capacity.
 */
export class Contenders {
  readonly #topology: Topology
  readonly #tables: WholeTables | undefined
  /** Number of the first link direction of each level; lower numbers are the two directions of each node's cable. */
  readonly #first: ReadonlyArray<number>
  readonly #links = new Map<number, SharedLink>()
  /** Link directions that cannot carry all messages of their jobs at full speed. */
  readonly #short = new Set<SharedLink>()

  /** @param tables tables of the whole machine; undefined for D-mod-k */
  constructor(topology: Topology, tables: WholeTables | undefined) {
    this.#topology = topology
    this.#tables = tables
    const first = [2 * topology.nodes]
    for (const { links } of topology.levels) first.push(first[first.length - 1] + 2 * links)
    this.#first = first
  }

  /**
   * Returns the sum of a job's message sizes on each link direction, divided by the greatest of these sums; undefined
   * if the pattern is unknown. @param ranks node of each rank
   */
  sharesOf(pattern: string, ranks: ReadonlyArray<number>): ReadonlyMap<number, number> | undefined {
    const loads = new Map<number, number>()
    const isKnown = sendPattern(pattern, ranks.length, (first, second, size) => {
      this.#send(ranks[first], ranks[second], size / 2, loads)
      this.#send(ranks[second], ranks[first], size / 2, loads)
    })
    const most = [...loads.values()].reduce((found, load) => Math.max(found, load), 0)
    return isKnown ? new Map([...loads].map(([link, load]) => [link, load / most])) : undefined
  }

  /** Follows the route. Under D-mod-k, the destination determines the up-ports on the way to the lowest common switch. */
  #send(from: number, to: number, size: number, loads: Map<number, number>): void {
    if (from === to) return
    const { nodes, leafOfNode, levels, pgft } = this.#topology
    const add = (link: number): void => void loads.set(link, (loads.get(link) ?? 0) + size)
    add(from)
    add(nodes + to)
    if (this.#tables !== undefined) {
      this.#tables.eachLink(from, to, (level, link, isUp) => add(this.#first[level] + 2 * link + (isUp ? 0 : 1)))
      return
    }
    let [here, there] = [leafOfNode[from], leafOfNode[to]]
    let stride = 1
    for (let level = 0; here !== there; level++) {
      stride *= pgft!.w[level]
      const port = Math.floor(to / stride) % (pgft!.w[level + 1] * pgft!.p[level + 1])
      const { firstPort, parentOfLink } = levels[level]
      const [up, down] = [firstPort[here] + port, firstPort[there] + port]
      add(this.#first[level] + 2 * up)
      add(this.#first[level] + 2 * down + 1)
      here = parentOfLink[up]
      there = parentOfLink[down]
    }
  }

  add(job: Contender): void {
    for (const [number, share] of job.shares) {
      const link = this.#links.get(number) ?? { jobs: new Map(), wanted: 0, left: 1, open: 0, seekers: 0 }
      this.#links.set(number, link)
      link.jobs.set(job, share)
      this.#weigh(link)
    }
  }

  remove(job: Contender): void {
    for (const number of job.shares.keys()) {
      const link = this.#links.get(number)!
      link.jobs.delete(job)
      this.#weigh(link)
    }
  }

  #weigh(link: SharedLink): void {
    link.wanted = 0
    for (const share of link.jobs.values()) link.wanted += share
    if (link.wanted > 1) this.#short.add(link)
    else this.#short.delete(link)
  }

  /**
   * Returns the rates of the jobs that contention slows, in 1/1000 of full speed, not rounded. The shares of links are
   * max-min fair: the speeds of all jobs rise together until a link is full; the jobs on a full link keep their speed,
   * and the speeds of the other jobs rise on.
   */
  rates(): ReadonlyMap<Contender, number> {
    const speeds = new Map<Contender, number>()
    const linksOf = this.#shortLinksOf()
    let open = [...this.#short]
    for (;;) {
      open = open.filter(({ seekers }) => seekers > 0)
      const [tightest, speed] = tightestOf(open)
      if (tightest === undefined) break
      for (const job of tightest.jobs.keys()) {
        if (speeds.has(job)) continue
        speeds.set(job, speed)
        for (const link of linksOf.get(job)!) {
          const share = link.jobs.get(job)!
          link.left -= speed * share
          link.open -= share
          link.seekers--
        }
      }
    }
    return new Map(
      [...speeds].map(([job, speed]) => [job, 1000 / (1 - job.communicationShare + job.communicationShare / speed)]),
    )
  }

  #shortLinksOf(): ReadonlyMap<Contender, ReadonlyArray<SharedLink>> {
    const found = new Map<Contender, Array<SharedLink>>()
    for (const link of this.#short) {
      link.left = 1
      link.open = link.wanted
      link.seekers = link.jobs.size
      for (const job of link.jobs.keys()) {
        const links = found.get(job)
        if (links === undefined) found.set(job, [link])
        else links.push(link)
      }
    }
    return found
  }
}

/** Returns the link that allows its jobs the lowest speed, and this speed; no link and 1 if all links allow 1. */
function tightestOf(open: ReadonlyArray<SharedLink>): readonly [SharedLink | undefined, number] {
  let tightest: SharedLink | undefined
  let least = 1
  for (const link of open) {
    const speed = Math.max(0, link.left) / link.open
    if (speed >= least) continue
    tightest = link
    least = speed
  }
  return [tightest, least]
}

/** Receives two ranks, and the total size of their messages in both directions, over all steps of a pattern. */
type Send = (first: number, second: number, size: number) => void

/**
 * Calls `send` for all pairs of ranks that exchange messages under a pattern, or a mixture such as `ring*2+pairs`. The
 * README of `@cloister/communication` defines the patterns. Returns false, and calls nothing, if a pattern is unknown.
 */
function sendPattern(name: string, ranks: number, send: Send): boolean {
  const parts = name.split('+').map((part) => part.split('*'))
  if (!parts.every(([pattern]) => Object.hasOwn(patterns, pattern))) return false
  for (const [pattern, weight = '1'] of parts)
    patterns[pattern](ranks, (first, second, size) => send(first, second, size * Number(weight)))
  return true
}

const patterns: Readonly<Record<string, (ranks: number, send: Send) => void>> = {
  'recursive-doubling': (ranks, send) => {
    for (const distance of powersBelow(ranks)) exchange(ranks, distance, 2, send)
  },
  'recursive-halving-vector-doubling': (ranks, send) => {
    let size = 1
    for (const distance of powersBelow(ranks).reverse()) exchange(ranks, distance, (size *= 2), send)
  },
  'binomial-tree': (ranks, send) => {
    // Each rank receives from the rank whose number lacks the lowest set bit.
    for (let rank = 1; rank < ranks; rank++) send(rank - (rank & -rank), rank, 1)
  },
  'binomial-doubling': (ranks, send) => {
    // Each rank receives from the rank whose number lacks the highest set bit.
    for (let rank = 1; rank < ranks; rank++) send(rank - (1 << (31 - Math.clz32(rank))), rank, 1)
  },
  ring: (ranks, send) => {
    for (let rank = 0; rank < ranks; rank++) if (ranks > 1) send(rank, (rank + 1) % ranks, ranks - 1)
  },
  'stencil-2d': (ranks, send) => stencil(ranks, 2, send),
  'stencil-3d': (ranks, send) => stencil(ranks, 3, send),
  'all-to-all': (ranks, send) => {
    for (let first = 0; first < ranks; first++)
      for (let second = first + 1; second < ranks; second++) send(first, second, 2)
  },
  pairs: (ranks, send) => {
    const half = Math.floor(ranks / 2)
    for (let first = 0; first < half; first++) send(first, first + half, 2)
  },
}

function powersBelow(ranks: number): Array<number> {
  const found: Array<number> = []
  for (let power = 1; power < ranks; power *= 2) found.push(power)
  return found
}

/** Calls `send` for all pairs of ranks whose numbers differ only in the given bit. */
function exchange(ranks: number, bit: number, size: number, send: Send): void {
  for (let rank = 0; rank < ranks; rank++)
    if (Math.floor(rank / bit) % 2 === 0 && rank + bit < ranks) send(rank, rank + bit, size)
}

/** Calls `send` for all neighbours on a grid, no torus. Ranks along the last dimension have consecutive numbers. */
function stencil(ranks: number, dimensions: 2 | 3, send: Send): void {
  const grid = gridOf(ranks, dimensions)
  let stride = 1
  for (const extent of grid.toReversed()) {
    for (let rank = 0; rank < ranks; rank++)
      if (Math.floor(rank / stride) % extent < extent - 1) send(rank, rank + stride, 2)
    stride *= extent
  }
}

/** Returns the extents, descending, of the grid with the least largest extent, then the least second extent. */
function gridOf(ranks: number, dimensions: number): ReadonlyArray<number> {
  let best: ReadonlyArray<number> = [ranks, ...Array<number>(dimensions - 1).fill(1)]
  const divisors = Array.from({ length: ranks }, (_, at) => at + 1).filter((each) => ranks % each === 0)
  for (const first of divisors)
    for (const second of dimensions === 3 ? divisors : [1]) {
      const third = ranks / first / second
      const grid = dimensions === 3 ? [first, second, third] : [first, third]
      if (!Number.isInteger(third) || grid.some((each, at) => at > 0 && each > grid[at - 1])) continue
      if (grid[0] < best[0] || (grid[0] === best[0] && grid[1] < best[1])) best = grid
    }
  return best
}
