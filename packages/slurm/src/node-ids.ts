import { HostlistError, nodeName, parseHostlist, type Topology } from '@cloister/topology'

/** What a hostlist of the accounting means on a machine: its nodes, ascending, or the first name that it has not. */
export type NodesFound = { readonly nodes: Int32Array } | { readonly unknown: string }

/** Finds the nodes of a machine by their names. The same hostlist gives the same array. */
export class NodeIds {
  readonly #limit: number
  readonly #ids = new Map<string, number>()
  readonly #lists = new Map<string, NodesFound>()

  constructor(topology: Topology) {
    this.#limit = topology.nodes
    for (let node = 0; node < topology.nodes; node++) this.#ids.set(nodeName(topology, node), node)
  }

  find(hostlist: string): NodesFound {
    let found = this.#lists.get(hostlist)
    if (found === undefined) {
      found = this.#parse(hostlist)
      this.#lists.set(hostlist, found)
    }
    return found
  }

  #parse(hostlist: string): NodesFound {
    try {
      const names = parseHostlist(hostlist, this.#limit)
      const unknown = names.find((name) => !this.#ids.has(name))
      if (unknown !== undefined) return { unknown }
      const ids = new Set(names.map((name) => this.#ids.get(name)!))
      return { nodes: Int32Array.from(ids).sort() }
    } catch (error) {
      if (!(error instanceof HostlistError)) throw error
      return { unknown: hostlist.slice(0, 60) }
    }
  }
}
