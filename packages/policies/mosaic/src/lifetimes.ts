import type { FreeIndex, TreeShape } from '@cloister/isolation'
import type { Request, StateView } from '@cloister/placement'

/**
 * Costs of a leaf's nodes for a job, in node-milliseconds that other jobs lose: low if the job ends together with the
 * other jobs of the leaf. A whole leaf costs more, because it could have formed a larger set of whole leaves with
 * neighbour leaves that drain before the job ends.
 */
export class Lifetimes {
  end = 0
  readonly #tree: TreeShape
  readonly #areHeeded: boolean
  #state!: StateView
  #index!: FreeIndex
  #now = 0
  /** Time at which the job would start, for a reservation; undefined for a start now. */
  #startsAt: number | undefined
  /** For each leaf, the ms for which the job outlasts the leaf's jobs; valid if `#seen` of the pod equals `#round`. */
  readonly #outlasts: Float64Array
  readonly #sums: Float64Array
  readonly #seen: Int32Array
  #round = 0
  /** Result of the last call of `uplinkCosts` in the present round. */
  readonly #uplinks: Float64Array
  #uplinksOf = -1
  #uplinksIn = -1

  /** @param areHeeded false to ignore lifetimes: nodes cost the number of nodes left free on the leaf + 1, uplinks 0 */
  constructor(tree: TreeShape, areHeeded: boolean) {
    this.#tree = tree
    this.#areHeeded = areHeeded
    this.#outlasts = new Float64Array(tree.topology.leaves)
    this.#sums = new Float64Array(tree.pods)
    this.#seen = new Int32Array(tree.pods)
    this.#uplinks = new Float64Array(tree.leafPorts)
  }

  begin(state: StateView, index: FreeIndex, { purpose, now, startsAt = now, estimate = 0 }: Request): void {
    this.#state = state
    this.#index = index
    this.#now = now
    this.#startsAt = purpose === 'reserve' ? startsAt : undefined
    this.end = (this.#startsAt ?? now) + estimate
    this.#round++
  }

  /** Returns the cost of `nodes` nodes of a leaf for the job of the latest call of `begin`. */
  cost(leaf: number, nodes: number): number {
    if (!this.#areHeeded) return this.#index.free[leaf] - nodes + 1
    if (this.#startsAt !== undefined) return this.#costLater(leaf, nodes, this.#startsAt)
    const { topology, nodesPerLeaf } = this.#tree
    const pod = topology.podOfLeaf[leaf]
    if (this.#seen[pod] !== this.#round) this.#look(pod)
    const outlasts = this.#outlasts[leaf]
    const cost =
      outlasts * (nodesPerLeaf - nodes) +
      0.5 * Math.max(0, this.#state.lastEndOnLeaf(leaf) - Math.max(this.end, this.#now)) * nodes +
      1
    return this.#index.usable[leaf] === nodesPerLeaf ? cost + this.#sums[pod] - outlasts : cost
  }

  /**
   * Cost for a reservation: high for nodes that are free now, as they would wait idle; low if the leaf drains just
   * before the start of the job.
   */
  #costLater(leaf: number, nodes: number, startsAt: number): number {
    const free = this.#index.free[leaf]
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

  /**
   * Returns a cost in ms for each uplink slot of a pod: the sum, over the pod's cables to the L2 switch of the slot, of
   * the time between the moment at which the cable is free and the end of the job.
   */
  uplinkCosts(pod: number): Float64Array {
    if (this.#uplinksOf === pod && this.#uplinksIn === this.#round) return this.#uplinks
    this.#uplinksOf = pod
    this.#uplinksIn = this.#round
    const { leavesPerPod, leafPorts, l2PerPod } = this.#tree
    this.#uplinks.fill(0)
    if (!this.#areHeeded) return this.#uplinks
    for (let leaf = pod * leavesPerPod; leaf < (pod + 1) * leavesPerPod; leaf++) {
      for (let port = 0, i = 0; port < leafPorts; port++, i = i + 1 === l2PerPod ? 0 : i + 1)
        this.#uplinks[i] += Math.max(
          0,
          this.end - Math.max(this.#state.endOfLink(0, leaf * leafPorts + port), this.#now),
        )
    }
    for (let slot = l2PerPod; slot < leafPorts; slot++) this.#uplinks[slot] = this.#uplinks[slot - l2PerPod]
    return this.#uplinks
  }
}
