import {
  type Claims,
  type IndexHooks,
  onWholeTree,
  type Outcome,
  type Placement,
  type Placer,
  type Request,
  type StateView,
} from '@cloister/placement'
import { type Share, shareOf, type Topology } from '@cloister/topology'
import { type PartitionConfig, Search } from './search.ts'
import {
  type FreeIndex,
  freeIndexHooks,
  MOST_FREE_NODES,
  MOST_FREE_POD,
  WHOLE_LEAVES,
  WHOLE_NODES,
} from './free-index.ts'
import { type TreeShape, treeShapeOf } from './tree-shape.ts'
import { areSetsFew } from './pod-capacity.ts'
import { shareLinks } from './sharing.ts'
import { WithinPod } from './within-pod.ts'

/** Search over several pods, for jobs that no single pod can hold now. */
export interface AcrossPods {
  /** Finds a placement of a job of `nodes` nodes; undefined if there is none, or if the search has no steps left. */
  find(state: StateView, index: FreeIndex, nodes: number): Placement | undefined
  /** Returns an upper bound of the number of nodes of the jobs that `find` can place. Default: no bound. */
  mostNodes?(index: FreeIndex): number
  /**
   * Returns the least number of nodes that a placement of `find` has on whole leaves, whose nodes and uplinks are all
   * free. Default: no such number.
   */
  wholeNodes?(nodes: number): number
}

/** Differences between the policies that search for partitions. */
export interface PartitionRules {
  /** Name of the auditor's rule for the allocations (`Claims.rule`). */
  readonly rule: string
  readonly exactSize: boolean
  /**
   * True if a single full leaf of a pod, or a single full pod, holds only as many uplinks as its remainder: more flows
   * never leave it. Always true if jobs own shares of a tapered tree. Default: as many uplinks as downlinks.
   */
  readonly fewestUplinks?: boolean
  readonly acrossPods: (search: Search) => AcrossPods
}

/** Index of the free resources, or one index for each bandwidth class if links are shared. */
export type PartitionIndex = FreeIndex | ReadonlyArray<FreeIndex>

/**
 * Returns a placer of partitions, or the reason why the policy does not serve the topology. The placer searches single
 * pods first (one leaf or several leaves, in the order of `config`), then several pods by the rules of the policy. On a
 * tapered tree jobs own their share of the links, and the placer claims share bandwidth, unless `config.bandwidth` is
 * `full` or jobs share links. On a tree with absent parts, the placer also tries leaves with different numbers of nodes.
 */
export function partitionPlacer(
  topology: Topology,
  config: PartitionConfig,
  rulesOn: (tree: TreeShape) => PartitionRules,
): Placer<PartitionIndex> | { readonly unsupported: string } {
  const share = config.bandwidth === 'full' || config.sharing !== undefined ? undefined : shareOf(topology)
  return onWholeTree<PartitionIndex>(topology, (whole, present) => {
    const tree = treeShapeOf(whole, share !== undefined, present)
    if ('unsupported' in tree) return tree
    const placer = new PartitionPlacer(tree, config, rulesOn(tree), share)
    return config.sharing === undefined ? placer : shareLinks(placer, whole, config.sharing)
  })
}

/** Placer of partitions on one whole tree. */
export class PartitionPlacer implements Placer<FreeIndex> {
  readonly placesByKey = true
  readonly claims: Claims
  readonly index: IndexHooks<FreeIndex>
  readonly #tree: TreeShape
  readonly #search: Search
  readonly #withinPod: WithinPod
  readonly #acrossPods: AcrossPods

  constructor(tree: TreeShape, config: PartitionConfig, rules: PartitionRules, share: Share | undefined) {
    this.#tree = tree
    this.#search = new Search(config, rules.fewestUplinks === true || tree.isShare)
    this.#withinPod = new WithinPod(tree, config, this.#search)
    this.#acrossPods = rules.acrossPods(this.#search)
    this.index = freeIndexHooks(tree)
    const exhaustive =
      config.maxSteps === undefined && config.search === undefined && (tree.present === undefined || areSetsFew(tree))
    this.claims = {
      links: 'owned',
      rule: rules.rule,
      fullBandwidth: share === undefined,
      ...(share === undefined ? {} : { shareBandwidth: share }),
      exactSize: rules.exactSize,
      monotone: exhaustive,
      complete: exhaustive,
      speedupScenarios: true,
    }
  }

  mostNodes(_state: StateView, index: FreeIndex): number {
    const { capacity, summary } = index
    let inOnePod = capacity.length > 0 ? 0 : summary[MOST_FREE_NODES]
    for (let pod = 0; pod < capacity.length; pod++) inOnePod = Math.max(inOnePod, capacity[pod])
    if (this.#tree.pods === 1) return inOnePod
    return Math.max(inOnePod, this.#acrossPods.mostNodes?.(index) ?? Infinity)
  }

  /**
   * A head that no pod can hold needs whole leaves. A job in one pod takes the nodes that are not on whole leaves of the
   * later state, and the nodes of the whole leaves that the head leaves over.
   */
  mostNodesBeside(state: StateView, index: FreeIndex, _later: StateView, later: FreeIndex, head: number): number {
    const { pods, leavesPerPod, nodesPerLeaf, wholeLeaf, present } = this.#tree
    const { summary, usable, wholeNodes } = later
    const needed = this.#acrossPods.wholeNodes?.(head)
    if (needed === undefined || head <= summary[MOST_FREE_NODES]) return Infinity
    const spare = (present === undefined ? summary[WHOLE_LEAVES] * wholeLeaf : summary[WHOLE_NODES]) - needed
    if (spare < 0) return 0
    let most = spare === 0 ? 0 : (this.#acrossPods.mostNodes?.(later) ?? Infinity) - needed
    // A leaf stays whole without some of its nodes if it has fewer uplinks than nodes.
    if (wholeLeaf < nodesPerLeaf) return Math.max(most, index.summary[MOST_FREE_NODES])
    for (let pod = 0; pod < pods; pod++) {
      const free = state.freeNodesInPod(pod)
      let nodes = spare
      for (let leaf = pod * leavesPerPod; free > most && nodes < free && leaf < (pod + 1) * leavesPerPod; leaf++)
        if (present === undefined ? usable[leaf] < wholeLeaf : wholeNodes[leaf] === 0) nodes += index.free[leaf]
      most = Math.max(most, Math.min(free, nodes))
    }
    return most
  }

  place(state: StateView, request: Request, index: FreeIndex): Outcome {
    const { nodes } = request
    if (nodes > this.#tree.topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
    if (nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
    const search = this.#search
    search.begin()
    const within = this.#withinPod.find(state, index, nodes)
    if (within !== undefined) return within
    const across = search.exhausted || this.#tree.pods === 1 ? undefined : this.#acrossPods.find(state, index, nodes)
    if (across !== undefined) return across
    if (search.exhausted) return { ok: false, code: 'search-bound', steps: search.steps }
    return { ok: false, code: 'no-placement', constraint: search.obstacle, nearest: nearest(index, nodes) }
  }
}

function nearest(
  { summary }: FreeIndex,
  nodes: number,
): { readonly pod: number; readonly have: number; readonly need: number } {
  return { pod: summary[MOST_FREE_POD], have: summary[MOST_FREE_NODES], need: nodes }
}
