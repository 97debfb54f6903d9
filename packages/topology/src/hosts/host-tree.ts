import { withBlocksOf } from '../blocks.ts'
import { compareNaturally, formatHostlist, isHostName } from '../names.ts'
import { type LinkCounts, treeOfSwitches } from '../slurm/switch-tree.ts'
import type { FieldPlace, SwitchLine } from '../slurm/topology-conf.ts'
import { quote, TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'

/** Host of a file, with the switches above the host. */
export interface HostPath {
  readonly name: string
  readonly place: FieldPlace
  /** Switches above the host, from the coarsest level to the leaf; at least one. */
  readonly switches: ReadonlyArray<{ readonly name: string; readonly place: FieldPlace }>
  /** Name of the host's NVLink domain; undefined if the file has none. */
  readonly block: string | undefined
}

/** Host with the names of the switches above it, unique in the machine, from the coarsest level to the leaf. */
interface UniquePath {
  readonly host: HostPath
  readonly names: ReadonlyArray<string>
}

/**
 * Builds the topology of hosts and of the switches above each host. NVLink domains become blocks. Switches of a level
 * and nodes of a leaf are in the natural order of their names, so the order of the hosts in the file does not matter.
 *
 * @param areIds true if the name of a switch is unique in the machine; false if switches below different parents may
 *   have equal names. In a level with equal names, the name of a switch begins with the name of its parent: `P10-S14`
 * @param remarks remarks on the file, for people
 * @throws TopologyError with the place of a host or switch that is no name, of a repeated host, of a switch with two
 *   parents, and of a host on a switch that has switches below
 */
export function treeOfHosts(
  hosts: ReadonlyArray<HostPath>,
  name: string,
  {
    areIds,
    remarks = [],
    ...links
  }: LinkCounts & { readonly areIds: boolean; readonly remarks?: ReadonlyArray<string> },
): Topology {
  checkNames(hosts)
  const paths = areIds
    ? hosts.map((host) => ({ host, names: host.switches.map((each) => each.name) }))
    : qualified(hosts)
  if (areIds) checkIds(paths)
  const sorted = paths.toSorted((a, b) => compareLists(a.names, b.names))
  const machine = treeOfSwitches(linesOf(sorted), name, links)
  const blockOf = new Map(hosts.map((host) => [host.name, host.block]))
  const withBlocks = withBlocksOf(machine, (node) => blockOf.get(machine.nodeNames![node]))
  const strays = hosts.filter(({ block }) => block === undefined).map((host) => host.name)
  const all = [
    ...remarks,
    ...(withBlocks.blocks !== undefined && strays.length > 0
      ? [`in no NVLink domain, so one more block on each leaf: ${some(strays)}`]
      : []),
  ]
  return all.length === 0 ? withBlocks : { ...withBlocks, remarks: all }
}

/** Returns the first five names, and the number of the others: `a, b, c, d, e and 7 more`. */
export function some(names: ReadonlyArray<string>): string {
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown
}

function checkNames(hosts: ReadonlyArray<HostPath>): void {
  const placeOfHost = new Map<string, FieldPlace>()
  for (const { name, place, switches } of hosts) {
    checkName(name, 'a host', place)
    for (const each of switches) checkName(each.name, 'a switch', each.place)
    const before = placeOfHost.get(name)
    if (before !== undefined)
      throw new TopologyError(`host ${quote(name)} is already ${at(before)}; a host hangs on one leaf`, place)
    placeOfHost.set(name, place)
  }
}

function checkName(name: string, what: string, place: FieldPlace): void {
  if (!isHostName(name))
    throw new TopologyError(
      `expected the name of ${what}, not empty and without white space and , [ ] " # = \\, found ${quote(name)}`,
      place,
    )
}

function at({ line, field }: FieldPlace): string {
  return line === undefined ? `at ${field}` : `on line ${line}`
}

/** Returns paths with unique names. If names of a level are not unique, all of them begin with the name of the parent. */
function qualified(hosts: ReadonlyArray<HostPath>): ReadonlyArray<UniquePath> {
  const taken = new Set<string>()
  const paths = hosts.map((host) => ({ host, names: [] as string[] }))
  const depth = hosts[0]?.switches.length ?? 0
  for (let level = 0; level < depth; level++) {
    const keyOf = ({ host, names }: (typeof paths)[number]): string =>
      JSON.stringify([names[level - 1] ?? '', host.switches[level].name])
    const plain = new Map(paths.map((path) => [keyOf(path), path.host.switches[level].name]))
    const areUnique =
      new Set(plain.values()).size === plain.size && [...plain.values()].every((each) => !taken.has(each))
    const uniqueOf = new Map<string, string>()
    for (const path of paths) {
      const key = keyOf(path)
      let unique = uniqueOf.get(key)
      if (unique === undefined) {
        unique = areUnique || level === 0 ? plain.get(key)! : `${path.names[level - 1]}-${plain.get(key)!}`
        while (taken.has(unique)) unique += '-'
        taken.add(unique)
        uniqueOf.set(key, unique)
      }
      path.names.push(unique)
    }
  }
  return paths
}

/** Throws a TopologyError if paths give a switch two parents, or a host to a switch that has switches below. */
function checkIds(paths: ReadonlyArray<UniquePath>): void {
  const parentOf = new Map<string, { readonly parent: string | undefined; readonly place: FieldPlace }>()
  const isUpper = new Set<string>()
  for (const { host, names } of paths)
    for (const [level, name] of names.entries()) {
      const parent = names[level - 1]
      const { place } = host.switches[level]
      const before = parentOf.get(name)
      if (before === undefined) parentOf.set(name, { parent, place })
      else if (before.parent !== parent)
        throw new TopologyError(
          `switch ${quote(name)} is ${below(parent)}, but ${below(before.parent)} ${at(before.place)}; a switch has one parent`,
          place,
        )
      if (level < names.length - 1) isUpper.add(name)
    }
  for (const { host, names } of paths)
    if (isUpper.has(names.at(-1)!))
      throw new TopologyError(
        `host ${quote(host.name)} hangs on switch ${quote(names.at(-1)!)}, which has switches below; expected a leaf`,
        host.switches.at(-1)!.place,
      )
}

function below(parent: string | undefined): string {
  return parent === undefined ? 'at the top' : `below ${quote(parent)}`
}

/** Returns the leaves in the order of the paths, then the switches above in the order of their first leaves. */
function linesOf(paths: ReadonlyArray<UniquePath>): SwitchLine[] {
  const leaves = Map.groupBy(paths, ({ names }) => names.at(-1)!)
  const children = new Map<string, Set<string>>()
  for (const [, [{ names }]] of leaves)
    for (let level = names.length - 2; level >= 0; level--) {
      const own = children.get(names[level])
      if (own === undefined) children.set(names[level], new Set([names[level + 1]]))
      else own.add(names[level + 1])
    }
  return [
    ...[...leaves].map(([name, own]) => ({
      line: own[0].host.place.line,
      name,
      nodes: formatHostlist(own.map(({ host }) => host.name)),
      switches: undefined,
    })),
    ...[...children].map(([name, own]) => ({ line: undefined, name, nodes: undefined, switches: formatHostlist(own) })),
  ]
}

function compareLists(a: ReadonlyArray<string>, b: ReadonlyArray<string>): number {
  for (const [i, name] of a.entries()) {
    if (i >= b.length) return 1
    const order = compareNaturally(name, b[i])
    if (order !== 0) return order
  }
  return a.length - b.length
}
