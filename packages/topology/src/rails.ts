import { nodeName, switchName } from './names.ts'
import { TopologyError } from './topology-error.ts'
import type { Rails, SwitchLevel, Topology } from './topology.ts'
import { levelName, switchOfLink } from './wiring.ts'

/** Largest number of rails of a machine. */
export const MOST_RAILS = 64

/**
 * Returns a machine of several rails, in which each rail has the tree of `tree`.
 *
 * @throws TopologyError if `tree` has rails, if the number of rails is not from 2 to 64, or if `commonFrom` is no level
 *   above the leaves
 */
export function withRails(tree: Topology, { count, commonFrom }: Rails, name: string): Topology {
  const place = { source: name, field: 'rails' }
  if (tree.rails !== undefined) throw new TopologyError('this machine has rails already', place)
  if (!Number.isInteger(count) || count < 2 || count > MOST_RAILS)
    throw new TopologyError(`expected 2 to ${MOST_RAILS} rails, found ${count}`, place)
  const levels = tree.levels.length
  if (commonFrom !== undefined && !(Number.isInteger(commonFrom) && commonFrom >= 1 && commonFrom < levels))
    throw new TopologyError(
      levels === 1
        ? 'rails with leaves alone have no common switch'
        : `rails can have common switches from level 1 (L2) to level ${levels - 1} (the top) on, found ${commonFrom}`,
      place,
    )
  return { ...tree, name, rails: commonFrom === undefined ? { count } : { count, commonFrom } }
}

/** Returns the number of rails of a machine: 1 for a machine whose nodes have one adapter. */
export function railCount({ rails }: Pick<Topology, 'rails'>): number {
  return rails?.count ?? 1
}

/** Returns the rails in words, such as `8 rails with common L2 switches`; undefined for a machine with one rail. */
export function describeRails({ rails }: Pick<Topology, 'rails'>): string | undefined {
  if (rails === undefined) return undefined
  const { count, commonFrom } = rails
  if (commonFrom === undefined) return `${count} rails without a common switch`
  return `${count} rails with common ${levelName(commonFrom)} switches`
}

/** Returns the name of a machine, with the number of its rails if the name does not say the number. */
export function nameWithRails({
  name,
  rails,
}: Pick<Topology, 'name'> & { readonly rails?: { readonly count: number } }): string {
  return rails === undefined || /^\d+ rails /.test(name) ? name : `${name}, ${rails.count} rails`
}

/** Returns rails in words, such as ` in rail 3` or ` in rails 0,5`; empty without rails. @param rails idset */
export function inRails(rails: string | undefined): string {
  return rails === undefined ? '' : ` in ${/\D/.test(rails) ? 'rails' : 'rail'} ${rails}`
}

/** Returns the number of switches of each level of the fabric, all rails together. */
export function fabricSwitches({ rails, levels }: Pick<Topology, 'rails' | 'levels'>): ReadonlyArray<number> {
  return levels.map(({ switches }, level) => switches * (isCommon(rails, level) ? 1 : (rails?.count ?? 1)))
}

function isCommon(rails: Rails | undefined, level: number): boolean {
  return rails?.commonFrom !== undefined && level >= rails.commonFrom
}

/** Fabric in which each adapter of a node is an end point of its own: the switches and cables that people install. */
export interface Fabric extends Pick<Topology, 'name' | 'levels' | 'leafOfNode' | 'nodes' | 'nodeNames'> {
  readonly rails: number
  /** Number of nodes. The end point `rail * nodesOfRail + node` is the adapter of a node in a rail. */
  readonly nodesOfRail: number
  /** Returns the switch of the fabric at the position of a switch in the tree of one rail. */
  switchOf(rail: number, level: number, sw: number): number
  /** Returns the link of the fabric at the position of a link in the tree of one rail. */
  linkOf(rail: number, level: number, link: number): number
}

/**
 * Returns the fabric of a machine. The adapter of `node3` in rail 2 is `node3 mlx5_2`, and its leaf `rail2-leaf0`. A
 * switch that all rails have in common keeps its name, and has the links of all rails, rail by rail. A machine with one
 * rail is its own fabric.
 */
export function wholeFabric(topology: Topology): Fabric {
  const { name, levels, nodes, rails } = topology
  const count = railCount(topology)
  const commons = levels.map((_, level) => isCommon(rails, level))
  const switchOf = (rail: number, level: number, sw: number): number =>
    commons[level] ? sw : rail * levels[level].switches + sw
  const linkOf = (rail: number, level: number, link: number): number => {
    if (!commons[level]) return rail * levels[level].links + link
    const { firstPort } = levels[level]
    const sw = switchOfLink(topology, level, link)
    return firstPort[sw] * (count - 1) + rail * (firstPort[sw + 1] - firstPort[sw]) + link
  }
  const parts = { rails: count, nodesOfRail: nodes, switchOf, linkOf }
  if (rails === undefined) return { ...topology, ...parts }
  const each = Array.from({ length: count }, (_, rail) => rail)
  return {
    ...parts,
    name,
    nodes: count * nodes,
    nodeNames: each.flatMap((rail) =>
      Array.from({ length: nodes }, (_, node) => `${nodeName(topology, node)} mlx5_${rail}`),
    ),
    leafOfNode: Int32Array.from(
      each.flatMap((rail) => Array.from(topology.leafOfNode, (leaf) => switchOf(rail, 0, leaf))),
    ),
    levels: levels.map((level, at) => levelOfFabric(topology, level, at, commons[at] ? [0] : each)),
  }

  function levelOfFabric(tree: Topology, level: SwitchLevel, at: number, prefixes: ReadonlyArray<number>): SwitchLevel {
    const ports = commons[at] ? count : 1
    const firstPort = new Int32Array(prefixes.length * level.switches + 1)
    const parentOfLink = new Int32Array(count * level.links)
    for (const rail of prefixes)
      for (let sw = 0; sw < level.switches; sw++)
        firstPort[switchOf(rail, at, sw) + 1] = ports * (rail * level.links + level.firstPort[sw + 1])
    for (const rail of each)
      for (let link = 0; link < level.links; link++)
        parentOfLink[linkOf(rail, at, link)] = switchOf(rail, at + 1, level.parentOfLink[link])
    const names = prefixes.flatMap((rail) =>
      Array.from(
        { length: level.switches },
        (_, sw) => `${commons[at] ? '' : `rail${rail}-`}${switchName(tree, at, sw)}`,
      ),
    )
    return { switches: names.length, links: parentOfLink.length, firstPort, parentOfLink, names }
  }
}

/** Returns the description of an end point of a fabric, its host and its adapter: `node3 mlx5_2`. */
export function adapterName(fabric: Fabric, endPoint: number): string {
  return fabric.rails > 1 ? nodeName(fabric, endPoint) : `${nodeName(fabric, endPoint)} mlx5_0`
}
