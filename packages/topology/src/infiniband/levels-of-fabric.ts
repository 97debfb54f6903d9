import { TopologyError } from '../topology-error.ts'
import type { HostsOfLeaf } from './compute-hosts.ts'
import type { DiscoveredFabric, DiscoveredSwitch } from './discovered-fabric.ts'
import { shown } from './switch-names.ts'

/** Ids of the switches of each level, from the leaves up. */
export type Levels = ReadonlyArray<ReadonlyArray<string>>

type Switches = ReadonlyMap<string, DiscoveredSwitch>

/** Finds the switches of each level of the tree above the nodes. @throws TopologyError for a cable within a level */
export function levelsOf(fabric: DiscoveredFabric, hosts: HostsOfLeaf, source: string): Levels {
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
