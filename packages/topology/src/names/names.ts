import { isHostName } from './hostlist.ts'
import { type ErrorPlace, quote, show, TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'

/** The name of a node: from the topology's source, else `node17`. */
export function nodeName(topology: Topology, node: number): string {
  return topology.nodeNames?.[node] ?? `node${node}`
}

const LEVEL_PREFIXES = ['leaf', 'l2-', 'spine']

/** The name of a switch: from the topology's source, else `leaf3`, `l2-3`, `spine3`, `l4-3`, … */
export function switchName(topology: Topology, level: number, sw: number): string {
  return topology.levels[level].names?.[sw] ?? `${LEVEL_PREFIXES[level] ?? `l${level + 1}-`}${sw}`
}

/**
 * The same machine with other node names, in id order.
 *
 * @throws TopologyError where there is not one name a node, each once
 */
export function withNodeNames(topology: Topology, names: ReadonlyArray<string>): Topology {
  checkNodeNames(names, topology.nodes, { source: topology.name })
  return { ...topology, nodeNames: [...names] }
}

/** @throws TopologyError */
export function checkNodeNames(names: ReadonlyArray<string>, nodes: number, place: ErrorPlace): void {
  if (names.length !== nodes) throw new TopologyError(`expected ${nodes} node names, found ${names.length}`, place)
  checkUnique(names, 'node', place)
}

/** @throws TopologyError */
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
        `${show(name)} is no ${what} name: it is empty or has white space or one of , [ ] " # = \\`,
        place,
      )
    if (seen.has(name)) throw new TopologyError(`the ${what} name ${quote(name)} is there twice`, place)
    seen.add(name)
  }
}
