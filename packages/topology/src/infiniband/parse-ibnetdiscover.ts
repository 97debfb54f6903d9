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
 * Reads an InfiniBand fabric from the output of `ibnetdiscover`: a regular tree with its own names where it is one, else a
 * switch graph whose `irregularity` names the switch, and the cable, that is in the way.
 *
 * - Leaves are the switches that nodes hang on. Every other switch is one level above the nearest leaf, by cables.
 * - Nodes are the hosts of `choice.nodes`; by default those whose names differ from most others' in digits alone. Other
 *   hosts (storage, login, management) are `leftOut`.
 * - Switches without a node below are left out: the leaves of other rails and their L2 switches, and switches with other
 *   hosts alone that are unlike the switches of the tree.
 * - Leaves are in the natural order of their first nodes, switches above in that of their names. A description that
 *   several switches have is made unique by the GUID.
 *
 * @param name what the topology is called, and what errors call the file
 * @throws TopologyError with the line
 */
export function parseIbnetdiscover(text: string, name: string, choice: HostChoice = {}): Topology {
  const fabric = readDiscoveredFabric(text, name)
  const hosts = computeHosts(fabric, choice, name)
  const levels = levelsOf(fabric, hosts, name)
  const graph = numbered(fabric, levels, hosts, name)
  const remarks = [...leftOutRemark(hosts), ...nodelessRemark(fabric, levels), ...slowCables(fabric, levels)]
  return { ...recognisePgft(graph), ...(remarks.length > 0 && { remarks }) }
}

/** The switches that were found, as a graph in tree order. */
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
    `${leftOut.length} hosts are no nodes (${some}${leftOut.length > 5 ? ', …' : ''}); nodes=HOSTLIST says which are`,
  ]
}

/** Names the switches of the fabric that are not in the tree. */
function nodelessRemark({ switches }: DiscoveredFabric, levels: Levels): ReadonlyArray<string> {
  const ofTree = new Set(levels.flat())
  const others = switches.filter(({ id }) => !ofTree.has(id)).map(shown)
  if (others.length === 0) return []
  const some = others.slice(0, 5).join(', ')
  const left =
    others.length === 1 ? '1 switch has no node below and is' : `${others.length} switches have no node below and are`
  return [`${left} left out (${some}${others.length > 5 ? ', …' : ''})`]
}

/** Cables that run slower than most of their level: a bad plug shows so. */
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
          `the cable from ${shown(byId.get(id)!)} port ${ownPort} to ${shown(byId.get(device)!)} port ${port} runs at ${speed ?? 'no known speed'}, most of its level at ${usual ?? 'none that is known'}`,
      )
  })
}

function mostCommon(values: ReadonlyArray<string | undefined>): string | undefined {
  const counts = new Map<string | undefined, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]
}
