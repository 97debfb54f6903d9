import {
  type FreeIndex,
  freeIndexHooks,
  type PartitionIndex,
  shareLinks,
  Sharing,
  type TreeShape,
  treeShapeOf,
  unevenPlacer,
} from '@cloister/isolation'
import {
  type Claims,
  type IndexHooks,
  onWholeTree,
  type Outcome,
  type PlacementPolicy,
  type Placer,
  type Request,
  type StateView,
} from '@cloister/placement'
import * as v from 'valibot'
import { placementOf } from './found.ts'
import { Lifetimes } from './lifetimes.ts'
import { ScatteredFill } from './scattered-fill.ts'
import { SeveralPods } from './several-pods.ts'
import { version } from './version.ts'
import { WithinPod } from './within-pod.ts'

/** Name of a part of the policy Mosaic that the config can switch off. */
export type Part = 'lifetimes' | 'nested-sets' | 'scattered-fill'

/** Configuration of the policy Mosaic. */
export interface Config {
  /**
   * Parts of Mosaic to switch off, to measure the gain of each part. Without `lifetimes`, leaves with the fewest free
   * nodes come first. Without `nested-sets`, at most one leaf and one pod of a job may be smaller than the other leaves
   * and pods, as under Jigsaw, except in a scattered fill.
   */
  readonly without?: ReadonlyArray<Part>
  /** Lets jobs share links up to a capacity; the policy then claims no full bandwidth. */
  readonly sharing?: Sharing
}

const Config = v.strictObject({
  without: v.exactOptional(
    v.pipe(
      v.array(v.picklist(['lifetimes', 'nested-sets', 'scattered-fill'])),
      v.description('parts of Mosaic to switch off, to measure the gain of each part'),
    ),
  ),
  sharing: v.exactOptional(v.pipe(Sharing, v.description('jobs share links up to a capacity in MB/s'))),
})

/**
 * The policy Mosaic. Each job owns its nodes and links, as under Jigsaw. Every permutation of the job's nodes can be
 * routed over the job's links with at most one flow on a link in each direction. Mosaic has more shapes of allocations
 * than Jigsaw's conditions allow, and places jobs by lifetimes.
 */
export const mosaic: PlacementPolicy<Config, PartitionIndex> = {
  contract: 1,
  name: 'mosaic',
  version,
  config: Config,
  make(topology, { without = [], sharing }) {
    return onWholeTree<PartitionIndex>(topology, (whole, present) => {
      const tree = treeShapeOf(whole, false, present)
      if ('unsupported' in tree) return tree
      const { nodesPerLeaf, leafPorts } = tree
      if (leafPorts !== nodesPerLeaf && whole.levels.length > 1)
        return {
          unsupported: `its leaves have ${leafPorts} uplinks over ${nodesPerLeaf} nodes; as many uplinks as nodes are served`,
        }
      const placer = new Mosaic(tree, without)
      return sharing === undefined ? placer : shareLinks(placer, whole, sharing)
    })
  },
}
export default mosaic

/**
 * Placer of Mosaic: searches single pods, then whole leaves in several pods, then a scattered fill. On a tree with absent
 * parts, a search for leaves with different numbers of nodes follows.
 */
class Mosaic implements Placer<FreeIndex> {
  readonly claims: Claims = {
    links: 'owned',
    rule: 'nested-remainders',
    fullBandwidth: true,
    exactSize: true,
    // Mosaic is neither monotone nor complete, because its searches are bounded and costs change with time.
    monotone: false,
    complete: false,
    speedupScenarios: true,
  }
  readonly index: IndexHooks<FreeIndex>
  readonly #tree: TreeShape
  readonly #lifetimes: Lifetimes
  readonly #withinPod: WithinPod
  readonly #severalPods: SeveralPods
  readonly #scatteredFill: ScatteredFill | undefined
  readonly #uneven: Placer<FreeIndex> | undefined

  constructor(tree: TreeShape, without: ReadonlyArray<Part>) {
    const areNested = !without.includes('nested-sets')
    this.index = freeIndexHooks(tree)
    this.#uneven = tree.present === undefined ? undefined : unevenPlacer(tree)
    this.#tree = tree
    this.#lifetimes = new Lifetimes(tree, !without.includes('lifetimes'))
    this.#withinPod = new WithinPod(tree, this.#lifetimes, areNested)
    this.#severalPods = new SeveralPods(tree, this.#lifetimes, areNested)
    this.#scatteredFill = without.includes('scattered-fill') ? undefined : new ScatteredFill(tree, this.#lifetimes)
  }

  place(state: StateView, request: Request, index: FreeIndex): Outcome {
    const { nodes } = request
    if (nodes > this.#tree.topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
    if (nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
    this.#lifetimes.begin(state, index, request)
    const found =
      this.#withinPod.find(state, index, nodes) ??
      this.#severalPods.find(index, nodes) ??
      (request.purpose === 'reserve' ? undefined : this.#scatteredFill?.find(state, index, nodes))
    if (found !== undefined) return placementOf(this.#tree, state, found)
    if (this.#uneven !== undefined) return this.#uneven.place(state, request, index)
    return { ok: false, code: 'no-placement', constraint: 'leaves, uplinks or spine links that fit together' }
  }
}
