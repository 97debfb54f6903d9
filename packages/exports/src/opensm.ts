import type { Topology } from '@cloister/topology'
import { ibsimNetlist } from './ibsim-netlist.ts'
import { type Fabric, fabricOf, hexadecimal, partitionKey } from './infiniband.ts'
import { lfts, type Routes } from './lfts.ts'

/** A running job, which gets a partition of the fabric. A `RunningJob` of @cloister/eventlog is a `RunningNodes`. */
export interface RunningNodes {
  readonly job: string
  /** Ids of the job's nodes, ascending. */
  readonly nodes: ArrayLike<number>
}

/** A file to write. Its text has several `pieces`, because a large fabric's tables are too long for a single string. */
export interface ExportFile {
  readonly name: string
  readonly pieces: Iterable<string>
}

/**
 * Returns the files with which OpenSM runs a cluster in its state at one moment: the LIDs (`guid2lid`, for OpenSM's
 * cache folder), the forwarding tables (`lfts`), and `partitions.conf` with a partition for each running job. The file
 * `ibsim.net` has the fabric for ibsim, which simulates the fabric.
 *
 * @throws ExportError if InfiniBand has too few addresses or partition keys, or if two nodes or switches have the same
 *   name
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

/** Yields OpenSM's file `guid2lid`: the GUID of every port, with the LID of the port as lowest and as highest LID. */
export function* guid2lid({ nodes, switches }: Fabric): Generator<string> {
  for (const { portGuid, lid } of [...nodes, ...switches.flat()]) {
    const hex = `0x${hexadecimal(lid, 4)}`
    yield `${portGuid} ${hex} ${hex}\n\n`
  }
}

/**
 * Yields OpenSM's file `partitions.conf`. In the default partition all nodes are limited members: a node reaches the
 * subnet manager, but no other node. The nodes of a job are full members of the job's own partition, and so reach each
 * other.
 */
export function* partitions({ nodes }: Fabric, jobs: Iterable<RunningNodes>): Generator<string> {
  yield 'Default=0x7fff : ALL=limited, SELF=full ;\n'
  for (const { job, nodes: ids } of jobs) {
    const key = hexadecimal(partitionKey(ids[0]), 4)
    const guids = Array.from(ids, (node) => nodes[node].portGuid)
    yield `\n# job ${JSON.stringify(job)}\njob-${key}=0x${key}, defmember=full :\n  ${guids.join(',\n  ')} ;\n`
  }
}
