import type { Request, StateView } from '@cloister/placement'
import type { Tree } from './tree.ts'

/**
 * What nodes of a leaf cost a job, in node-milliseconds of what others lose: the job should end when the rest of its leaf does. A leaf
 * that is whole costs more, since the leaves beside it that drain before the job ends could have formed a larger whole with it.
 */
export class Lifetimes {
  /** When the job would end. */
  end = 0
  readonly #tree: Tree
  readonly #areHeeded: boolean
  #state!: StateView
  #now = 0
  /** When it would start, in a what-if. */
  #startsAt: number | undefined
  /** How long each leaf would be the job's alone, pod by pod as they are asked for. */
  readonly #outlasts: Float64Array
  readonly #sums: Float64Array
  readonly #seen: Int32Array
  #round = 0
  /** What uplinks cost, of one pod in one round. */
  readonly #uplinks: Float64Array
  #uplinksOf = -1
  #uplinksIn = -1

  /** @param areHeeded else a node costs as much as there are others free beside it, and an uplink nothing */
  constructor(tree: Tree, areHeeded: boolean) {
    this.#tree = tree
    this.#areHeeded = areHeeded
    this.#outlasts = new Float64Array(tree.topology.leaves)
    this.#sums = new Float64Array(tree.pods)
    this.#seen = new Int32Array(tree.pods)
    this.#uplinks = new Float64Array(tree.width)
  }

  begin(state: StateView, { purpose, now, startsAt = now, estimate = 0 }: Request): void {
    this.#state = state
    this.#now = now
    this.#startsAt = purpose === 'reserve' ? startsAt : undefined
    this.end = (this.#startsAt ?? now) + estimate
    this.#round++
  }

  /** Of `nodes` nodes of a leaf. */
  cost(leaf: number, nodes: number): number {
    if (!this.#areHeeded) return this.#state.freeNodesOnLeaf(leaf) - nodes + 1
    if (this.#startsAt !== undefined) return this.#costLater(leaf, nodes, this.#startsAt)
    const { topology, width, allUplinks } = this.#tree
    const pod = topology.podOfLeaf[leaf]
    if (this.#seen[pod] !== this.#round) this.#look(pod)
    const outlasts = this.#outlasts[leaf]
    const cost =
      outlasts * (width - nodes) +
      0.5 * Math.max(0, this.#state.lastEndOnLeaf(leaf) - Math.max(this.end, this.#now)) * nodes +
      1
    const isWhole = this.#state.freeNodesOnLeaf(leaf) === width && this.#state.portMask(0, leaf, 0) === allUplinks
    return isWhole ? cost + this.#sums[pod] - outlasts : cost
  }

  /** Later, what is free now would wait idle; leaves that drain just in time wait least. */
  #costLater(leaf: number, nodes: number, startsAt: number): number {
    const free = this.#state.freeNodesOnLeaf(leaf)
    const freeNow = this.#state.freeNodesAtDecision(leaf)
    const drained = Math.max(this.#state.lastEndOnLeaf(leaf), this.#now)
    const held = Math.max(0, nodes - (free - freeNow))
    const early = drained <= startsAt ? startsAt - drained : 0
    return held * (startsAt - this.#now) + 0.3 * nodes * early + 0.001 * (free - nodes)
  }

  #look(pod: number): void {
    const { leavesPerPod } = this.#tree
    this.#seen[pod] = this.#round
    let sum = 0
    for (let leaf = pod * leavesPerPod; leaf < (pod + 1) * leavesPerPod; leaf++) {
      const outlasts = Math.max(0, this.end - Math.max(this.#state.lastEndOnLeaf(leaf), this.#now))
      this.#outlasts[leaf] = outlasts
      sum += outlasts
    }
    this.#sums[pod] = sum
  }

  /** For each uplink how long the job would keep it from the leaves of a pod whose own is free by then. */
  uplinkCosts(pod: number): Float64Array {
    if (this.#uplinksOf === pod && this.#uplinksIn === this.#round) return this.#uplinks
    this.#uplinksOf = pod
    this.#uplinksIn = this.#round
    const { leavesPerPod, width } = this.#tree
    this.#uplinks.fill(0)
    if (!this.#areHeeded) return this.#uplinks
    for (let leaf = pod * leavesPerPod; leaf < (pod + 1) * leavesPerPod; leaf++) {
      for (let i = 0; i < width; i++)
        this.#uplinks[i] += Math.max(0, this.end - Math.max(this.#state.endOfLink(0, leaf * width + i), this.#now))
    }
    return this.#uplinks
  }
}
