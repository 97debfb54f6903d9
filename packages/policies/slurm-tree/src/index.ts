import { fewestFreeFirst, LowestSwitchPlacer, topomatch } from '@cloister/communication'
import type { PlacementPolicy, Placer } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import * as v from 'valibot'
import { version } from './version.ts'

/** Configuration of the policy slurm-tree. */
export interface Config {
  /** Order of the ranks of a job with a communication matrix: by the ids of nodes, as in Slurm, or by TopoMatch. */
  readonly ranks: 'ids' | 'topomatch'
}

const Config = v.strictObject({
  ranks: v.exactOptional(
    v.pipe(
      v.picklist(['ids', 'topomatch']),
      v.description('order of the ranks of a job with a communication matrix: by node ids, or by TopoMatch'),
    ),
    'ids',
  ),
})

/**
 * The policy slurm-tree places jobs like Slurm under select/linear and topology/tree. A job goes below the lowest
 * switch with enough free nodes, and takes the leaves with fewest free nodes first.
 */
export const slurmTree: PlacementPolicy<Config> = {
  contract: 1,
  name: 'slurm-tree',
  version,
  config: Config,
  make(topology, { ranks }) {
    const placer = new LowestSwitchPlacer(topology, fewestFreeFirst(topology))
    return ranks === 'ids' ? placer : inTopoMatchOrder(topology, placer)
  },
}
export default slurmTree

/** Largest number of remembered orders of ranks. Many jobs share a matrix, and TopoMatch takes milliseconds. */
const REMEMBERED = 10_000

/** Gives each job with a matrix the order of ranks that TopoMatch finds on the nodes of the placement. */
function inTopoMatchOrder(topology: Topology, placer: LowestSwitchPlacer): Placer {
  const { leafOfNode, levels } = topology
  /** Places in the list of the job's nodes, one for each rank, by matrix and leaves. */
  const known = new Map<string, Int32Array>()
  return {
    claims: placer.claims,
    place(state, request) {
      const placement = placer.place(state, request)
      const matrix = request.communication?.matrix
      if (!placement.ok || matrix?.bytes.length !== request.nodes) return placement
      const { nodes } = placement
      // Below one level of switches all leaves are equally far apart, so only the number of nodes on each leaf counts.
      const leaves = Array.from(nodes, (node) => leafOfNode[node])
      const key = `${matrix.sha256} ${levels.length > 2 ? leaves.join() : leaves.map((leaf, at) => (leaf === leaves[at - 1] ? '' : at)).join()}`
      let order = known.get(key)
      if (order === undefined) {
        if (known.size >= REMEMBERED) known.clear()
        const placeOf = new Map(Array.from(nodes, (node, at) => [node, at]))
        order = Int32Array.from(topomatch.map(topology, nodes, matrix.bytes), (node) => placeOf.get(node)!)
        known.set(key, order)
      }
      return { ...placement, ranks: order.map((at) => nodes[at]) }
    },
  }
}
