import {
  type DiscoveredAdapter,
  type DiscoveredFabric,
  type DiscoveredSwitch,
  readDiscoveredFabric,
  shown,
  uniqueNames,
} from './ibnetdiscover.ts'
import { machineOfRails } from './fabric-rails.ts'
import { compareNaturally, parseHostlist } from '../names.ts'
import { mostCommon, recognisePgft } from '../recognise-pgft.ts'
import { numberedGraph, type UnnumberedSwitch } from '../switch-graph.ts'
import { quote, TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'

/**
 * Reads an InfiniBand fabric from the output of `ibnetdiscover`. Returns a regular tree if the fabric is a regular
 * tree, else a switch graph; the graph's `irregularity` names the switch or cable that prevents a tree.
 *
 * - Leaves are the switches with nodes. The level of any other switch is its distance in cables from the nearest leaf.
 * - If the adapters of a node hang on several switches, the machine has a rail for each adapter. All rails must be equal.
 * - Nodes are the hosts of `choice.nodes`; without `choice.nodes`, the largest group of hosts with the same name except
 *   for digits. Other hosts (storage, login) are left out; the topology's `remarks` names the first five of them.
 * - Switches without a node below are left out: the leaves and L2 switches of other rails, and switches that have only
 *   other hosts and differ from the switches of the tree.
 * - The leaves of a pod are in the natural order of their first nodes. The name of a switch is its description, with
 *   dashes for forbidden characters; if the description is no valid name or not unique, `S-` and the GUID follow.
 *
 * @param name name of the topology, and of the file in errors
 * @throws TopologyError if the text is not in the format of `ibnetdiscover`, has a device twice, or has no switch or
 *   none of the wanted hosts; also for a host on two switches or a cable within a level
 * @throws HostlistError if `choice.nodes` is no hostlist
 */
export function parseIbnetdiscover(text: string, name: string, choice: HostChoice = {}): Topology {
  const fabric = readDiscoveredFabric(text, name)
  const adapters = adaptersOfRails(fabric, choice, name)
  const hosts =
    adapters.length < 2
      ? [computeHosts(fabric, choice, name)]
      : adapters.map((adapter) => computeHosts(fabric, { ...choice, adapter }, name))
  const levels = levelsOf(fabric, together(hosts), name)
  const remarks = [...leftOutRemark(hosts[0]), ...nodelessRemark(fabric, levels), ...slowCables(fabric, levels)]
  const trees = hosts.map((each, rail) => {
    const switches = levelsAbove(fabric, [...each.ofSwitch.keys()], levels)
    return { adapter: adapters[rail], switches, topology: recognisePgft(numbered(fabric, switches, each, name)) }
  })
  const machine = trees.length === 1 ? trees[0].topology : machineOfRails(trees, name)
  return { ...machine, ...(remarks.length > 0 && { remarks }) }
}

/** Returns the hosts of several rails, as if each adapter were a node of its own. */
function together(rails: ReadonlyArray<HostsOfLeaf>): HostsOfLeaf {
  return {
    ofSwitch: new Map(rails.flatMap(({ ofSwitch }) => [...ofSwitch])),
    leftOut: rails[0].leftOut,
    switchesOfOthers: new Set(rails.flatMap(({ switchesOfOthers }) => [...switchesOfOthers])),
  }
}

/** Returns the switches of each level that cables up join with some leaves. */
function levelsAbove({ switches }: DiscoveredFabric, leaves: ReadonlyArray<string>, levels: Levels): Levels {
  const byId: Switches = new Map(switches.map((each) => [each.id, each]))
  let below: ReadonlyArray<string> = leaves
  return levels.map((ids, level) => {
    if (level === 0) return leaves
    const above = new Set(below.flatMap((id) => byId.get(id)!.cables.map(({ device }) => device)))
    below = ids.filter((id) => above.has(id))
    return below
  })
}

/**
 * Returns the names of the adapters of the rails, in natural order: the adapters of the nodes if a node's adapters hang
 * on several switches. Returns no adapters for a machine with one rail.
 */
function adaptersOfRails(fabric: DiscoveredFabric, choice: HostChoice, source: string): ReadonlyArray<string> {
  if (choice.adapters !== undefined) return parseHostlist(choice.adapters)
  if (choice.adapter !== undefined) return []
  const cabled = cabledHosts(fabric)
  const isCompute = computeRule([...new Set(cabled.map(({ host }) => host))], choice, source)
  const ofNodes = cabled.filter(({ host }) => isCompute(host))
  const switches = new Map<string, Set<string>>()
  for (const { host, sw } of ofNodes) switches.set(host, (switches.get(host) ?? new Set()).add(sw))
  if ([...switches.values()].every(({ size }) => size < 2)) return []
  const adapters = [...new Set(ofNodes.map(({ adapter }) => adapter))].sort(compareNaturally)
  return adapters.length < 2 ? [] : adapters
}

function numbered({ switches }: DiscoveredFabric, levels: Levels, { ofSwitch }: HostsOfLeaf, name: string): Topology {
  const byId = new Map(switches.map((each) => [each.id, each]))
  const names = uniqueNames(switches)
  const sortedBy = (id: string): string => ofSwitch.get(id)?.[0] ?? names.get(id)!
  let above = new Map<string, UnnumberedSwitch>()
  const fromTop = levels.toReversed().map((ids) => {
    const level = ids
      .toSorted((a, b) => compareNaturally(sortedBy(a), sortedBy(b)))
      .map((id) => {
        const cables = byId.get(id)!.cables.toSorted((a, b) => a.ownPort - b.ownPort)
        const parents = cables.flatMap(({ device }) => above.get(device) ?? [])
        return [id, { name: names.get(id)!, nodes: ofSwitch.get(id) ?? [], parents }] as const
      })
    above = new Map(level)
    return level.map(([, each]) => each)
  })
  return numberedGraph(name, fromTop.reverse(), false)
}

function leftOutRemark({ leftOut }: HostsOfLeaf): ReadonlyArray<string> {
  if (leftOut.length === 0) return []
  const some = leftOut.slice(0, 5).join(', ')
  return [
    `${leftOut.length} hosts are no nodes (${some}${leftOut.length > 5 ? ', …' : ''}); nodes=HOSTLIST chooses the nodes`,
  ]
}

function nodelessRemark({ switches }: DiscoveredFabric, levels: Levels): ReadonlyArray<string> {
  const ofTree = new Set(levels.flat())
  const others = switches.filter(({ id }) => !ofTree.has(id)).map(shown)
  if (others.length === 0) return []
  const some = others.slice(0, 5).join(', ')
  const left =
    others.length === 1 ? '1 switch has no node below and is' : `${others.length} switches have no node below and are`
  return [`${left} left out (${some}${others.length > 5 ? ', …' : ''})`]
}

/** Returns remarks on cables with another speed than most cables of their level, a sign of a bad plug. */
function slowCables({ switches }: DiscoveredFabric, levels: Levels): ReadonlyArray<string> {
  const byId = new Map(switches.map((each) => [each.id, each]))
  return levels.slice(0, -1).flatMap((ids, level) => {
    const above = new Set(levels[level + 1])
    const cables = ids.flatMap((id) =>
      byId
        .get(id)!
        .cables.filter(({ device }) => above.has(device))
        .map((cable) => ({ id, ...cable })),
    )
    const usual = mostCommon(cables.map(({ speed }) => speed))
    return cables
      .filter(({ speed }) => speed !== usual)
      .map(
        ({ id, ownPort, device, port, speed }) =>
          `the cable from ${shown(byId.get(id)!)} port ${ownPort} to ${shown(byId.get(device)!)} port ${port} runs at ${speed ?? 'no known speed'}, most cables of the level at ${usual ?? 'no known speed'}`,
      )
  })
}

/** Choice of the hosts and adapters of a fabric that are the nodes of the machine. */
export interface HostChoice {
  /**
   * Hosts on which jobs run, as a hostlist. Default: the largest group of hosts with the same name except for digits.
   */
  readonly nodes?: string
  /** Name of the only adapter to use if hosts have several adapters, such as `mlx5_0`. */
  readonly adapter?: string
  /**
   * Names of the adapters of the rails, as a hostlist such as `mlx5_[0-7]`. Default: all adapters of the nodes, if the
   * adapters of a node hang on several switches.
   */
  readonly adapters?: string
}

/** Pattern of the descriptions of adapters inside switches, which compute reductions and belong to no host. */
const NOT_A_HOST = /^Mellanox Technologies Aggregation Node/

/** Hosts of a fabric, sorted into nodes and other hosts. */
interface HostsOfLeaf {
  /** Names of the nodes on each leaf, in natural order, by the id of the leaf switch. */
  readonly ofSwitch: ReadonlyMap<string, ReadonlyArray<string>>
  /** Names of cabled hosts that are no nodes (storage, login, management), in natural order. */
  readonly leftOut: ReadonlyArray<string>
  /** Ids of the switches with other adapters: adapters of hosts that are no nodes, and unused adapters of nodes. */
  readonly switchesOfOthers: ReadonlySet<string>
}

/** Finds the nodes of a machine among the hosts of its fabric, and the switch of each node. */
function computeHosts(fabric: DiscoveredFabric, choice: HostChoice, source: string): HostsOfLeaf {
  const cabled = cabledHosts(fabric)
  const isCompute = computeRule([...new Set(cabled.map(({ host }) => host))], choice, source)
  const switchOf = new Map<string, string>()
  const leftOut = new Set<string>()
  const switchesOfOthers = new Set<string>()
  for (const { host, adapter, sw, line } of cabled) {
    if (!isCompute(host)) leftOut.add(host)
    if (!isCompute(host) || (choice.adapter !== undefined && adapter !== choice.adapter)) {
      switchesOfOthers.add(sw)
    } else {
      const before = switchOf.get(host)
      if (before !== undefined && before !== sw)
        throw new TopologyError(
          `host ${quote(host)} hangs on two switches, and a node hangs on one; choose an adapter, such as adapter=${adapter}`,
          { source, line },
        )
      switchOf.set(host, sw)
    }
  }
  return {
    ofSwitch: hostsBySwitch(switchOf, choice, source),
    leftOut: [...leftOut].sort(compareNaturally),
    switchesOfOthers,
  }
}

interface CabledHost extends Pick<DiscoveredAdapter, 'host' | 'adapter'> {
  readonly sw: string
  readonly line: number
}

function cabledHosts({ switches, adapters }: DiscoveredFabric): ReadonlyArray<CabledHost> {
  return switches.flatMap(({ id, cables }) =>
    cables.flatMap(({ device, line }) => {
      const found = adapters.get(device)
      if (found === undefined || NOT_A_HOST.test(`${found.host} ${found.adapter}`)) return []
      return [{ host: found.host, adapter: found.adapter, sw: id, line }]
    }),
  )
}

/** Returns a test for nodes: the hosts of `nodes`, or else the hosts with the most common name, apart from digits. */
function computeRule(hosts: ReadonlyArray<string>, { nodes }: HostChoice, source: string): (host: string) => boolean {
  if (nodes !== undefined) {
    const listed = new Set(parseHostlist(nodes))
    const unknown = [...listed].find((name) => !hosts.includes(name))
    if (unknown !== undefined)
      throw new TopologyError(`no adapter of host ${quote(unknown)} is cabled`, { source, field: 'nodes' })
    return (host) => listed.has(host)
  }
  const common = mostCommon(hosts.map(stem))
  return (host) => stem(host) === common
}

function stem(host: string): string {
  return host.replaceAll(/\d+/g, '#')
}

function hostsBySwitch(
  switchOf: ReadonlyMap<string, string>,
  { adapter }: HostChoice,
  source: string,
): ReadonlyMap<string, ReadonlyArray<string>> {
  if (switchOf.size === 0)
    throw new TopologyError(
      adapter === undefined ? 'no host found' : `no host has a cabled adapter ${quote(adapter)}`,
      { source },
    )
  return Map.groupBy([...switchOf.keys()].sort(compareNaturally), (host) => switchOf.get(host)!)
}

/** Ids of the switches of each level, from the leaves up. */
type Levels = ReadonlyArray<ReadonlyArray<string>>

type Switches = ReadonlyMap<string, DiscoveredSwitch>

/** Finds the switches of each level of the tree above the nodes. @throws TopologyError for a cable within a level */
function levelsOf(fabric: DiscoveredFabric, hosts: HostsOfLeaf, source: string): Levels {
  const byId: Switches = new Map(fabric.switches.map((each) => [each.id, each]))
  const service = serviceSwitches(fabric, hosts)
  const climbed = climb(byId, [...hosts.ofSwitch.keys()], service)
  const levels = withoutWayDown(byId, climbed, climb(byId, [...hosts.ofSwitch.keys(), ...service], service))
  const levelOf = new Map(levels.flatMap((ids, level) => ids.map((id) => [id, level])))
  for (const { id, cables } of fabric.switches)
    for (const { device, line } of cables)
      if (levelOf.has(id) && levelOf.get(id) === levelOf.get(device))
        throw new TopologyError(
          `switches ${shown(byId.get(id)!)} and ${shown(byId.get(device)!)} are equally far from the nodes, and a cable joins the two switches; a tree has no cable within a level`,
          { source, line },
        )
  return levels
}

/** Sorts switches by their distance in cables from the switches of `first`, on paths without a switch of `around`. */
function climb(byId: Switches, first: ReadonlyArray<string>, around: ReadonlySet<string>): Levels {
  const seen = new Set(first)
  const levels: Array<ReadonlyArray<string>> = []
  for (let next = first; next.length > 0;) {
    levels.push(next)
    const above = next.flatMap((id) => byId.get(id)!.cables.map(({ device }) => device))
    next = [...new Set(above)].filter((id) => byId.has(id) && !seen.has(id) && !around.has(id))
    for (const id of next) seen.add(id)
  }
  return levels
}

/**
 * Cuts off the first level whose switches lead down again, and all later levels. If rails share spines, the L2 switches
 * of another rail follow the spines as a further level, although the leaves of the other rail are not in the tree. A
 * level leads down if every switch of the level is nearer to a leaf or service switch (`heights`) than all switches of
 * the level before. Cuts nothing if the cut would separate leaves.
 */
function withoutWayDown(byId: Switches, levels: Levels, heights: Levels): Levels {
  const heightOf = new Map(heights.flatMap((ids, height) => ids.map((id) => [id, height])))
  const greatest = (ids: ReadonlyArray<string>): number =>
    ids.reduce((most, id) => Math.max(most, heightOf.get(id)!), 0)
  const least = (ids: ReadonlyArray<string>): number =>
    ids.reduce((fewest, id) => Math.min(fewest, heightOf.get(id)!), Infinity)
  const down = levels.findIndex((ids, level) => level > 0 && greatest(ids) < least(levels[level - 1]))
  const rest = levels.slice(0, down)
  return down > 0 && islands(byId, rest) === islands(byId, levels) ? rest : levels
}

/** Counts the sets of leaves that cables between switches of `levels` connect. */
function islands(byId: Switches, levels: Levels): number {
  const left = new Set(levels.flat())
  const [leaves] = levels
  let count = 0
  for (const leaf of leaves) {
    if (!left.delete(leaf)) continue
    count++
    const found = [leaf]
    for (const id of found) for (const { device } of byId.get(id)!.cables) if (left.delete(device)) found.push(device)
  }
  return count
}

/**
 * Finds service switches: switches without nodes, but with hosts that are no nodes or with unused adapters of nodes. A
 * switch with the same neighbours as a switch without hosts belongs to the tree and is no service switch.
 */
function serviceSwitches({ switches, adapters }: DiscoveredFabric, hosts: HostsOfLeaf): ReadonlySet<string> {
  const neighbours = ({ cables }: DiscoveredSwitch): string =>
    [...new Set(cables.map(({ device }) => device).filter((id) => !adapters.has(id)))].sort().join()
  const ofTree = new Set(
    switches.filter(({ id }) => !hosts.ofSwitch.has(id) && !hosts.switchesOfOthers.has(id)).map(neighbours),
  )
  return new Set(
    switches
      .filter((each) => hosts.switchesOfOthers.has(each.id) && !hosts.ofSwitch.has(each.id))
      .filter((each) => !ofTree.has(neighbours(each)))
      .map(({ id }) => id),
  )
}
