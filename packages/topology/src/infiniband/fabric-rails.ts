import { pgft } from '../pgft.ts'
import { withRails } from '../rails.ts'
import { quote, TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'
import { nodeName, switchName } from '../names.ts'
import { levelName } from '../wiring.ts'

/** Tree of one rail of a fabric. */
export interface RailTree {
  /** Name of the adapter of each node in this rail, such as `mlx5_0`. */
  readonly adapter: string
  readonly topology: Topology
  /** Ids of the fabric's switches of each level, from the leaves up. */
  readonly switches: ReadonlyArray<ReadonlyArray<string>>
}

/**
 * Returns the machine whose rails have the given trees. The names of switches are those of the first rail.
 *
 * @throws TopologyError if two rails differ, with the first difference; if rails have only a part of a level in common;
 *   and if a common switch has too few cables for the flows of all rails
 */
export function machineOfRails(rails: ReadonlyArray<RailTree>, name: string): Topology {
  const [first, ...others] = rails
  for (const other of others) {
    const difference = nodeDifference(first, other) ?? cableDifference(first, other)
    if (difference === undefined) continue
    throw new TopologyError(
      `the rails differ: ${difference}. All rails of a machine are equal; adapters=HOSTLIST chooses the adapters of the rails, and adapter=${first.adapter} a single rail`,
      { source: name },
    )
  }
  const commonFrom = lowestCommonLevel(rails, name)
  const tree = commonFrom === undefined ? first.topology : shareOfRail(first.topology, commonFrom, rails.length, name)
  return withRails(tree, { count: rails.length, ...(commonFrom !== undefined && { commonFrom }) }, name)
}

/** Returns the first node that two rails place differently; undefined if the leaves of both rails have the same nodes. */
function nodeDifference(a: RailTree, b: RailTree): string | undefined {
  const [matesA, matesB] = [leafMates(a.topology), leafMates(b.topology)]
  for (const node of matesA.keys())
    if (!matesB.has(node)) return `${node} has the adapter ${a.adapter}, and no cabled adapter ${b.adapter}`
  for (const node of matesB.keys())
    if (!matesA.has(node)) return `${node} has the adapter ${b.adapter}, and no cabled adapter ${a.adapter}`
  for (const [node, mates] of matesA) {
    const there = matesB.get(node)!
    const lost = [...mates].find((mate) => !there.has(mate))
    if (lost !== undefined)
      return `${node} and ${lost} are on one leaf in the rail of ${a.adapter}, and on two leaves in the rail of ${b.adapter}`
    const gained = [...there].find((mate) => !mates.has(mate))
    if (gained !== undefined)
      return `${node} and ${gained} are on one leaf in the rail of ${b.adapter}, and on two leaves in the rail of ${a.adapter}`
  }
  return undefined
}

/** Returns the names of the nodes on the leaf of each node, by the name of the node. */
function leafMates(topology: Topology): ReadonlyMap<string, ReadonlySet<string>> {
  const nodes = Array.from({ length: topology.nodes }, (_, node) => node)
  const ofLeaf = Map.groupBy(nodes, (node) => topology.leafOfNode[node])
  const names = new Map([...ofLeaf].map(([leaf, ids]) => [leaf, new Set(ids.map((id) => nodeName(topology, id)))]))
  return new Map(nodes.map((node) => [nodeName(topology, node), names.get(topology.leafOfNode[node])!]))
}

/** Returns the first difference in the switches and cables of two rails with the same nodes on their leaves. */
function cableDifference(a: RailTree, b: RailTree): string | undefined {
  const [one, two] = [a.topology, b.topology]
  const here = (level: number, sw: number): string => `${switchName(one, level, sw)} in the rail of ${a.adapter}`
  const there = (level: number, sw: number): string => `${switchName(two, level, sw)} in the rail of ${b.adapter}`
  if (one.levels.length !== two.levels.length)
    return `the rail of ${a.adapter} has ${one.levels.length} levels of switches, the rail of ${b.adapter} has ${two.levels.length}`
  for (const [level, own] of one.levels.entries()) {
    const other = two.levels[level]
    if (own.switches !== other.switches)
      return `the rail of ${a.adapter} has ${own.switches} ${levelName(level)} switches, the rail of ${b.adapter} has ${other.switches}`
    for (let sw = 0; sw < own.switches; sw++) {
      const ports = [own, other].map(({ firstPort }) => firstPort[sw + 1] - firstPort[sw])
      if (ports[0] !== ports[1])
        return `${here(level, sw)} has ${ports[0]} cables up, and ${there(level, sw)} at the same position has ${ports[1]}`
      for (let link = own.firstPort[sw]; link < own.firstPort[sw + 1]; link++)
        if (own.parentOfLink[link] !== other.parentOfLink[link])
          return `a cable leads from ${here(level, sw)} to ${here(level + 1, own.parentOfLink[link])}, and none from ${there(level, sw)} at the same position to ${there(level + 1, own.parentOfLink[link])}`
    }
  }
  return undefined
}

/** Returns the lowest level whose switches all rails have in common; undefined if they have no switch in common. */
function lowestCommonLevel(rails: ReadonlyArray<RailTree>, source: string): number | undefined {
  let lowest: number | undefined
  rails[0].switches.forEach((ids, level) => {
    const uses = new Map<string, number>()
    for (const { switches } of rails) for (const id of switches[level]) uses.set(id, (uses.get(id) ?? 0) + 1)
    const areCommon = ids.every((id) => uses.get(id) === rails.length)
    if (areCommon && level > 0) lowest ??= level
    else if ([...uses.values()].some((count) => count > 1) || lowest !== undefined)
      throw new TopologyError(
        `some rails have ${levelName(level)} switches in common, but not all rails have all of them in common`,
        { source },
      )
  })
  return lowest
}

/**
 * Returns the tree of one rail, from a tree in which the switches of the level `from` and above have the cables of all
 * rails. Each rail needs cables of its own, because a cable carries one flow of a job in each direction.
 */
function shareOfRail(tree: Topology, from: number, rails: number, source: string): Topology {
  const shared = tree.levels.findIndex(({ links }, level) => level >= from && links > 0)
  if (shared < 0) return tree
  if (tree.pgft === undefined)
    throw new TopologyError(
      `all rails have the ${levelName(shared)} switches in common, and the tree above is not regular: the cables of each rail are unknown`,
      { source },
    )
  const p = tree.pgft.p.map((cables, level) => {
    if (level <= from) return cables
    if (cables % rails !== 0)
      throw new TopologyError(
        `${quote(switchName(tree, level - 1, 0))} is common to ${rails} rails and has ${cables} cables to each switch above, but ${rails} rails need a multiple of ${rails}: with fewer cables the flows of several rails share a cable`,
        { source },
      )
    return cables / rails
  })
  const { levels } = pgft({ ...tree.pgft, p })
  return {
    ...tree,
    pgft: { ...tree.pgft, p },
    levels: levels.map((level, at) => ({ ...level, ...(tree.levels[at].names && { names: tree.levels[at].names }) })),
  }
}
