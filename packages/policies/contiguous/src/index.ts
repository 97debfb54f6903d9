import type { PlacementPolicy, Placer, StateView } from '@cloister/placement'
import { describeIrregularity, type Topology } from '@cloister/topology'
import * as v from 'valibot'
import { version } from './version.ts'

/** Configuration of the policy contiguous. */
export interface Config {
  /**
   * Nodes that a job may get. `contiguous`: nodes below one switch of the job's level (Figure 1 of Pascual and
   * Miguel-Alonso). `relaxed`: if `contiguous` finds no nodes, nodes below one switch of the next higher level (section
   * V). `first-fit`: the free nodes with the lowest ids (section III, "non-contiguous").
   */
  readonly search: 'contiguous' | 'relaxed' | 'first-fit'
  /** Number of installed nodes: the first nodes of the tree. Default: all nodes. */
  readonly installed?: number
}

const Config = v.strictObject({
  search: v.exactOptional(
    v.pipe(
      v.picklist(['contiguous', 'relaxed', 'first-fit']),
      v.description("nodes for a job: below one switch of the job's level, or of one level above, or any nodes"),
    ),
    'contiguous',
  ),
  installed: v.exactOptional(
    v.pipe(
      v.number(),
      v.integer(),
      v.gtValue(0),
      v.description('number of installed nodes, which are the first nodes of the tree; default: all'),
    ),
  ),
})

/**
 * The policy contiguous: Pascual and Miguel-Alonso, *Effects of Job Placement on Scheduling Performance* (2008). A job
 * goes below a single switch of the lowest level that can hold the job.
 */
export const contiguous: PlacementPolicy<Config> = {
  contract: 1,
  name: 'contiguous',
  version,
  config: Config,
  make: (topology, config) => {
    const groupings = groupingsOf(topology, config.search)
    if ('unsupported' in groupings) return groupings
    if (config.installed !== undefined && config.installed > topology.nodes) {
      return { unsupported: `${config.installed} nodes are to be installed, but it has only ${topology.nodes}` }
    }
    return contiguousPlacer(topology, groupings, config)
  },
}
export default contiguous

/**
 * Returns the placer of the policy contiguous (Figure 1 of Pascual and Miguel-Alonso): a job takes the first free nodes
 * of the first group of leaves of the job's level with enough free nodes.
 */
function contiguousPlacer(
  topology: Topology,
  groupings: ReadonlyArray<Grouping>,
  { search, installed = topology.nodes }: Config,
): Placer {
  const last = topology.leafOfNode[installed - 1]
  const ids = new Int32Array(topology.nodes)
  /** Counts the free installed nodes of the leaves `from` to `to` - 1, of which the last may not exist. */
  const freeNodes = (state: StateView, from: number, to: number): number => {
    let free = 0
    for (let leaf = from; leaf < to && leaf < last; leaf++) free += state.freeNodesOnLeaf(leaf)
    return to > last ? free + freeOnLastLeaf(state) : free
  }
  const freeOnLastLeaf = (state: StateView): number => {
    if (installed === topology.firstNodeOfLeaf[last + 1]) return state.freeNodesOnLeaf(last)
    let free = state.freeNodeIds(last, ids)
    while (free > 0 && ids[free - 1] >= installed) free--
    return free
  }
  const firstFree = (state: StateView, firstLeaf: number, nodes: number): Int32Array => {
    let taken = 0
    for (let leaf = firstLeaf; taken < nodes; leaf++) taken += state.freeNodeIds(leaf, ids, taken)
    // The ids after the first `nodes` are free nodes that the job does not need, or nodes that are not installed.
    return ids.slice(0, nodes)
  }
  return {
    claims: {
      links: 'shared',
      fullBandwidth: false,
      exactSize: true,
      monotone: true,
      complete: true,
      speedupScenarios: search !== 'first-fit',
    },
    placesByKey: true,
    place(state, { nodes }) {
      if (nodes > installed) return { ok: false, code: 'never', constraint: 'machine size' }
      if (nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
      const level = groupings.findIndex((grouping) => grouping.nodes >= nodes)
      const highest = Math.min(level + (search === 'relaxed' ? 1 : 0), groupings.length - 1)
      let most = 0
      for (let at = level; at <= highest; at++) {
        const { firstLeaf } = groupings[at]
        for (let group = 0; firstLeaf[group] <= last; group++) {
          const free = freeNodes(state, firstLeaf[group], firstLeaf[group + 1])
          if (free >= nodes) return { ok: true, nodes: firstFree(state, firstLeaf[group], nodes), links: [] }
          most = Math.max(most, free)
        }
      }
      const constraint = groupings.length === 1 ? 'free nodes' : `free nodes below one switch of level ${highest + 1}`
      return { ok: false, code: 'no-placement', constraint, nearest: { have: most, need: nodes } }
    },
  }
}

/** Division of the leaves of a machine into consecutive groups: the subtrees of one level. */
interface Grouping {
  /** First leaf of each group, then the number of all leaves. */
  readonly firstLeaf: ReadonlyArray<number>
  /** Number of nodes of the group with the most nodes. Some nodes of the last group may not be installed. */
  readonly nodes: number
}

/**
 * Returns the groupings that a search uses, small groups first, or the reason why the policy does not serve the
 * topology.
 */
function groupingsOf(
  topology: Topology,
  search: Config['search'],
): ReadonlyArray<Grouping> | { readonly unsupported: string } {
  const { leaves, nodes, firstNodeOfLeaf, pgft, envelope } = topology
  if (search === 'first-fit') return [{ firstLeaf: [0, leaves], nodes }]
  const m = pgft?.m ?? envelope?.shape.m
  if (m === undefined) return { unsupported: `${describeIrregularity(topology)}; its subtrees must be those of a tree` }
  const groupings: Array<Grouping> = []
  for (let level = 0, size = 1; level < m.length; level++) {
    if (level > 0) size *= m[level]
    const groupOf = (leaf: number): number => Math.floor((envelope?.switches[0][leaf] ?? leaf) / size)
    const firstLeaf: Array<number> = []
    for (let leaf = 0; leaf < leaves; leaf++) if (leaf === 0 || groupOf(leaf) > groupOf(leaf - 1)) firstLeaf.push(leaf)
    const ends = [...firstLeaf.slice(1), leaves]
    const sizes = ends.map((end, group) => firstNodeOfLeaf[end] - firstNodeOfLeaf[firstLeaf[group]])
    groupings.push({ firstLeaf: [...firstLeaf, leaves], nodes: Math.max(...sizes) })
  }
  return groupings
}
