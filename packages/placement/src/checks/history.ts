import type { Allocation, Resources } from '../allocation.ts'
import type { Outcome, Placement } from '../contract.ts'
import { ClusterState } from '../state.ts'
import type { Draw } from './draw.ts'
import { requestFor, type Subject } from './subject.ts'

/** A machine under a random history of jobs that come and go and resources that break and are mended. */
export class History {
  readonly state: ClusterState<any>
  readonly running: Array<Allocation> = []
  readonly down: Array<Resources> = []
  readonly #subject: Subject
  readonly #draw: Draw
  #started = 0

  constructor(subject: Subject, draw: Draw) {
    this.#subject = subject
    this.#draw = draw
    this.state = newState(subject)
  }

  /** A size that is often small, sometimes a leaf's or a pod's, rarely the machine's or more. */
  someSize(): number {
    const { nodes, pods, leaves } = this.#subject.topology
    const most = this.#draw.pick([3, Math.ceil(nodes / leaves), Math.ceil((2 * nodes) / pods), nodes, nodes + 2])
    return 1 + this.#draw.below(most)
  }

  ask(nodes: number): Outcome {
    return this.#subject.placer.place(this.state, requestFor(nodes), this.state.index)
  }

  start(placement: Placement): void {
    const allocation = {
      ...allocationOf(placement, this.#started, this.#draw.below(1000)),
      communicates: this.#draw.once(2),
    }
    this.state.apply(allocation)
    this.running.push(allocation)
    this.#started++
  }

  endOne(): void {
    if (this.running.length === 0) return
    const [allocation] = this.running.splice(this.#draw.below(this.running.length), 1)
    this.state.release(allocation)
  }

  breakOrMend(): void {
    if (this.down.length > 0 && this.#draw.once(2)) {
      this.state.restore(this.down.pop()!)
      return
    }
    const resources = this.#notDown(someResources(this.#subject, this.#draw, 6))
    this.state.fail(resources)
    this.down.push(resources)
  }

  #notDown({ nodes, links }: Resources): Resources {
    const down = (ids: ArrayLike<number> | undefined, id: number): boolean =>
      ids !== undefined && Array.from(ids).includes(id)
    return {
      nodes: Array.from(nodes).filter((node) => !this.down.some((resources) => down(resources.nodes, node))),
      links: links.map((ids, level) =>
        Array.from(ids).filter((link) => !this.down.some((resources) => down(resources.links[level], link))),
      ),
    }
  }

  /** The same contents, come about in another order. */
  retold(): ClusterState<any> {
    const state = newState(this.#subject)
    // Jobs can hold resources that broke later: those are taken before they break.
    for (const allocation of [...this.running].reverse()) state.apply(allocation)
    for (const resources of [...this.down].reverse()) state.fail(resources)
    return state
  }
}

export function newState({ topology, placer }: Subject): ClusterState<any> {
  return new ClusterState(topology, { index: placer.index, linkCapacity: placer.linkCapacity ?? 0 })
}

export function allocationOf(placement: Placement, startOrder: number, estimatedEnd: number): Allocation {
  const { nodes, links, bandwidth } = placement
  return {
    job: String(startOrder),
    nodes,
    links,
    estimatedEnd,
    startOrder,
    ...(bandwidth === undefined ? {} : { bandwidth }),
  }
}

/** A few nodes and links, about one in `times` of each kind being many. */
export function someResources({ topology }: Subject, draw: Draw, times: number): Resources {
  const some = (count: number): Array<number> => {
    if (count === 0) return []
    const wanted = draw.once(times) ? Math.ceil(count / 3) : draw.below(3)
    return [...new Set(Array.from({ length: wanted }, () => draw.below(count)))].sort((a, b) => a - b)
  }
  return { nodes: some(topology.nodes), links: topology.levels.map(({ links }) => some(links)) }
}

/** Everything that a state can be asked, as text: equal states read the same. */
export function contentsOf(state: ClusterState<any>): string {
  const { topology } = state
  const lines = [`${state.freeNodes} nodes free`]
  for (let pod = 0; pod < topology.pods; pod++)
    lines.push(`pod ${pod}: ${state.freeNodesInPod(pod)} ${state.wholeLeavesInPod(pod)}`)
  for (let leaf = 0; leaf < topology.leaves; leaf++)
    lines.push(`leaf ${leaf}: ${state.busyNodesOnLeaf(leaf)} ${state.communicatingNodesOnLeaf(leaf)}`)
  for (let node = 0; node < topology.nodes; node++) lines.push(state.isNodeFree(node) ? '+' : '-')
  topology.levels.forEach(({ links }, level) => {
    for (let link = 0; link < links; link++)
      lines.push(`${state.isLinkFree(level, link)} ${state.capacityLeft(level, link)}`)
  })
  lines.push(...state.running.map(({ job, estimatedEnd }) => `${job} ${estimatedEnd}`))
  return lines.join('\n')
}
