import { linkId, nodeName, parentOf, switchName, type Topology, upPorts } from '@cloister/topology'

/** A part of the machine: the nodes from `from` to before `to`, or a cable between two switches. */
export type Place =
  | { readonly kind: 'nodes'; readonly name: string; readonly from: number; readonly to: number }
  | {
      readonly kind: 'link'
      readonly name: string
      readonly level: number
      readonly link: number
      readonly leaf: number
    }

/** Returns the parts of a machine that a text may mean: `leaf 12`, `l12`, `pod 3`, `node 7`, `leaf 12 -> l2 3`. */
export function placesNamed(text: string, topology: Topology): ReadonlyArray<Place> {
  const ends = text.split(/->|→| to /)
  if (ends.length === 2) return linksBetween(ends[0], ends[1], topology)
  if (ends.length > 2) return []
  return [...podsNamed(text, topology), ...leavesNamed(text, topology), ...nodesNamed(text, topology)]
}

function podsNamed(text: string, { pods, firstLeafOfPod, firstNodeOfLeaf }: Topology): ReadonlyArray<Place> {
  const [, number] = /^pod(\d{1,6})$/.exec(plain(text)) ?? []
  const pod = Number(number ?? Infinity)
  if (pod >= pods) return []
  const [from, to] = [firstNodeOfLeaf[firstLeafOfPod[pod]], firstNodeOfLeaf[firstLeafOfPod[pod + 1]]]
  return [{ kind: 'nodes', name: `pod ${pod}`, from, to }]
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
  const wanted = plain(text)
  if (wanted === '') return []
  for (let node = 0; node < topology.nodes; node++)
    if (plain(nodeName(topology, node)) === wanted)
      return [{ kind: 'nodes', name: nodeName(topology, node), from: node, to: node + 1 }]
  return []
}

function linksBetween(one: string, other: string, topology: Topology): ReadonlyArray<Place> {
  const found: Array<Place> = []
  for (const [low, high] of [
    [one, other],
    [other, one],
  ])
    for (let level = 0; level + 1 < topology.levels.length; level++) {
      const uppers = new Set(switchesNamed(high, level + 1, topology))
      if (uppers.size === 0) continue
      for (const sw of switchesNamed(low, level, topology))
        for (let port = 0; port < upPorts(topology, level, sw); port++) {
          const upper = parentOf(topology, level, sw, port)
          if (!uppers.has(upper)) continue
          found.push({
            kind: 'link',
            name: `${switchName(topology, level, sw)} port ${port} to ${switchName(topology, level + 1, upper)}`,
            level,
            link: linkId(topology, level, sw, port),
            leaf: leafBelow(topology, level, sw),
          })
        }
    }
  return found
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
  return found
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
