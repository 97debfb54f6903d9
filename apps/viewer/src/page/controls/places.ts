import {
  linkId,
  nodeName,
  parentOf,
  portOfLink,
  switchName,
  switchOfLink,
  type Topology,
  upPorts,
} from '@cloister/topology'

/** A part of the machine: the nodes from `from` to before `to`, or a cable between two switches. */
export type Place =
  | { readonly kind: 'nodes'; readonly name: string; readonly from: number; readonly to: number; readonly isPod?: true }
  | {
      readonly kind: 'link'
      readonly name: string
      readonly level: number
      readonly link: number
      readonly leaf: number
    }

/** Separators of the two switches of a cable. */
const betweenEnds = /->|→| to /

/** Returns the parts of a machine that a text may mean: `leaf 12`, `l12`, `pod 3`, `node 7`, `leaf 12 -> l2 11`. */
export function placesNamed(text: string, topology: Topology): ReadonlyArray<Place> {
  const ends = text.split(betweenEnds)
  if (ends.length === 2) return linksBetween(ends[0], ends[1], topology)
  if (ends.length > 2) return []
  return [...podsNamed(text, topology), ...leavesNamed(text, topology), ...nodesNamed(text, topology)]
}

function podsNamed(text: string, { pods, firstLeafOfPod, firstNodeOfLeaf }: Topology): ReadonlyArray<Place> {
  const [, number] = /^pod(\d{1,6})$/.exec(plain(text)) ?? []
  const pod = Number(number ?? Infinity)
  if (pod >= pods) return []
  const [from, to] = [firstNodeOfLeaf[firstLeafOfPod[pod]], firstNodeOfLeaf[firstLeafOfPod[pod + 1]]]
  return [{ kind: 'nodes', name: `pod ${pod}`, from, to, isPod: true }]
}

function leavesNamed(text: string, topology: Topology): ReadonlyArray<Place> {
  return switchesNamed(text, 0, topology).map((leaf) => ({
    kind: 'nodes',
    name: switchName(topology, 0, leaf),
    from: topology.firstNodeOfLeaf[leaf],
    to: topology.firstNodeOfLeaf[leaf + 1],
  }))
}

function nodesNamed(text: string, topology: Topology): ReadonlyArray<Place> {
  const node = nodeNamed(text, topology)
  return node === undefined ? [] : [{ kind: 'nodes', name: nodeName(topology, node), from: node, to: node + 1 }]
}

/** Returns the node with a name such as `node 7`; undefined if the machine has no such node. */
export function nodeNamed(text: string, topology: Topology): number | undefined {
  const wanted = plain(text)
  if (wanted === '') return undefined
  for (let node = 0; node < topology.nodes; node++) if (plain(nodeName(topology, node)) === wanted) return node
  return undefined
}

/** Returns the first switch with a name such as `leaf 3`, `l3`, `l2-7` or `spine 1`; undefined if there is none. */
export function switchNamed(
  text: string,
  topology: Topology,
): { readonly level: number; readonly sw: number } | undefined {
  for (const level of topology.levels.keys()) {
    const [sw] = switchesNamed(text, level, topology)
    if (sw !== undefined) return { level, sw }
  }
  return undefined
}

/** Path between two nodes, named such as `node3 → node40`. */
export interface NamedPath {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** Returns the path between two nodes of a text such as `node 3 -> node 40`; undefined if the text has other names. */
export function pathNamed(text: string, topology: Topology): NamedPath | undefined {
  const ends = text.split(betweenEnds)
  const [from, to] = ends.map((end) => nodeNamed(end, topology))
  if (ends.length !== 2 || from === undefined || to === undefined) return undefined
  return { name: `${nodeName(topology, from)} → ${nodeName(topology, to)}`, from, to }
}

function linksBetween(one: string, other: string, topology: Topology): ReadonlyArray<Place> {
  const port = /\bport (\d+)\b/.exec(`${one} ${other}`)?.[1]
  return pairsNamed(one, other, topology).flatMap(({ level, lower, upper }) =>
    cablesUp(topology, level, lower)
      .filter((cable) => cable.upper === upper && (port === undefined || cable.port === Number(port)))
      .map(({ link }) => placeOfLink(topology, level, link)),
  )
}

/** Returns the place of a cable, with a name such as `leaf12 port 2 to l2-11`. */
export function placeOfLink(topology: Topology, level: number, link: number): Extract<Place, { kind: 'link' }> {
  const [sw, port] = [switchOfLink(topology, level, link), portOfLink(topology, level, link)]
  const upper = parentOf(topology, level, sw, port)
  return {
    kind: 'link',
    name: `${switchName(topology, level, sw)} port ${port} to ${switchName(topology, level + 1, upper)}`,
    level,
    link,
    leaf: leafBelow(topology, level, sw),
  }
}

/**
 * Tells why no cable joins the two switches of a text such as `leaf 12 -> l2 3`, and which switches are above the lower
 * switch. Returns undefined if a cable joins the switches, or if the text does not name two switches.
 */
export function whyNoLink(text: string, topology: Topology): string | undefined {
  const ends = text.split(betweenEnds)
  if (ends.length !== 2 || placesNamed(text, topology).length > 0) return undefined
  const [pair] = pairsNamed(ends[0], ends[1], topology)
  if (pair === undefined) return undefined
  const { level, lower, upper } = pair
  const [low, high] = [switchName(topology, level, lower), switchName(topology, level + 1, upper)]
  const above = [
    ...new Set(cablesUp(topology, level, lower).map((cable) => switchName(topology, level + 1, cable.upper))),
  ]
  const pods =
    level === 0
      ? [topology.podOfLeaf[lower], topology.firstL2OfPod.findLastIndex((first) => first <= upper)]
      : [undefined, undefined]
  const where = pods[0] === pods[1] ? '' : `: ${low} is in pod ${pods[0]}, ${high} in pod ${pods[1]}`
  return `no cable joins ${low} and ${high}${where}; ${low} has cables to ${listed(above)}`
}

/** Names the first and the last part of a kind, for a text such as `leaf 40`; undefined unless the machine lacks it. */
export function whyNoPlace(text: string, topology: Topology): string | undefined {
  const [, kind] = /^(leaf|pod|node)\d+$/.exec(plain(text)) ?? []
  if (kind === undefined || placesNamed(text, topology).length > 0) return undefined
  const { leaves, pods, nodes } = topology
  const [first, last] = {
    leaf: [0, leaves - 1].map((leaf) => switchName(topology, 0, leaf)),
    pod: [0, pods - 1].map((pod) => `pod ${pod}`),
    node: [0, nodes - 1].map((node) => nodeName(topology, node)),
  }[kind as 'leaf' | 'pod' | 'node']
  return `no ${text.trim()}: ${first} to ${last}`
}

function listed(names: ReadonlyArray<string>): string {
  return names.length <= 3 ? names.join(', ') : `${names[0]}, ${names[1]}, …, ${names.at(-1)}`
}

/** Returns the pairs of switches of adjacent levels that two texts name, in either order. */
function pairsNamed(
  one: string,
  other: string,
  topology: Topology,
): ReadonlyArray<{ readonly level: number; readonly lower: number; readonly upper: number }> {
  const withoutPort = (text: string): string => text.replace(/\bport \d+\b/, '')
  return [
    [one, other],
    [other, one],
  ].flatMap(([low, high]) =>
    topology.levels.slice(1).flatMap((_, level) => {
      const uppers = switchesNamed(withoutPort(high), level + 1, topology)
      return uppers.length === 0
        ? []
        : switchesNamed(withoutPort(low), level, topology).flatMap((lower) =>
            uppers.map((upper) => ({ level, lower, upper })),
          )
    }),
  )
}

function cablesUp(
  topology: Topology,
  level: number,
  sw: number,
): ReadonlyArray<{ readonly port: number; readonly link: number; readonly upper: number }> {
  return Array.from({ length: upPorts(topology, level, sw) }, (_, port) => ({
    port,
    link: linkId(topology, level, sw, port),
    upper: parentOf(topology, level, sw, port),
  }))
}

function switchesNamed(text: string, level: number, topology: Topology): ReadonlyArray<number> {
  const wanted = plain(text)
  if (wanted === '') return []
  const short = level === 0 ? wanted.replace(/^l(?=\d+$)/, 'leaf') : wanted
  const found: Array<number> = []
  for (let sw = 0; sw < topology.levels[level].switches; sw++) {
    const name = plain(switchName(topology, level, sw))
    if (name === wanted || name === short) found.push(sw)
  }
  const [, number] = /^leaf(\d{1,6})$/.exec(short) ?? []
  return level === 0 && found.length === 0 && Number(number) < topology.leaves ? [Number(number)] : found
}

/** Returns a leaf below a switch. For a cable of the switch, the page shows the pod of this leaf. */
function leafBelow(topology: Topology, level: number, sw: number): number {
  if (level === 0) return sw
  for (let below = 0; below < topology.levels[level - 1].switches; below++)
    for (let port = 0; port < upPorts(topology, level - 1, below); port++)
      if (parentOf(topology, level - 1, below, port) === sw) return leafBelow(topology, level - 1, below)
  return 0
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '')
}
