import type { Outcome, Placement, Placer, Request, StateView } from '@cloister/placement'
import { Budget } from './budget.ts'
import type { Config } from './config.ts'
import { type FreeIndex, freeIndexHooks } from './free-index.ts'
import type { Machine } from './machine.ts'
import { type LeafShape, OnePodSearch } from './one-pod.ts'
import { inOnePod, inSeveralPods, onOneLeaf } from './placements.ts'
import { type PodShape, SeveralPodsSearch } from './several-pods.ts'

/** GET_ALLOCATION of the paper's Algorithm 1: one leaf, one pod, several pods of whole leaves; the first that is found. */
export class JigsawPlacer implements Placer<FreeIndex> {
  readonly claims: Placer['claims']
  readonly index: Placer<FreeIndex>['index'] & {}
  readonly #machine: Machine
  readonly #config: Config
  readonly #budget: Budget
  readonly #onePod: OnePodSearch
  readonly #severalPods: SeveralPodsSearch
  /** Pods with enough free nodes for the request at hand. */
  readonly #roomyPods: Int32Array
  #roomy = 0
  readonly #podsWithWhole: Int32Array
  /** How far the request at hand came. */
  #failed: 'free leaves' | 'common uplinks' | 'common spine links' = 'free leaves'

  constructor(machine: Machine, config: Config) {
    this.#machine = machine
    this.#config = config
    this.#budget = new Budget(config.maxSteps ?? Infinity)
    this.#onePod = new OnePodSearch(machine, this.#budget)
    this.#severalPods = new SeveralPodsSearch(machine, this.#budget)
    this.#roomyPods = new Int32Array(machine.pods)
    this.#podsWithWhole = new Int32Array(machine.leavesPerPod + 1)
    this.index = freeIndexHooks(machine)
    const unbounded = config.maxSteps === undefined
    this.claims = {
      links: 'owned', rule: 'jigsaw-conditions', fullBandwidth: true, exactSize: true,
      monotone: unbounded, complete: unbounded, speedup: true,
    }
  }

  place(state: StateView, request: Request, index: FreeIndex): Outcome {
    const { nodes } = request
    if (nodes > this.#machine.topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
    if (nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
    this.#budget.renew()
    this.#failed = 'free leaves'
    this.#findRoomyPods(state, nodes)
    const placement = this.#inOnePod(state, index, nodes) ?? this.#inSeveralPods(state, index, nodes)
    if (placement !== undefined) return placement
    if (this.#budget.spent) return { ok: false, code: 'search-bound', steps: this.#budget.steps }
    return { ok: false, code: 'no-placement', constraint: this.#failed, nearest: this.#nearest(state, nodes) }
  }

  #findRoomyPods(state: StateView, nodes: number): void {
    this.#roomy = 0
    for (let pod = 0; pod < this.#machine.pods; pod++) {
      if (state.freeNodesInPod(pod) >= nodes) this.#roomyPods[this.#roomy++] = pod
    }
  }

  #inOnePod(state: StateView, index: FreeIndex, nodes: number): Placement | undefined {
    if (this.#roomy === 0) return undefined
    const { leavesPerPod, nodesPerLeaf, leafPorts } = this.#machine
    const most = Math.min(nodes - 1, nodesPerLeaf, leafPorts)
    const least = Math.max(1, Math.ceil(nodes / leavesPerPod))
    const dense = this.#config.order === 'densest-first'
    if (dense) {
      const single = this.#onOneLeaf(state, index, nodes)
      if (single !== undefined) return single
    }
    for (let step = 0; step <= most - least; step++) {
      const perLeaf = dense ? most - step : least + step
      const shape = { leaves: Math.floor(nodes / perLeaf), nodes: perLeaf, remainder: nodes % perLeaf }
      const placement = this.#leavesInSomePod(state, index, shape)
      if (placement !== undefined || this.#budget.spent) return placement
    }
    return dense ? undefined : this.#onOneLeaf(state, index, nodes)
  }

  #onOneLeaf(state: StateView, index: FreeIndex, nodes: number): Placement | undefined {
    const { nodesPerLeaf, leavesPerPod } = this.#machine
    const { leafJobsHoldUplinks } = this.#config
    if (nodes > nodesPerLeaf) return undefined
    const [leaves, offered] = leafJobsHoldUplinks ? [index.leavesUsable, index.usable] : [index.leavesFree, index.free]
    for (let i = 0; i < this.#roomy; i++) {
      const pod = this.#roomyPods[i]!
      if (leaves[pod * (nodesPerLeaf + 1) + nodes] === 0) continue
      let leaf = pod * leavesPerPod
      while (offered[leaf]! < nodes) leaf++
      return onOneLeaf(this.#machine, state, index, leaf, nodes, leafJobsHoldUplinks)
    }
    return undefined
  }

  #leavesInSomePod(state: StateView, index: FreeIndex, shape: LeafShape): Placement | undefined {
    const stride = this.#machine.nodesPerLeaf + 1
    const needed = shape.leaves + (shape.remainder > 0 ? 1 : 0)
    for (let i = 0; i < this.#roomy; i++) {
      const pod = this.#roomyPods[i]!
      if (index.leavesUsable[pod * stride + shape.nodes]! < shape.leaves) continue
      if (index.leavesUsable[pod * stride + shape.remainder]! < needed) continue
      if (this.#onePod.find(index, pod, shape)) return inOnePod(this.#machine, state, index, this.#onePod, shape)
      if (this.#budget.spent) return undefined
      this.#failed = 'common uplinks'
    }
    return undefined
  }

  #inSeveralPods(state: StateView, index: FreeIndex, nodes: number): Placement | undefined {
    const { leavesPerPod, leafCables, l2Ports, pods, wholeLeaf } = this.#machine
    if (pods === 1 || nodes < wholeLeaf || this.#budget.spent) return undefined
    if (this.#countWholeLeaves(index) < Math.floor(nodes / wholeLeaf)) return undefined
    const most = Math.min(leavesPerPod, Math.floor(l2Ports / leafCables))
    const dense = this.#config.order === 'densest-first'
    for (let step = 1; step <= most; step++) {
      const leaves = dense ? most + 1 - step : step
      const full = Math.floor(nodes / (leaves * wholeLeaf))
      if (full === 0 || this.#podsWithWhole[leaves]! < full) continue
      const shape = podShape(nodes, full, leaves, wholeLeaf)
      if (!this.#hasRemainderPod(index, shape)) continue
      if (this.#severalPods.find(index, shape)) return inSeveralPods(this.#machine, state, index, this.#severalPods, shape)
      if (this.#budget.spent) return undefined
      this.#failed = 'common spine links'
    }
    return undefined
  }

  /** Fills `podsWithWhole[k]`, the pods with at least k whole leaves; returns the whole leaves of all. */
  #countWholeLeaves(index: FreeIndex): number {
    const { pods, leavesPerPod, nodesPerLeaf, wholeLeaf } = this.#machine
    const counts = this.#podsWithWhole.fill(0)
    let all = 0
    for (let pod = 0, at = wholeLeaf; pod < pods; pod++, at += nodesPerLeaf + 1) {
      const whole = index.leavesUsable[at]!
      all += whole
      counts[whole]!++
    }
    for (let k = leavesPerPod; k > 0; k--) counts[k - 1]! += counts[k]!
    return all
  }

  /** By counts alone: besides the full pods one more that could take the remainder, where there is one. */
  #hasRemainderPod(index: FreeIndex, shape: PodShape): boolean {
    // A single full pod without a remainder is no allocation of several pods.
    if (shape.remainderLeaves + shape.remainder === 0) return shape.pods > 1
    if (this.#podsWithWhole[shape.leaves]! > shape.pods) return true
    const { pods, nodesPerLeaf, wholeLeaf } = this.#machine
    for (let pod = 0, row = 0; pod < pods; pod++, row += nodesPerLeaf + 1) {
      const whole = index.leavesUsable[row + wholeLeaf]!
      if (whole < shape.leaves && whole >= shape.remainderLeaves && index.leavesFree[row + shape.remainder]! > shape.remainderLeaves) return true
    }
    return false
  }

  /** The pod with most free nodes; the request's nodes are what it would need to hold it alone. */
  #nearest(state: StateView, nodes: number): { readonly pod: number; readonly have: number; readonly need: number } {
    let best = 0
    for (let pod = 1; pod < this.#machine.pods; pod++) {
      if (state.freeNodesInPod(pod) > state.freeNodesInPod(best)) best = pod
    }
    return { pod: best, have: state.freeNodesInPod(best), need: nodes }
  }
}

/** nodes = (pods * leaves + remainderLeaves) * wholeLeaf + remainder */
function podShape(nodes: number, pods: number, leaves: number, wholeLeaf: number): PodShape {
  const left = nodes - pods * leaves * wholeLeaf
  return { pods, leaves, remainderLeaves: Math.floor(left / wholeLeaf), remainder: left % wholeLeaf }
}
