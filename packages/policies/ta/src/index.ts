import {
  type Json,
  onWholeTree,
  type Outcome,
  type Placement,
  type PlacementPolicy,
  type Placer,
  type Refusal,
  type Request,
  type StateView,
} from '@cloister/placement'
import { isFullBisection, shareOf, type Topology } from '@cloister/topology'
import * as v from 'valibot'
import { type OpenNodes, openNodesHooks, type TreeShape, treeShapeOf } from './open-nodes.ts'
import { version } from './version.ts'

export type { OpenNodes } from './open-nodes.ts'

/** Configuration of the policy TA. */
export interface Config {
  /**
   * True if jobs on several leaves take only leaves without other jobs. Small jobs may still join such leaves later.
   * The option is close to the rules of Jain et al. (IPDPS 2017), from which the paper by Pollard et al. (SC 2018)
   * starts.
   */
  readonly wholeLeaves: boolean
  /**
   * True if jobs on several pods fill pods without other jobs, and take the remaining nodes from one more pod. Smaller
   * jobs may still join these pods later. Default: false.
   */
  readonly wholePods?: boolean
  /**
   * Order in which jobs of several pods take pods: `most-free` for most available nodes first (Algorithm 1 of Pollard
   * et al., line 35; default), `fewest-free` for fewest available nodes first (the code of Pollard et al.).
   */
  readonly podsFirst?: 'most-free' | 'fewest-free'
}

const Config = v.strictObject({
  wholeLeaves: v.exactOptional(
    v.pipe(v.boolean(), v.description('jobs on several leaves take only leaves without other jobs')),
    false,
  ),
  wholePods: v.exactOptional(
    v.pipe(v.boolean(), v.description('jobs on several pods fill empty pods, and take the rest from one more pod')),
  ),
  podsFirst: v.exactOptional(
    v.pipe(
      v.picklist(['most-free', 'fewest-free']),
      v.description('pods that jobs on several pods take first: with most or fewest free nodes; default: most-free'),
    ),
  ),
})

/**
 * The policy TA (Pollard, Jain, Herbein and Bhatele, SC 2018, section III, Algorithm 1). Small jobs (T1) go to one
 * leaf. Medium jobs (T2) go to leaves of one pod, and large jobs (T3) to several pods; medium and large jobs share
 * their leaves only with small jobs. No pod has two large jobs.
 */
export const ta: PlacementPolicy<Config, OpenNodes> = {
  contract: 1,
  name: 'ta',
  version,
  config: Config,
  make: (topology, config) =>
    onWholeTree(topology, (whole, present) => {
      const tree = treeShapeOf(whole, present)
      return 'unsupported' in tree ? tree : new TaPlacer(tree, config)
    }),
}
export default ta

/** Placer of the policy TA: each type of jobs has its own search. Of equal leaves or pods, the lower id wins. */
class TaPlacer implements Placer<OpenNodes> {
  readonly claims: Placer['claims']
  readonly placesByKey = true
  readonly index: Placer<OpenNodes>['index'] & {}
  readonly #tree: TreeShape
  readonly #selection: Selection
  readonly #idsOfLeaf: Int32Array
  readonly #wholePods: boolean
  /** Sign in the comparison of pods: 1 for `podsFirst: most-free`, -1 for `fewest-free`. */
  readonly #sign: 1 | -1

  constructor(tree: TreeShape, { wholeLeaves, wholePods = false, podsFirst = 'most-free' }: Config) {
    this.#tree = tree
    this.#wholePods = wholePods
    this.#sign = podsFirst === 'most-free' ? 1 : -1
    this.#selection = new Selection(tree.topology)
    this.#idsOfLeaf = new Int32Array(tree.nodesPerLeaf)
    this.index = openNodesHooks(tree, wholeLeaves)
    // A T2 or T3 job owns all uplinks of its leaves, and a T3 job all L2 uplinks of its pods.
    const share = shareOf(tree.topology)
    this.claims = {
      links: 'owned',
      rule: 'ta',
      fullBandwidth: isFullBisection(tree.topology),
      ...(share === undefined ? {} : { shareBandwidth: share }),
      exactSize: true,
      monotone: true,
      // With `wholeLeaves` or `wholePods`, TA may refuse a placement whose nodes are all free, because other nodes of a
      // leaf or pod are busy.
      complete: !wholeLeaves && !wholePods,
      speedupScenarios: true,
    }
  }

  place(state: StateView, request: Request, index: OpenNodes): Outcome {
    const { nodes } = request
    const { topology, nodesPerLeaf, nodesPerPod } = this.#tree
    if (nodes > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
    if (nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
    if (nodes <= nodesPerLeaf) return this.#placeT1(state, nodes)
    if (nodes <= nodesPerPod) return this.#placeT2(state, index, nodes)
    return this.#placeT3(state, index, nodes)
  }

  /** RESOURCE_ALLOCATE_SMALL of Algorithm 1: the pod with the fewest free nodes and a leaf that can hold the T1 job. */
  #placeT1(state: StateView, nodes: number): Outcome {
    const { pods, podOfLeaf } = this.#tree.topology
    let chosen = -1
    for (let pod = 0; pod < pods; pod++) {
      const free = state.freeNodesInPod(pod)
      if (free < nodes || (chosen >= 0 && free >= state.freeNodesInPod(podOfLeaf[chosen]))) continue
      const leaf = this.#tightestLeaf(state, pod, nodes)
      if (leaf >= 0) chosen = leaf
    }
    if (chosen < 0) return noPlacement('free nodes on one leaf', this.#mostFreeLeaf(state, nodes))
    state.freeNodeIds(chosen, this.#idsOfLeaf)
    return { ok: true, nodes: this.#idsOfLeaf.slice(0, nodes), links: [] }
  }

  #tightestLeaf(state: StateView, pod: number, nodes: number): number {
    const { firstLeafOfPod } = this.#tree.topology
    let chosen = -1
    for (let leaf = firstLeafOfPod[pod]; leaf < firstLeafOfPod[pod + 1]; leaf++) {
      const free = state.freeNodesOnLeaf(leaf)
      if (free >= nodes && (chosen < 0 || free < state.freeNodesOnLeaf(chosen))) chosen = leaf
    }
    return chosen
  }

  #mostFreeLeaf(state: StateView, need: number): Json {
    let leaf = 0
    for (let other = 1; other < this.#tree.topology.leaves; other++) {
      if (state.freeNodesOnLeaf(other) > state.freeNodesOnLeaf(leaf)) leaf = other
    }
    return { leaf, have: state.freeNodesOnLeaf(leaf), need }
  }

  /** RESOURCE_ALLOCATE_MEDIUM of Algorithm 1: the pod with the fewest free nodes in which the T2 job fits. */
  #placeT2(state: StateView, index: OpenNodes, nodes: number): Outcome {
    const { ofPod } = index
    let chosen = -1
    let mostFree = 0
    for (let pod = 0; pod < ofPod.length; pod++) {
      if (ofPod[pod] > ofPod[mostFree]) mostFree = pod
      if (ofPod[pod] < nodes) continue
      if (chosen < 0 || state.freeNodesInPod(pod) < state.freeNodesInPod(chosen)) chosen = pod
    }
    if (chosen < 0) {
      return noPlacement('free nodes of one pod on leaves without T2 and T3 jobs', {
        pod: mostFree,
        have: ofPod[mostFree],
        need: nodes,
      })
    }
    this.#selection.take(index, chosen, nodes)
    return this.#selection.placement(state, [chosen])
  }

  /** RESOURCE_ALLOCATE_LARGE of Algorithm 1: a T3 job gets open leaves of open pods. */
  #placeT3(state: StateView, index: OpenNodes, nodes: number): Outcome {
    const pods: Array<number> = []
    let have = 0
    for (let pod = 0; pod < this.#tree.topology.pods; pod++) {
      if (index.closedL2InPod[pod] > 0 || index.ofPod[pod] === 0) continue
      pods.push(pod)
      have += index.ofPod[pod]
    }
    if (have < nodes)
      return noPlacement('free nodes of pods without T3 jobs on leaves without T2 jobs', { have, need: nodes })
    pods.sort((a, b) => this.#sign * (state.freeNodesInPod(b) - state.freeNodesInPod(a)) || a - b)
    const taken = this.#wholePods ? this.#wholeAndOneMore(index, pods, nodes) : pods
    if (taken === undefined) {
      const whole = pods.filter((pod) => index.ofPod[pod] === this.#tree.ofPod[pod]).length
      return noPlacement('pods without other jobs, and nodes of one more', { whole, need: nodes })
    }
    let used = 0
    for (let left = nodes; left > 0; used++) left -= this.#selection.take(index, taken[used], left)
    return this.#selection.placement(
      state,
      taken.slice(0, used).sort((a, b) => a - b),
    )
  }

  /**
   * Returns the whole pods that a T3 job fills, and for the rest of its nodes the pod with the fewest sufficient nodes
   * on open leaves; undefined if there are too few such pods.
   */
  #wholeAndOneMore({ ofPod }: OpenNodes, pods: ReadonlyArray<number>, nodes: number): Array<number> | undefined {
    const taken: Array<number> = []
    let rest = nodes
    for (const pod of pods) {
      if (ofPod[pod] < this.#tree.ofPod[pod] || ofPod[pod] > rest) continue
      taken.push(pod)
      rest -= ofPod[pod]
    }
    if (rest === 0) return taken
    const others = pods.filter((pod) => ofPod[pod] >= rest && !taken.includes(pod))
    if (others.length === 0) return undefined
    const last = others.reduce((best, pod) => (ofPod[pod] < ofPod[best] ? pod : best))
    return [...taken, last]
  }
}

function noPlacement(constraint: string, nearest: Json): Refusal {
  return { ok: false, code: 'no-placement', constraint, nearest }
}

/** Nodes for one placement of a T2 or T3 job. Calling `placement` empties the selection. */
class Selection {
  readonly #topology: Topology
  readonly #ofLeaf: Int32Array
  readonly #nodeIds: Int32Array

  constructor(topology: Topology) {
    this.#topology = topology
    this.#ofLeaf = new Int32Array(topology.leaves)
    this.#nodeIds = new Int32Array(topology.nodes)
  }

  /**
   * Selects up to `nodes` nodes on a pod's open leaves, first on leaves with the most free nodes; returns the number of
   * selected nodes.
   */
  take(index: OpenNodes, pod: number, nodes: number): number {
    const leaves: Array<number> = []
    const { firstLeafOfPod } = this.#topology
    for (let leaf = firstLeafOfPod[pod]; leaf < firstLeafOfPod[pod + 1]; leaf++)
      if (index.ofLeaf[leaf] > 0) leaves.push(leaf)
    // If the job takes all nodes of the open leaves, the order of the leaves does not matter.
    if (nodes < index.ofPod[pod]) leaves.sort((a, b) => index.ofLeaf[b] - index.ofLeaf[a] || a - b)
    let left = nodes
    for (let i = 0; i < leaves.length && left > 0; i++) {
      const taken = Math.min(left, index.ofLeaf[leaves[i]])
      this.#ofLeaf[leaves[i]] = taken
      left -= taken
    }
    return nodes - left
  }

  /** Makes the placement of the selected nodes in `pods` (ascending), with every link that messages could take. */
  placement(state: StateView, pods: ReadonlyArray<number>): Placement {
    const { firstLeafOfPod, firstL2OfPod } = this.#topology
    const leafUplinks: Array<number> = []
    const l2Uplinks: Array<number> = []
    let nodes = 0
    for (const pod of pods) {
      for (let leaf = firstLeafOfPod[pod]; leaf < firstLeafOfPod[pod + 1]; leaf++) {
        if (this.#ofLeaf[leaf] === 0) continue
        // `freeNodeIds` writes all free nodes of the leaf. The next leaf's ids overwrite the ids that are too many.
        state.freeNodeIds(leaf, this.#nodeIds, nodes)
        nodes += this.#ofLeaf[leaf]
        this.#ofLeaf[leaf] = 0
        this.#addUplinks(0, leaf, leaf + 1, leafUplinks)
      }
      if (pods.length > 1) this.#addUplinks(1, firstL2OfPod[pod], firstL2OfPod[pod + 1], l2Uplinks)
    }
    return {
      ok: true,
      nodes: this.#nodeIds.slice(0, nodes),
      links: pods.length > 1 ? [leafUplinks, l2Uplinks] : [leafUplinks],
    }
  }

  #addUplinks(level: number, from: number, end: number, into: Array<number>): void {
    const { firstPort } = this.#topology.levels[level]
    for (let link = firstPort[from]; link < firstPort[end]; link++) into.push(link)
  }
}
