import { isHostName } from './hostlist.ts'
import { type ErrorPlace, quote, show, TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'

/** Returns the name of a node in the topology's source; an invented name such as `node17` if the source has none. */
export function nodeName(topology: Topology, node: number): string {
  return topology.nodeNames?.[node] ?? `node${node}`
}

const LEVEL_PREFIXES = ['leaf', 'l2-', 'spine']

/**
 * Returns the name of a switch in the topology's source; if the source has none, `leaf3`, `l2-3`, `spine3` or `l4-3`.
 */
export function switchName(topology: Topology, level: number, sw: number): string {
  return topology.levels[level].names?.[sw] ?? `${LEVEL_PREFIXES[level] ?? `l${level + 1}-`}${sw}`
}

/**
 * Returns the machine with other names of nodes, in the order of node ids.
 *
 * @throws TopologyError for a wrong number of names, or for a name that is repeated or does not fit in a hostlist
 */
export function withNodeNames(topology: Topology, names: ReadonlyArray<string>): Topology {
  checkNodeNames(names, topology.nodes, { source: topology.name })
  return { ...topology, nodeNames: [...names] }
}

/** Throws a TopologyError for a wrong number of names, or for a name that is repeated or does not fit in a hostlist. */
export function checkNodeNames(names: ReadonlyArray<string>, nodes: number, place: ErrorPlace): void {
  if (names.length !== nodes) throw new TopologyError(`expected ${nodes} node names, found ${names.length}`, place)
  checkUnique(names, 'node', place)
}

/** Throws a TopologyError for wrong numbers of names, or for a name that is repeated or does not fit in a hostlist. */
export function checkSwitchNames(
  names: ReadonlyArray<ReadonlyArray<string>>,
  switches: ReadonlyArray<number>,
  place: ErrorPlace,
): void {
  switches.forEach((count, level) => {
    const found = names[level]?.length
    if (found !== count)
      throw new TopologyError(`expected ${count} switch names of level ${level}, found ${found ?? 'none'}`, place)
  })
  checkUnique(names.flat(), 'switch', place)
}

function checkUnique(names: ReadonlyArray<string>, what: string, place: ErrorPlace): void {
  const seen = new Set<string>()
  for (const name of names) {
    if (!isHostName(name))
      throw new TopologyError(
        `${show(name)} is no ${what} name: a name is not empty and has no white space and none of , [ ] " # = \\`,
        place,
      )
    if (seen.has(name)) throw new TopologyError(`the ${what} name ${quote(name)} occurs twice`, place)
    seen.add(name)
  }
}
