import {
  type Claims,
  freeNodeIdsOfPart,
  freeNodesOfPart,
  type LeafPart,
  type Outcome,
  type PlacementPolicy,
  type Placer,
  type Request,
  type StateView,
} from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { assign } from './assignment.ts'
import { Config, type Rule, ruleOf } from './config.ts'
import { Capacity, domainTreeOf, type MachineTree, type Part } from './domains.ts'
import { version } from './version.ts'

export type { Config, LevelName, Slices } from './config.ts'

/**
 * The policy kueue-tas places jobs like the topology-aware scheduling of Kueue, one Kubernetes pod on each node. A job
 * gets one domain of a level or few domains, by BestFit, LeastFreeCapacity or BalancedPlacement, optionally in slices.
 */
export const kueueTas: PlacementPolicy<Config> = {
  contract: 1,
  name: 'kueue-tas',
  version,
  config: Config,
  make: (topology, config) => new KueueTasPlacer(topology, config),
}
export default kueueTas

/** Placer of the policy kueue-tas. If leaves are the lowest level, a leaf gives its free nodes with the lowest ids. */
class KueueTasPlacer implements Placer {
  /** The policy is monotone and complete, because a job is refused only if its slices do not fit. */
  readonly claims: Claims = {
    links: 'shared',
    fullBandwidth: false,
    exactSize: true,
    monotone: true,
    complete: true,
    speedupScenarios: false,
  }
  readonly placesByKey = true
  readonly #topology: Topology
  readonly #tree: MachineTree
  readonly #isOnNodes: boolean
  readonly #rule: Rule
  readonly #unsliced: Rule | undefined
  readonly #place: string
  readonly #free: Capacity
  readonly #empty: Capacity
  readonly #scratch: Capacity
  readonly #ids: Int32Array
  /** Map from the size of a job to true if a job of this size fits on the empty machine. */
  readonly #everFits = new Map<number, boolean>()

  constructor(topology: Topology, config: Config) {
    this.#topology = topology
    this.#tree = domainTreeOf(topology, config)
    this.#isOnNodes = config.lowest === 'node'
    this.#rule = ruleOf(config, this.#tree)
    this.#unsliced = config.indivisible === 'unsliced' ? ruleOf(config, this.#tree, []) : undefined
    this.#place = placeText(config)
    this.#free = new Capacity(this.#tree)
    this.#empty = new Capacity(this.#tree)
    this.#scratch = new Capacity(this.#tree)
    this.#ids = new Int32Array(topology.nodes)
    this.#fill(this.#empty, ({ size }) => size)
  }

  place(state: StateView, { nodes }: Request): Outcome {
    if (nodes > this.#topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
    const rule = this.#ruleFor(nodes)
    const { size } = rule.slicing
    if (nodes % size !== 0) return { ok: false, code: 'never', constraint: `a multiple of the slices of ${size} nodes` }
    if (!this.#canEverFit(rule, nodes)) return { ok: false, code: 'never', constraint: this.#place }
    if (nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
    this.#fill(this.#free, (part) => freeNodesOfPart(state, part), state)
    this.#free.addUp(rule.slicing)
    const parts = assign(this.#tree, this.#free, this.#scratch, rule, nodes)
    if (parts === undefined) return { ok: false, code: 'no-placement', constraint: `free nodes in ${this.#place}` }
    return { ok: true, nodes: this.#nodesOf(state, parts, nodes), links: [] }
  }

  #ruleFor(nodes: number): Rule {
    return this.#unsliced !== undefined && nodes % this.#rule.slicing.size !== 0 ? this.#unsliced : this.#rule
  }

  #canEverFit(rule: Rule, nodes: number): boolean {
    let fits = this.#everFits.get(nodes)
    if (fits === undefined) {
      this.#empty.addUp(rule.slicing)
      fits = assign(this.#tree, this.#empty, this.#scratch, rule, nodes) !== undefined
      this.#everFits.set(nodes, fits)
    }
    return fits
  }

  /**
   * Fills the capacities of the lowest level: the free nodes of each leaf, or 1 for a free node and 0 for any other
   * node.
   */
  #fill(capacity: Capacity, freeOn: (part: LeafPart) => number, state?: StateView): void {
    const { parts, firstNode, nodeIds } = this.#tree
    const lowest = capacity.nodes[capacity.nodes.length - 1]
    for (const [at, part] of parts.entries()) {
      const free = freeOn(part)
      const [first, end] = [firstNode[at], firstNode[at + 1]]
      if (!this.#isOnNodes) lowest[at] = free
      else if (free === 0 || free === end - first) lowest.fill(free === 0 ? 0 : 1, first, end)
      else for (let i = first; i < end; i++) lowest[i] = state!.isNodeFree(nodeIds?.[i] ?? i) ? 1 : 0
    }
  }

  #nodesOf(state: StateView, shares: ReadonlyArray<Part>, nodes: number): Int32Array {
    const { parts, nodeIds } = this.#tree
    if (this.#isOnNodes) return Int32Array.from(shares, ({ domain }) => nodeIds?.[domain] ?? domain).sort()
    let taken = 0
    for (const { domain, units } of shares.toSorted((a, b) => a.domain - b.domain)) {
      // All free nodes of a part are written. The ids of the next part overwrite the ids that are too many.
      freeNodeIdsOfPart(state, parts[domain], this.#ids, taken)
      taken += units
    }
    const ids = this.#ids.slice(0, nodes)
    return nodeIds === undefined ? ids : ids.sort()
  }
}

function placeText(config: Config): string {
  const { mode, level, slices } = config
  const domain = mode === 'required' ? `one ${levelText(level)}` : 'the machine'
  return slices === undefined
    ? domain
    : `${domain}, for slices of ${slices[0].size} nodes in one ${levelText(slices[0].level)} each`
}

function levelText(level: Config['level']): string {
  return typeof level === 'number' ? `block of ${level} nodes` : level
}
