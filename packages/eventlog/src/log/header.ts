import {
  formatHostlist,
  HostlistError,
  parseHostlist,
  switchNames,
  type Topology,
  TopologyError,
  topologyFromJson,
  topologyToJson,
  withNodeNames,
  withSwitchNames,
} from '@cloister/topology'
import { resourcesOf } from '../records/lines.ts'
import { type Fields, idset, links } from '../records/kinds.ts'
import { recordTable } from '../records/table.ts'
import { RecordError } from '../limits.ts'
import type { Header } from '../records/types.ts'

/** Fields of a header that describe the machine. */
export type MachineField = 'topology' | 'names' | 'switch_names'
type MachineFields = Pick<Header, MachineField>

/** Returns the header fields from which a reader builds the topology again. */
export function machineFields(topology: Topology): MachineFields {
  const json = topologyToJson(topology)
  const hasNames = topology.levels.some(({ names }) => names !== undefined)
  const switches = hasNames ? formatHostlist(switchNames(topology)) : ''
  // The switches of a tree without some parts have invented names, too, which follow from `topology`.
  const areGiven = hasNames && switches !== formatHostlist(switchNames(topologyFromJson(json)))
  return {
    topology: json,
    ...(topology.nodeNames !== undefined && { names: formatHostlist(topology.nodeNames) }),
    ...(areGiven && { switch_names: switches }),
  }
}

/** Checks the ids of nodes and links in a header. @throws RecordError for a wrong idset, or an id beyond the machine */
export function checkIdsOfHeader(header: object, topology: Topology, fields: Fields = recordTable.header): void {
  for (const [name, value] of Object.entries(header)) {
    const kind = Object.hasOwn(fields, name) ? fields[name].kind : undefined
    if (kind === idset) checkInside(name, { nodes: value as string }, topology)
    else if (kind === links) checkInside(name, { nodes: '', links: value as ReadonlyArray<string> }, topology)
    else if (kind?.fields !== undefined)
      for (const each of [value as unknown].flat()) checkIdsOfHeader(each as object, topology, kind.fields)
  }
}

function checkInside(field: string, named: Parameters<typeof resourcesOf>[0], { nodes, levels }: Topology): void {
  const ids = resourcesOf(named)
  const counts = [nodes, ...levels.map((level) => level.links)]
  for (const [at, each] of [ids.nodes, ...ids.links].entries()) {
    const last = each.at(-1)
    const count = counts[at] ?? 0
    if (last !== undefined && last >= count)
      throw new RecordError(
        `"${field}" names ${at === 0 ? 'node' : 'link'} ${last}${at === 0 ? '' : ` of level ${at - 1}`}, but the machine has ${count} of them`,
      )
  }
}

/** Returns a header's topology, with names. @throws RecordError if the header describes an impossible machine */
export function headerTopology({ topology, names, switch_names }: MachineFields): Topology {
  try {
    let machine = topologyFromJson(topology)
    if (names !== undefined) machine = withNodeNames(machine, hostlist('names', names, machine.nodes))
    if (switch_names === undefined) return machine
    const invented = switchNames(machine)
    const list = hostlist('switch_names', switch_names, invented.length)
    if (list.join() === invented.join()) throw new RecordError('"switch_names" has no name of its own')
    return withSwitchNames(machine, list)
  } catch (error) {
    if (error instanceof TopologyError) throw new RecordError(`impossible "topology": ${error.message}`)
    throw error
  }
}

/** Returns the names in a field of a header. @throws RecordError unless the field has the canonical hostlist */
function hostlist(field: MachineField, text: string, most: number): ReadonlyArray<string> {
  try {
    const list = parseHostlist(text, most)
    if (formatHostlist(list) === text) return list
  } catch (error) {
    if (error instanceof HostlistError) throw new RecordError(`wrong "${field}": ${error.message}`)
    throw error
  }
  throw new RecordError(`"${field}" is not the canonical hostlist`)
}

/** Default distance between two seals, in records (SPEC.md, "Seals"). */
export const SEAL_EVERY = 256

/** Returns true if `seq` is a positive multiple of `sealEvery`. A seal after a fault or an end may have any seq. */
export function isSealSeq(seq: number, sealEvery: number): boolean {
  return seq > 0 && seq % sealEvery === 0
}
