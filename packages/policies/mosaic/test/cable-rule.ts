import type { Resources } from '@cloister/placement'
import { switchOfLink, type Topology } from '@cloister/topology'

/**
 * Leaf or pod of a job: the number of its flows, and its cables. A cable has the name of its far end (L2 index or spine)
 * and its number among the job's cables from the leaf or L2 switch to this end.
 */
interface Sender {
  flows: number
  readonly cables: Set<string>
}

/**
 * Checks the rule of CONDITION.md on one allocation, cable by cable. Shares no code with Mosaic or the auditor.
 *
 * @param topology a regular tree of at most three levels
 * @returns message with the first breach of the rule; undefined if the allocation meets the rule
 */
export function cableBreach(topology: Topology, { nodes, links }: Resources): string | undefined {
  const leaves = sendersOf(Array.from(nodes, (node) => topology.leafOfNode[node]))
  if (leaves.size === 1) return undefined
  const uplinks = cablesOf(topology, 0, links[0] ?? [])
  const indices = new Map<number, Array<Cable>>()
  for (const cable of uplinks) {
    const index = indexOf(topology, cable.upper)
    indices.set(index, [...(indices.get(index) ?? []), cable])
  }
  for (const [index, to] of indices) for (const { lower } of to) addCable(leaves.get(lower), index)
  const breach = breachAmong([...leaves.values()])
  if (breach !== undefined) return `between the leaves: ${breach}`
  if (new Set([...leaves.keys()].map((leaf) => topology.podOfLeaf[leaf])).size === 1) return undefined

  const toSpines = cablesOf(topology, 1, links[1] ?? [])
  for (const [index, to] of indices) {
    const pods = sendersOf(to.map(({ upper }) => upper))
    for (const { lower, upper } of toSpines) addCable(pods.get(lower), upper)
    const lack = breachAmong([...pods.values()])
    if (lack !== undefined) return `between the pods over L2 index ${index}: ${lack}`
  }
  return undefined
}

/**
 * Returns a message if senders have too few cables: for each t up to the largest number of flows that leave a sender,
 * there must be t cables, each lacked only by senders with fewer than t flows together.
 */
function breachAmong(senders: ReadonlyArray<Sender>): string | undefined {
  const total = senders.reduce((sum, { flows }) => sum + flows, 0)
  const crossing = ({ flows }: Sender): number => Math.min(flows, total - flows)
  const lacked = [...new Set(senders.flatMap(({ cables }) => [...cables]))].map((cable) =>
    senders.filter(({ cables }) => !cables.has(cable)).reduce((sum, sender) => sum + crossing(sender), 0),
  )
  for (let t = Math.max(...senders.map(crossing)); t > 0; t--) {
    const usable = lacked.filter((flows) => flows < t).length
    if (usable < t) return `${t} cables are needed that senders of at most ${t - 1} flows lack; there are ${usable}`
  }
  return undefined
}

/** Returns a sender for each switch in the list, with as many flows as the list names the switch. */
function sendersOf(switches: ReadonlyArray<number>): Map<number, Sender> {
  const senders = new Map<number, Sender>()
  for (const sw of switches) {
    const sender = senders.get(sw) ?? { flows: 0, cables: new Set<string>() }
    sender.flows++
    senders.set(sw, sender)
  }
  return senders
}

function addCable(sender: Sender | undefined, to: number): void {
  let number = 0
  while (sender?.cables.has(`${to} ${number}`)) number++
  sender?.cables.add(`${to} ${number}`)
}

interface Cable {
  readonly lower: number
  readonly upper: number
}

function cablesOf(topology: Topology, level: number, links: ArrayLike<number>): ReadonlyArray<Cable> {
  const { parentOfLink } = topology.levels[level]
  return Array.from(links, (link) => ({ lower: switchOfLink(topology, level, link), upper: parentOfLink[link] }))
}

function indexOf({ pods, levels }: Topology, l2: number): number {
  return l2 % (levels[1].switches / pods)
}
