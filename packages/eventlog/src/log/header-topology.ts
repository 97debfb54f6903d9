import {
  formatHostlist,
  HostlistError,
  parseHostlist,
  type Topology,
  TopologyError,
  topologyFromJson,
  topologyToJson,
  withNodeNames,
} from '@cloister/topology'
import { MAX_PARTS_PER_RECORD } from '../limits.ts'
import { RecordError } from '../records/record-error.ts'
import type { Header } from '../records/types.ts'

/** The fields of a header that hold the machine. */
type MachineFields = Pick<Header, 'topology' | 'names'>

/** All that a reader needs to build the topology again without any other file; the names of switches are not in it. */
export function machineFields(topology: Topology): MachineFields {
  const fields = { topology: topologyToJson(topology) }
  return topology.nodeNames === undefined ? fields : { ...fields, names: formatHostlist(topology.nodeNames) }
}

/**
 * Checks that seals do not come so often that their digests of the machine's state make a log costly to check.
 *
 * @throws RecordError
 */
export function checkSealEvery(sealEvery: number, { nodes, levels }: Topology): void {
  const parts = levels.reduce((sum, { links }) => sum + links, nodes)
  const least = Math.ceil(parts / MAX_PARTS_PER_RECORD)
  if (sealEvery < least)
    throw new RecordError(
      `a seal every ${sealEvery} records, where a machine of ${parts} nodes and links needs at least ${least}`,
    )
}

/**
 * The machine of a log, with the names of its nodes.
 *
 * @throws RecordError where it is impossible: no header that `readLog` gave is
 */
export function headerTopology({ topology, names }: MachineFields): Topology {
  try {
    const unnamed = topologyFromJson(topology)
    if (names === undefined) return unnamed
    const list = parseHostlist(names, unnamed.nodes)
    if (formatHostlist(list) !== names) throw new RecordError('"names" is not the canonical hostlist')
    return withNodeNames(unnamed, list)
  } catch (error) {
    if (error instanceof TopologyError) throw new RecordError(`impossible "topology": ${error.message}`)
    if (error instanceof HostlistError) throw new RecordError(`wrong "names": ${error.message}`)
    throw error
  }
}
