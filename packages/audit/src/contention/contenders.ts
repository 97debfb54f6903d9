import type { Topology } from '@cloister/topology'
import { sendPattern } from './pattern-traffic.ts'

/** A running job that communicates. */
export interface Contender {
  readonly id: string
  /** Of its start among all. */
  readonly order: number
  /** Of the time that it takes by itself. */
  readonly communicationShare: number
  /** What it takes of each link by itself, against its busiest one. */
  readonly shares: ReadonlyMap<number, number>
}

/** A direction of a cable. */
interface SharedLink {
  readonly jobs: Map<Contender, number>
  /** What its jobs would take together by themselves: more than 1 where it cannot carry all. */
  wanted: number
  /** While speeds are sought: what is left of it, and what jobs still want whose speed is not found. */
  left: number
  open: number
  seekers: number
}

/**
 * Who shares which link with whom, and how fast that leaves them. A link is a number for each direction; messages go as
 * D-mod-k leads them (Zahavi 2010), all links carry as much.
 */
export class Contenders {
  readonly #topology: Topology
  /** First link of each level, above the nodes' own. */
  readonly #first: ReadonlyArray<number>
  readonly #links = new Map<number, SharedLink>()
  /** Links that cannot carry what their jobs would send by themselves. */
  readonly #short = new Set<SharedLink>()

  constructor(topology: Topology) {
    this.#topology = topology
    const first = [2 * topology.nodes]
    for (const { links } of topology.levels) first.push(first[first.length - 1] + 2 * links)
    this.#first = first
  }

  /** @returns undefined where the pattern is not known */
  sharesOf(pattern: string, ranks: ReadonlyArray<number>): ReadonlyMap<number, number> | undefined {
    const loads = new Map<number, number>()
    const isKnown = sendPattern(pattern, ranks.length, (first, second, size) => {
      this.#send(ranks[first], ranks[second], size / 2, loads)
      this.#send(ranks[second], ranks[first], size / 2, loads)
    })
    const most = [...loads.values()].reduce((found, load) => Math.max(found, load), 0)
    return isKnown ? new Map([...loads].map(([link, load]) => [link, load / most])) : undefined
  }

  /** From both ends up to the switch where they meet, by the ports that lead to the destination. */
  #send(from: number, to: number, size: number, loads: Map<number, number>): void {
    if (from === to) return
    const { nodes, leafOfNode, levels, pgft } = this.#topology
    const add = (link: number): void => void loads.set(link, (loads.get(link) ?? 0) + size)
    add(from)
    add(nodes + to)
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
   * The rate of each job that others slow, in 1/1000, not rounded. Max-min fair: all get faster together until a link has no
   * more to give to its jobs.
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

/** The link that leaves least to each job of it whose speed is not found, and how much; none where all can have 1. */
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
