import type { Topology } from '@cloister/topology'
import { ibsimNetlist } from './ibsim-netlist.ts'
import { type Fabric, fabricOf, hexadecimal, partitionKey } from './infiniband.ts'
import { lfts, type Routes } from './lfts.ts'

/** A running job, which gets a partition. `RunningJob` of the event log has these members. */
export interface RunningNodes {
  readonly job: string
  /** Ascending node ids. */
  readonly nodes: ArrayLike<number>
}

/** A file to write. The text is in pieces, because the tables of a large fabric are too long for a single string. */
export interface ExportFile {
  readonly name: string
  readonly pieces: Iterable<string>
}

/**
 * Returns the files for OpenSM, and for ibsim instead of a real fabric, to run a cluster in its state at one moment:
 * `ibsim.net`, the LIDs (`guid2lid`, for OpenSM's cache folder), `lfts`, and `partitions.conf` with a partition for
 * each running job.
 *
 * @throws ExportError if InfiniBand has too few addresses or keys, or if two devices have the same name
 */
export function opensmFiles(
  topology: Topology,
  routes: Routes,
  jobs: Iterable<RunningNodes>,
): ReadonlyArray<ExportFile> {
  const fabric = fabricOf(topology)
  return [
    { name: 'ibsim.net', pieces: ibsimNetlist(topology, fabric) },
    { name: 'guid2lid', pieces: guid2lid(fabric) },
    { name: 'lfts', pieces: lfts(topology, fabric, routes) },
    { name: 'partitions.conf', pieces: partitions(fabric, jobs) },
  ]
}

/** Yields the GUID of every port with its lowest and highest LID, which are equal. */
export function* guid2lid({ nodes, switches }: Fabric): Generator<string> {
  for (const { portGuid, lid } of [...nodes, ...switches.flat()]) {
    const hex = `0x${hexadecimal(lid, 4)}`
    yield `${portGuid} ${hex} ${hex}\n\n`
  }
}

/**
 * Yields the partitions. In the default partition all nodes are limited members: a node reaches the subnet manager, but
 * no other node. The nodes of a job are full members of the job's own partition, and so reach each other.
 */
export function* partitions({ nodes }: Fabric, jobs: Iterable<RunningNodes>): Generator<string> {
  yield 'Default=0x7fff : ALL=limited, SELF=full ;\n'
  for (const { job, nodes: ids } of jobs) {
    const key = hexadecimal(partitionKey(ids[0]), 4)
    const guids = Array.from(ids, (node) => nodes[node].portGuid)
    yield `\n# job ${JSON.stringify(job)}\njob-${key}=0x${key}, defmember=full :\n  ${guids.join(',\n  ')} ;\n`
  }
}
