import { compareNaturally } from '../names/natural-order.ts'
import { recognisePgft } from '../regular/recognise-pgft.ts'
import { switchGraph } from '../switch-graph.ts'
import type { Topology } from '../topology.ts'
import { inverse, type Parents, treeOrder } from '../tree-order.ts'
import { computeHosts, type HostChoice, type HostsOfLeaf } from './compute-hosts.ts'
import { type DiscoveredFabric, readDiscoveredFabric } from './discovered-fabric.ts'
import { type Levels, levelsOf } from './levels-of-fabric.ts'
import { shown, uniqueNames } from './switch-names.ts'

/**
 * Reads an InfiniBand fabric from the output of `ibnetdiscover`. Returns a regular tree if the fabric is a regular
 * tree, else a switch graph; the graph's `irregularity` names the switch or cable that prevents a tree.
 *
 * - Leaves are the switches with nodes. The level of any other switch is its distance in cables from the nearest leaf.
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
  const hosts = computeHosts(fabric, choice, name)
  const levels = levelsOf(fabric, hosts, name)
  const graph = numbered(fabric, levels, hosts, name)
  const remarks = [...leftOutRemark(hosts), ...nodelessRemark(fabric, levels), ...slowCables(fabric, levels)]
  return { ...recognisePgft(graph), ...(remarks.length > 0 && { remarks }) }
}

function numbered({ switches }: DiscoveredFabric, found: Levels, { ofSwitch }: HostsOfLeaf, name: string): Topology {
  const byId = new Map(switches.map((each) => [each.id, each]))
  const names = uniqueNames(switches)
  const sorted = found.map((ids, level) =>
    [...ids].sort((a, b) =>
      level === 0
        ? compareNaturally(ofSwitch.get(a)![0], ofSwitch.get(b)![0])
        : compareNaturally(names.get(a)!, names.get(b)!),
    ),
  )
  const indexOf = sorted.map((ids) => new Map(ids.map((id, index) => [id, index])))
  const parents: Parents = sorted
    .slice(0, -1)
    .map((ids, level) =>
      ids.map((id) =>
        [...byId.get(id)!.cables]
          .sort((a, b) => a.ownPort - b.ownPort)
          .flatMap(({ device }) => indexOf[level + 1].get(device) ?? []),
      ),
    )
  const counts = sorted.map((ids) => ids.length)
  const order = treeOrder(counts[0], parents, counts)
  const places = order.map(inverse)
  const ordered = order.map((of, level) => of.map((index) => sorted[level][index]))
  return switchGraph({
    name,
    leaves: ordered[0].map((id) => ofSwitch.get(id)!.length),
    parents: parents.map((lists, level) =>
      order[level].map((index) => lists[index].map((parent) => places[level + 1][parent])),
    ),
    nodeNames: ordered[0].flatMap((id) => ofSwitch.get(id)!),
    switchNames: ordered.map((ids) => ids.map((id) => names.get(id)!)),
  })
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

function mostCommon(values: ReadonlyArray<string | undefined>): string | undefined {
  const counts = new Map<string | undefined, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]
}
