import { pgft, type Topology, TopologyError } from '@cloister/topology'
import type { TopologyRef } from './record.ts'

/** What a header says of a topology: enough to build it again without any other file. */
export function topologyRef(topology: Topology): TopologyRef {
  if (topology.pgft !== undefined) {
    const { m, w, p } = topology.pgft
    return { name: topology.name, pgft: { m, w, p } }
  }
  throw new TopologyError('switch graphs are not supported yet')
}

/** @throws TopologyError where the header's topology is impossible */
export function topologyOfRef(ref: TopologyRef): Topology {
  if ('pgft' in ref) return pgft(ref.pgft, ref.name)
  throw new TopologyError('switch graphs are not supported yet')
}
