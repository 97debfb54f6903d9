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
import { type FreeIndex, freeIndexHooks, MOST_FREE_NODES, MOST_FREE_POD } from './free-index.ts'
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
   * Returns true if the leaves with all nodes and uplinks free in `later` are too few for two placements of `find`, on
   * `nodes` and on `head` nodes. Default: false.
   */
  excludes?(nodes: number, head: number, later: FreeIndex): boolean
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

  /** Two jobs that no pod can hold need whole leaves: together at most the whole leaves of the later state. */
  excludes(
    _state: StateView,
    index: FreeIndex,
    nodes: number,
    _later: StateView,
    later: FreeIndex,
    head: number,
  ): boolean {
    if (nodes <= index.summary[MOST_FREE_NODES] || head <= later.summary[MOST_FREE_NODES]) return false
    return this.#acrossPods.excludes?.(nodes, head, later) === true
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
