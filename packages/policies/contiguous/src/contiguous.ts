import type { Claims, Outcome, Placer, Request, StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { Config } from './config.ts'
import type { Grouping } from './groups.ts'

/**
 * Placer of the policy contiguous (Figure 1 of Pascual and Miguel-Alonso): takes the first free nodes of the first
 * group of leaves of the job's level with enough free nodes.
 */
export class ContiguousPlacer implements Placer {
  readonly claims: Claims
  readonly placesByKey = true
  readonly #topology: Topology
  readonly #groupings: ReadonlyArray<Grouping>
  readonly #relaxed: boolean
  readonly #installed: number
  readonly #leaves: number
  readonly #ids: Int32Array

  constructor(topology: Topology, groupings: ReadonlyArray<Grouping>, { search, installed = topology.nodes }: Config) {
    this.claims = {
      links: 'shared',
      fullBandwidth: false,
      exactSize: true,
      monotone: true,
      complete: true,
      speedupScenarios: search !== 'first-fit',
    }
    this.#topology = topology
    this.#groupings = groupings
    this.#relaxed = search === 'relaxed'
    this.#installed = installed
    this.#leaves = topology.leafOfNode[installed - 1] + 1
    this.#ids = new Int32Array(topology.nodes)
  }

  place(state: StateView, { nodes }: Request): Outcome {
    if (nodes > this.#installed) return { ok: false, code: 'never', constraint: 'machine size' }
    if (nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
    const level = this.#groupings.findIndex((grouping) => grouping.nodes >= nodes)
    const highest = Math.min(level + (this.#relaxed ? 1 : 0), this.#groupings.length - 1)
    let most = 0
    for (let at = level; at <= highest; at++) {
      const group = this.#groupings[at].leaves
      for (let first = 0; first < this.#leaves; first += group) {
        const free = this.#freeNodes(state, first, first + group)
        if (free >= nodes) return { ok: true, nodes: this.#firstFree(state, first, nodes), links: [] }
        most = Math.max(most, free)
      }
    }
    const constraint =
      this.#groupings.length === 1 ? 'free nodes' : `free nodes below one switch of level ${highest + 1}`
    return { ok: false, code: 'no-placement', constraint, nearest: { have: most, need: nodes } }
  }

  /** Counts the free installed nodes of the leaves `from` to `to` - 1, of which the last may not exist. */
  #freeNodes(state: StateView, from: number, to: number): number {
    const last = this.#leaves - 1
    let free = 0
    for (let leaf = from; leaf < to && leaf < last; leaf++) free += state.freeNodesOnLeaf(leaf)
    return to > last ? free + this.#freeOnLastLeaf(state, last) : free
  }

  #freeOnLastLeaf(state: StateView, leaf: number): number {
    if (this.#installed === this.#topology.firstNodeOfLeaf[leaf + 1]) return state.freeNodesOnLeaf(leaf)
    let free = state.freeNodeIds(leaf, this.#ids)
    while (free > 0 && this.#ids[free - 1] >= this.#installed) free--
    return free
  }

  #firstFree(state: StateView, firstLeaf: number, nodes: number): Int32Array {
    let taken = 0
    for (let leaf = firstLeaf; taken < nodes; leaf++) taken += state.freeNodeIds(leaf, this.#ids, taken)
    // The ids after the first `nodes` are free nodes that the job does not need, or nodes that are not installed.
    return this.#ids.slice(0, nodes)
  }
}
