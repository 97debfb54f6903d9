import type { Topology } from '@cloister/topology'
import { ibsimNetlist } from './ibsim-netlist.ts'
import { type Fabric, fabricOf, hexadecimal, partitionKey } from './infiniband.ts'
import { lfts, type Routes } from './lfts.ts'

/** A job that has a partition: `RunningJob` of the event log is one. */
export interface RunningNodes {
  readonly job: string
  /** Ascending. */
  readonly nodes: ArrayLike<number>
}

/** A file to write: its name, and its text in pieces, since the tables of a large fabric are too long for one string. */
export interface ExportFile {
  readonly name: string
  readonly pieces: Iterable<string>
}

/**
 * What OpenSM, and ibsim in place of a real fabric, need to run a cluster as it is at one moment: `ibsim.net`, the LIDs
 * (`guid2lid`, for OpenSM's cache folder), `lfts`, and `partitions.conf` with a partition for each running job.
 *
 * @throws ExportError where InfiniBand has no address or key for everything
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

/** Every port's GUID with its lowest and highest LID. */
export function* guid2lid({ nodes, switches }: Fabric): Generator<string> {
  for (const { portGuid, lid } of [...nodes, ...switches.flat()]) {
    const hex = `0x${hexadecimal(lid, 4)}`
    yield `${portGuid} ${hex} ${hex}\n\n`
  }
}

/**
 * In the default partition nodes are limited members, who reach the subnet manager and not each other; the nodes of a job
 * reach each other by being full members of its own.
 */
export function* partitions({ nodes }: Fabric, jobs: Iterable<RunningNodes>): Generator<string> {
  yield 'Default=0x7fff : ALL=limited, SELF=full ;\n'
  for (const { job, nodes: ids } of jobs) {
    const key = hexadecimal(partitionKey(ids[0]), 4)
    const guids = Array.from(ids, (node) => nodes[node].portGuid)
    yield `\n# job ${JSON.stringify(job)}\njob-${key}=0x${key}, defmember=full :\n  ${guids.join(',\n  ')} ;\n`
  }
}
