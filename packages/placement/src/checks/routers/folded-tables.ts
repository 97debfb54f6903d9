import { type DownPorts, downPorts, switchOfLink, type Topology } from '@cloister/topology'
import type { Routes, SwitchEntries } from '../../router.ts'
import type { Usable } from './machines.ts'

/** Place of a message after a switch: a switch with the link to it, or a node (`link` and `level` are -1). */
interface Hop {
  readonly level: number
  readonly sw: number
  readonly node: number
  readonly linkLevel: number
  readonly link: number
}

/** Forwarding tables made from the entries that a router returned, as a reader of a log makes them. */
export class FoldedTables implements Routes {
  readonly topology: Topology
  readonly #down: ReadonlyArray<DownPorts>
  /** Port of each switch of a level towards each node, at index `sw * nodes + node`. */
  readonly #ports: ReadonlyArray<Int32Array>
  #initial: ReadonlyArray<Int32Array>

  constructor(topology: Topology) {
    this.topology = topology
    this.#down = downPorts(topology)
    this.#ports = topology.levels.map(({ switches }) => new Int32Array(switches * topology.nodes).fill(-1))
    this.#initial = this.#ports.map((ports) => ports.slice())
  }

  /** Puts the entries before the first job into the tables. */
  begin(entries: ReadonlyArray<SwitchEntries>): void {
    this.put(entries)
    this.#initial = this.#ports.map((ports) => ports.slice())
  }

  put(entries: ReadonlyArray<SwitchEntries>): void {
    for (const { level, sw, nodes, ports } of entries)
      for (let i = 0; i < nodes.length; i++) this.#ports[level][sw * this.topology.nodes + nodes[i]] = ports[i]
  }

  /** Takes back all entries for nodes since `begin`: under the claim `own`, the entries of a job that ends. */
  takeBack(nodes: ReadonlyArray<number>): void {
    this.#ports.forEach((ports, level) => {
      for (let row = 0; row < ports.length; row += this.topology.nodes)
        for (const node of nodes) ports[row + node] = this.#initial[level][row + node]
    })
  }

  port(level: number, sw: number, node: number): number {
    return this.#ports[level][sw * this.topology.nodes + node]
  }

  /** Returns a message about the first entry that other tables have differently; undefined for equal tables. */
  differenceFrom(other: Routes, name: string): string | undefined {
    for (const [level, ports] of this.#ports.entries())
      for (let at = 0; at < ports.length; at++) {
        const [sw, node] = [Math.floor(at / this.topology.nodes), at % this.topology.nodes]
        const port = other.port(level, sw, node)
        if (port !== ports[at])
          return `${switchName(level, sw)} sends messages for node ${node} to ${portName(ports[at])}, but to ${portName(port)} ${name}`
      }
    return undefined
  }

  /** Calls `visit` with each entry for a node: the switch, and the link of the entry (-1 for the node itself). */
  eachEntry(node: number, visit: (sw: string, hop: Hop) => void): void {
    this.#eachSwitch((level, sw) => {
      const hop = this.#hop(level, sw, node)
      if (hop !== undefined) visit(switchName(level, sw), hop)
    })
  }

  /** Returns a message about the first entry for a node that leads to another node or into a loop. */
  wrongEntry(node: number): string | undefined {
    let wrong: string | undefined
    this.#eachSwitch((level, sw) => {
      const stop = wrong === undefined ? this.#follow(level, sw, node) : undefined
      if (stop?.isWrong === true) wrong = stop.reason
    })
    return wrong
  }

  /** Returns the reason why a message from a leaf does not reach a node over usable links; undefined if it does. */
  gap(leaf: number, node: number, usable: Usable): string | undefined {
    return this.#follow(0, leaf, node, usable)?.reason
  }

  /** Returns true if any switch has an entry for the node. */
  hasEntry(node: number): boolean {
    const { nodes } = this.topology
    return this.#ports.some((ports) => {
      for (let at = node; at < ports.length; at += nodes) if (ports[at] >= 0) return true
      return false
    })
  }

  #eachSwitch(visit: (level: number, sw: number) => void): void {
    this.topology.levels.forEach(({ switches }, level) => {
      for (let sw = 0; sw < switches; sw++) visit(level, sw)
    })
  }

  /** Follows entries from a switch. A walk that is longer than the number of switches is a loop. */
  #follow(
    level: number,
    sw: number,
    node: number,
    usable: Usable = () => true,
  ): { readonly reason: string; readonly isWrong?: true } | undefined {
    const from = switchName(level, sw)
    let at = { level, sw }
    for (let left = this.topology.levels.reduce((sum, { switches }) => sum + switches, 0); left > 0; left--) {
      const hop = this.#hop(at.level, at.sw, node)
      if (hop === undefined) return { reason: `${switchName(at.level, at.sw)} has no entry for node ${node}` }
      if (hop.node === node) return undefined
      const name = switchName(at.level, at.sw)
      if (hop.node >= 0) return { reason: `${name} sends messages for node ${node} to node ${hop.node}`, isWrong: true }
      if (!usable(hop.linkLevel, hop.link))
        return { reason: `${name} sends messages for node ${node} over the failed ${linkName(hop)}` }
      at = hop
    }
    return { reason: `messages from ${from} for node ${node} go round in a loop`, isWrong: true }
  }

  #hop(level: number, sw: number, node: number): Hop | undefined {
    const port = this.port(level, sw, node)
    if (port < 0) return undefined
    const { first, below } = this.#down[level]
    const { firstPort, parentOfLink } = this.topology.levels[level]
    const up = port - (first[sw + 1] - first[sw])
    const link = up < 0 ? below[first[sw] + port] : firstPort[sw] + up
    if (up >= 0) return { level: level + 1, sw: parentOfLink[link], node: -1, linkLevel: level, link }
    if (level === 0) return { level: -1, sw: -1, node: link, linkLevel: -1, link: -1 }
    return { level: level - 1, sw: switchOfLink(this.topology, level - 1, link), node: -1, linkLevel: level - 1, link }
  }
}

/** Returns the name of a link for messages, with its id on its level. */
export function linkName({ linkLevel, link }: Pick<Hop, 'linkLevel' | 'link'>): string {
  return `link ${link} of level ${linkLevel}`
}

function switchName(level: number, sw: number): string {
  return `switch ${sw} of level ${level}`
}

function portName(port: number): string {
  return port === -1 ? 'no port' : `port ${port}`
}
