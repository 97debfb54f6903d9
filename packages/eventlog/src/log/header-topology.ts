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

/** Header fields that describe the machine. */
type MachineFields = Pick<Header, 'topology' | 'names'>

/**
 * Returns the header fields `topology` and `names`, from which a reader builds the topology again without any other
 * file. The fields do not hold the names of switches.
 */
export function machineFields(topology: Topology): MachineFields {
  const fields = { topology: topologyToJson(topology) }
  return topology.nodeNames === undefined ? fields : { ...fields, names: formatHostlist(topology.nodeNames) }
}

/**
 * Checks that `sealEvery` is large enough for the machine. Every seal digests the state of the whole machine, so
 * frequent seals would make a log costly to check.
 *
 * @throws RecordError if `sealEvery` is too small for the machine
 */
export function checkSealEvery(sealEvery: number, { nodes, levels }: Topology): void {
  const parts = levels.reduce((sum, { links }) => sum + links, nodes)
  const least = Math.ceil(parts / MAX_PARTS_PER_RECORD)
  if (sealEvery < least)
    throw new RecordError(`"seal_every" is ${sealEvery}; a machine of ${parts} nodes and links needs at least ${least}`)
}

/**
 * Returns the topology of a log's machine, with the names of the nodes if the header has `names`.
 *
 * @throws RecordError if the header describes an impossible machine; `readLog` gives no such header
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
