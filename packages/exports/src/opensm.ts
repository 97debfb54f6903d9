import { downPorts, nodeName, switchName, switchOfLink, type Topology, wholeFabric } from '@cloister/topology'
import { type Routes, routesOfRails } from './rail-routes.ts'

/** Lowest multicast address of InfiniBand. All LIDs of nodes and switches are lower. */
const FIRST_MULTICAST_LID = 0xc000
/** Partition key of the default partition, the highest partition key. */
const DEFAULT_PKEY = 0x7fff
const FIRST_PKEY = 2

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

/** Error for a log or topology that an export's format cannot express, such as too many nodes for InfiniBand. */
export class ExportError extends Error {
  readonly _tag = 'ExportError' as const
  override readonly name: string = 'ExportError'
}

/**
 * Returns the files with which OpenSM runs a cluster in its state at one moment: the LIDs (`guid2lid`, for OpenSM's
 * cache folder), the forwarding tables (`lfts`), and `partitions.conf` with a partition for each running job. The file
 * `ibsim.net` has the fabric for ibsim, which simulates the fabric. On a machine with rails that have common switches, the
 * files have all rails. Rails without a common switch are fabrics of their own, and the files of one rail serve each.
 *
 * @throws ExportError if InfiniBand has too few addresses or partition keys, or if two nodes or switches have the same
 *   name
 */
export function opensmFiles(
  topology: Topology,
  routes: Routes,
  jobs: Iterable<RunningNodes>,
): ReadonlyArray<ExportFile> {
  if (topology.rails?.commonFrom === undefined) return filesOf(topology, routes, jobs)
  const fabric = wholeFabric(topology)
  const adapters = Array.from({ length: fabric.rails }, (_, rail) => rail * fabric.nodesOfRail)
  return filesOf(
    fabric,
    routesOfRails(topology, fabric, routes),
    Array.from(jobs, ({ job, nodes }) => ({
      job,
      nodes: adapters.flatMap((first) => Array.from(nodes, (node) => first + node)),
    })),
  )
}

/** Cables of a fabric, in which each end point is a node of its own. */
type Cabling = Pick<Topology, 'name' | 'nodes' | 'nodeNames' | 'levels' | 'leafOfNode'>

function filesOf(cabling: Cabling, routes: Routes, jobs: Iterable<RunningNodes>): ReadonlyArray<ExportFile> {
  const fabric = fabricOf(cabling)
  return [
    { name: 'ibsim.net', pieces: ibsimNetlist(cabling, fabric) },
    { name: 'guid2lid', pieces: guid2lid(fabric) },
    { name: 'lfts', pieces: lfts(cabling, fabric, routes) },
    { name: 'partitions.conf', pieces: partitions(fabric, jobs) },
  ]
}

/** Node or switch, with its InfiniBand addresses. */
interface Device {
  readonly name: string
  /** GUID of the device: 0x and 16 hexadecimal digits. */
  readonly guid: string
  /** GUID of the port: `guid` + 1 for a node, `guid` for a switch. */
  readonly portGuid: string
  readonly lid: number
}

/** InfiniBand addresses of a fabric: the LIDs from 1 on for nodes, and the next LIDs for switches, leaves first. */
interface Fabric {
  readonly nodes: ReadonlyArray<Device>
  /** Switches by level, leaves first. */
  readonly switches: ReadonlyArray<ReadonlyArray<Device>>
}

/**
 * Returns the InfiniBand addresses of all nodes and switches of a topology.
 *
 * @throws ExportError if the topology has more nodes and switches than InfiniBand has LIDs, or if two nodes or switches
 *   have the same name
 */
export function fabricOf(topology: Cabling): Fabric {
  const lids = topology.nodes + topology.levels.reduce((sum, { switches }) => sum + switches, 0)
  if (lids >= FIRST_MULTICAST_LID) {
    throw new ExportError(
      `${topology.name} has ${lids} nodes and switches; InfiniBand has addresses for ${FIRST_MULTICAST_LID - 1}`,
    )
  }
  const nodes = Array.from({ length: topology.nodes }, (_, node) => {
    const guid = `0x0001${hexadecimal(node + 1, 10)}`
    return { name: nodeName(topology, node), guid: `${guid}00`, portGuid: `${guid}01`, lid: node + 1 }
  })
  let before = topology.nodes
  const switches = topology.levels.map((each, level) => {
    const devices = Array.from({ length: each.switches }, (_, sw) => {
      const guid = switchGuid(level, sw)
      return { name: switchName(topology, level, sw), guid, portGuid: guid, lid: before + sw + 1 }
    })
    before += each.switches
    return devices
  })
  checkNames([...nodes, ...switches.flat()])
  return { nodes, switches }
}

/**
 * Returns the GUID of a switch. OpenSM takes switches in the order of their GUIDs as little-endian numbers, so the last
 * byte of the GUID is the high byte of the switch's number. Then OpenSM routes to the leaves in the order of their ids.
 */
function switchGuid(level: number, sw: number): string {
  const number = sw + 1
  return `0x0002${hexadecimal(level + 1, 2)}000000${hexadecimal(number & 255, 2)}${hexadecimal(number >>> 8, 2)}`
}

/**
 * Returns the partition key of a job, from the id of the job's first node. So the key is unique among running jobs, and
 * does not change while the job runs.
 *
 * @throws ExportError if there is no partition key for the id of the node
 */
function partitionKey(firstNode: number): number {
  const key = FIRST_PKEY + firstNode
  if (key >= DEFAULT_PKEY)
    throw new ExportError(`node ${firstNode} gives a partition key of ${key}; keys go up to ${DEFAULT_PKEY - 1}`)
  return key
}

function hexadecimal(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

function checkNames(devices: ReadonlyArray<Device>): void {
  const seen = new Set<string>()
  for (const { name } of devices) {
    if (seen.has(name))
      throw new ExportError(`${JSON.stringify(name)} is the name of two nodes or switches; a fabric needs unique names`)
    seen.add(name)
  }
}

/**
 * Yields forwarding tables for OpenSM (`-R file -U FILE`), in the format of `dump_fts`: switch by switch, a line for
 * each node with an entry. A switch drops messages to nodes without an entry. The file names every switch, also
 * switches without entries, because OpenSM forgets the routes of a switch that is missing.
 */
function* lfts(topology: Cabling, { nodes, switches }: Fabric, routes: Routes): Generator<string> {
  const rows = nodes.map(({ name, portGuid, lid }) => ({
    head: `0x${hexadecimal(lid, 4)} `,
    tail: ` : (Channel Adapter portguid ${portGuid}: '${name}')\n`,
  }))
  const highest = hexadecimal(nodes.length, 4)
  for (const [level, devices] of switches.entries()) {
    for (const [sw, { name, guid, lid }] of devices.entries()) {
      let table = `Unicast lids [0x0-0x${highest}] of switch Lid ${lid} guid ${guid} (${name}):\n`
      for (let node = 0; node < topology.nodes; node++) {
        const port = routes.port(level, sw, node)
        if (port >= 0) table += rows[node].head + String(port + 1).padStart(3, '0') + rows[node].tail
      }
      yield table
    }
  }
}

/** Yields OpenSM's file `guid2lid`: the GUID of every port, with the LID of the port as lowest and as highest LID. */
function* guid2lid({ nodes, switches }: Fabric): Generator<string> {
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
function* partitions({ nodes }: Fabric, jobs: Iterable<RunningNodes>): Generator<string> {
  yield 'Default=0x7fff : ALL=limited, SELF=full ;\n'
  for (const { job, nodes: ids } of jobs) {
    const key = hexadecimal(partitionKey(ids[0]), 4)
    const guids = Array.from(ids, (node) => nodes[node].portGuid)
    yield `\n# job ${JSON.stringify(job)}\njob-${key}=0x${key}, defmember=full :\n  ${guids.join(',\n  ')} ;\n`
  }
}

/**
 * Yields a fabric in the format of ibsim: every node and every switch, with the device and the port at the other end of
 * each cable. ibsim counts ports from 1, so Cloister's port `p` is port `p + 1` in the file. ibsim attaches the subnet
 * manager to the first node in the file.
 */
export function* ibsimNetlist(topology: Cabling, { nodes, switches }: Fabric): Generator<string> {
  const down = downPorts(topology)
  const { levels, leafOfNode } = topology
  const upPort = (level: number, sw: number, link: number): number =>
    down[level].first[sw + 1] - down[level].first[sw] + link - levels[level].firstPort[sw]
  const cable = (port: number, to: Device, portThere: number): string =>
    `[${port + 1}]\t"${to.name}"[${portThere + 1}]\n`
  for (const [node, { name, guid }] of nodes.entries()) {
    yield `caguid=${guid}\nCa\t1 "${name}"\t# "${name}"\n${cable(0, switches[0][leafOfNode[node]], down[0].portOf[node])}\n`
  }
  for (const [level, { firstPort, parentOfLink }] of levels.entries()) {
    for (const [sw, { name, guid }] of switches[level].entries()) {
      const cables: Array<string> = []
      for (const below of down[level].below.subarray(down[level].first[sw], down[level].first[sw + 1])) {
        if (level === 0) cables.push(cable(cables.length, nodes[below], 0))
        else {
          const lower = switchOfLink(topology, level - 1, below)
          cables.push(cable(cables.length, switches[level - 1][lower], upPort(level - 1, lower, below)))
        }
      }
      for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++) {
        cables.push(cable(cables.length, switches[level + 1][parentOfLink[link]], down[level + 1].portOf[link]))
      }
      yield `switchguid=${guid}\nSwitch\t${cables.length} "${name}"\t# "${name}"\n${cables.join('')}\n`
    }
  }
}
