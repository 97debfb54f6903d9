import type { Topology } from '@cloister/topology'
import type { Draw } from '../draws.ts'
import { type RoutedMachine, unconnectedPair } from './machines.ts'

type Held = { readonly nodes: ReadonlyArray<number>; readonly links: ReadonlyArray<ReadonlyArray<number>> }

/** Call of the forwarding tables of a router. `of` names the job, or the failure with its repair. */
export interface RouterCall extends Held {
  readonly kind: 'start' | 'end' | 'down' | 'up'
  readonly of: string
}

/** Properties of a router that decide which calls a history has. */
export interface Callable {
  /** True if each job needs links that connect the nodes of the job. */
  readonly ownsLinks: boolean
  /** True if the tables have the function `change`. */
  readonly hasChange: boolean
}

const STEPS = 14
/** Order of the names of jobs, so that the order of starts is no order of names. */
const names = (count: number): string => `${(count * 7) % 100}`

/** Draws a history: starts and ends of jobs, failures and repairs. At the end nothing has failed, and jobs run. */
export function drawCalls(topology: Topology, { ownsLinks, hasChange }: Callable, draw: Draw): Array<RouterCall> {
  const free = new FreeParts(topology)
  const calls: Array<RouterCall> = []
  const running: Array<RouterCall> = []
  const failed: Array<RouterCall> = []
  let count = 0
  const add = (call: RouterCall): void => void calls.push(call)
  const end = (call: RouterCall): void => {
    add({ ...call, kind: 'end' })
    running.splice(running.indexOf(call), 1)
    free.release(call)
  }
  const fail = (): void => {
    const call: RouterCall = { kind: 'down', of: `failure ${++count}`, ...free.drawFailure(draw, running) }
    // The scheduler ends a job whose node fails before it calls `change`.
    const killed = running.filter(({ nodes }) => nodes.some((node) => call.nodes.includes(node)))
    for (const job of killed) end(job)
    add(call)
    failed.push(call)
    free.fail(call)
  }
  const repair = (call: RouterCall): void => {
    add({ ...call, kind: 'up' })
    failed.splice(failed.indexOf(call), 1)
    free.repair(call)
  }
  for (let step = 0; step < STEPS; step++) {
    if (hasChange && failed.length < 2 && draw.once(3)) fail()
    else if (failed.length > 0 && draw.once(3)) repair(draw.pick(failed))
    else if (running.length > 1 && draw.once(3)) end(draw.pick(running))
    else {
      const job = free.drawJob(draw, ownsLinks)
      if (job === undefined) continue
      const call: RouterCall = { kind: 'start', of: names(++count), ...job }
      add(call)
      running.push(call)
      free.take(call)
    }
  }
  for (const call of failed.slice()) repair(call)
  return calls
}

/** Returns the calls as code, one a line. */
export function callsAsCode({ code }: RoutedMachine, calls: ReadonlyArray<RouterCall>): string {
  const lines = calls.map(({ kind, of, nodes, links }) => {
    const resources = `{ nodes: [${nodes.join(', ')}], links: [${links.map((ids) => `[${ids.join(', ')}]`).join(', ')}] }`
    if (kind === 'end') return `tables.end('${of}')`
    return kind === 'start' ? `tables.start('${of}', ${resources})` : `tables.change('${kind}', ${resources})`
  })
  return [`const tables = router.make(${code})`, ...lines].map((line) => `  ${line}`).join('\n')
}

/** Nodes and links without a job, and nodes and links that failed. */
class FreeParts {
  readonly #topology: Topology
  readonly #nodes: Set<number>
  readonly #down: Set<number> = new Set()
  readonly #links: ReadonlyArray<Set<number>>
  readonly #failed: ReadonlyArray<Set<number>>

  constructor(topology: Topology) {
    this.#topology = topology
    this.#nodes = new Set(Array(topology.nodes).keys())
    this.#links = topology.levels.map(({ links }) => new Set(Array(links).keys()))
    this.#failed = topology.levels.map(() => new Set())
  }

  take({ nodes, links }: Held): void {
    for (const node of nodes) this.#nodes.delete(node)
    links.forEach((ids, level) => ids.forEach((link) => this.#links[level].delete(link)))
  }

  release({ nodes, links }: Held): void {
    for (const node of nodes) if (!this.#down.has(node)) this.#nodes.add(node)
    links.forEach((ids, level) => ids.forEach((link) => this.#links[level].add(link)))
  }

  fail({ nodes, links }: Held): void {
    for (const node of nodes) {
      this.#nodes.delete(node)
      this.#down.add(node)
    }
    links.forEach((ids, level) => ids.forEach((link) => this.#failed[level].add(link)))
  }

  repair({ nodes, links }: Held): void {
    for (const node of nodes) {
      this.#nodes.add(node)
      this.#down.delete(node)
    }
    links.forEach((ids, level) => ids.forEach((link) => this.#failed[level].delete(link)))
  }

  /** Draws one to three links, often of a running job, or all uplinks of a leaf, and sometimes a node. */
  drawFailure(draw: Draw, running: ReadonlyArray<RouterCall>): Held {
    const { levels, leaves, nodes } = this.#topology
    const drawn = levels.map(() => new Set<number>())
    const owned = running.filter(({ links }) => links.some((ids) => ids.length > 0))
    for (let left = 1 + draw.below(3); left > 0; left--) {
      const level = draw.below(levels.length)
      const ofJob = owned.length > 0 && draw.once(2) ? (draw.pick(owned).links[level] ?? []) : []
      const link = ofJob.length > 0 ? draw.pick(ofJob) : draw.below(Math.max(1, levels[level].links))
      if (link < levels[level].links && !this.#failed[level].has(link)) drawn[level].add(link)
    }
    const { firstPort } = levels[0]
    const leaf = draw.below(leaves)
    if (draw.once(4))
      for (let link = firstPort[leaf]; link < firstPort[leaf + 1]; link++)
        if (!this.#failed[0].has(link)) drawn[0].add(link)
    const node = draw.below(nodes)
    const isUp = this.#nodes.has(node) || running.some((job) => job.nodes.includes(node))
    return { nodes: isUp && draw.once(4) ? [node] : [], links: drawn.map((ids) => ascending(ids)) }
  }

  /**
   * Draws free nodes that working links connect. With `ownsLinks` the job also gets free links that connect its nodes,
   * and at times spare links. Without `ownsLinks` a job may have links, too, because any policy can use such routers.
   */
  drawJob(draw: Draw, ownsLinks: boolean): Held | undefined {
    const { leafOfNode, levels } = this.#topology
    if (this.#nodes.size === 0) return undefined
    const free = ascending(this.#nodes)
    const from = draw.below(free.length)
    const near = free.slice(from, from + 1 + draw.below(12))
    const drawn = draw.once(2) ? near : ascending(draw.sample(free, Math.min(free.length, 1 + draw.below(6))))
    const one = drawn.filter((node) => leafOfNode[node] === leafOfNode[drawn[0]])
    const none = levels.map(() => [])
    const links = this.#connecting(draw, drawn)
    if (links !== undefined && (ownsLinks || draw.once(2))) return { nodes: drawn, links }
    if (ownsLinks) return { nodes: one, links: none }
    const works = (level: number, link: number): boolean => !this.#failed[level].has(link)
    const isWhole = unconnectedPair(this.#topology, { nodes: drawn }, works) === undefined
    return { nodes: isWhole ? drawn : one, links: draw.once(2) ? none : [] }
  }

  /** Returns free links that lead from every leaf of the nodes to one or two common switches. */
  #connecting(draw: Draw, nodes: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> | undefined {
    const { leafOfNode, levels } = this.#topology
    const leaves = [...new Set(nodes.map((node) => leafOfNode[node]))]
    const drawn = levels.map(() => new Set<number>())
    if (leaves.length > 1) {
      const tops = levels.flatMap(({ switches }, level) =>
        Array.from({ length: level === 0 ? 0 : switches }, (_, sw) => ({ level, sw })),
      )
      let found = 0
      for (const top of draw.sample(tops, tops.length)) {
        const ways = leaves.map((leaf) => this.#wayUp(draw, 0, leaf, top))
        if (ways.some((way) => way === undefined)) continue
        for (const way of ways) way!.forEach((link, level) => drawn[level].add(link))
        if (++found === 2 || draw.once(2)) break
      }
      if (found === 0) return undefined
    }
    if (draw.once(3)) this.#addSpare(draw, drawn, leaves)
    return drawn.map((ids) => ascending(ids))
  }

  #addSpare(draw: Draw, drawn: ReadonlyArray<Set<number>>, leaves: ReadonlyArray<number>): void {
    const { firstPort } = this.#topology.levels[0]
    for (const leaf of leaves) {
      const link = firstPort[leaf] + draw.below(Math.max(1, firstPort[leaf + 1] - firstPort[leaf]))
      if (link < firstPort[leaf + 1] && this.#isFree(0, link)) drawn[0].add(link)
    }
  }

  /** Returns a free link of each level from a switch up to `top`; undefined if none lead there. */
  #wayUp(
    draw: Draw,
    level: number,
    sw: number,
    top: { readonly level: number; readonly sw: number },
  ): ReadonlyArray<number> | undefined {
    if (level === top.level) return sw === top.sw ? [] : undefined
    const { firstPort, parentOfLink } = this.#topology.levels[level]
    const links = Array.from({ length: firstPort[sw + 1] - firstPort[sw] }, (_, port) => firstPort[sw] + port)
    for (const link of draw.sample(links, links.length)) {
      if (!this.#isFree(level, link)) continue
      const rest = this.#wayUp(draw, level + 1, parentOfLink[link], top)
      if (rest !== undefined) return [link, ...rest]
    }
    return undefined
  }

  #isFree(level: number, link: number): boolean {
    return this.#links[level].has(link) && !this.#failed[level].has(link)
  }
}

function ascending(ids: Iterable<number>): Array<number> {
  return [...ids].sort((a, b) => a - b)
}
