import { HostlistError, nodeName, parseHostlist, type Topology } from '@cloister/topology'

/**
 * `nodes`: node ids of a hostlist, ascending. `unknown`: the first name in the hostlist that the topology lacks, or the
 * beginning of a text that is no hostlist.
 */
export type NodesFound = { readonly nodes: Int32Array } | { readonly unknown: string }

/** Largest number of hostlists that `NodeIds` remembers. In a long history few hostlists occur again. */
const MOST_LISTS = 2 ** 16
/** Length of an array with many short lists of nodes: a typed array for each list would take five times the memory. */
const SLAB = 2 ** 16

/** Look-up of a topology's node ids by node names, with a memory of hostlists. */
export class NodeIds {
  readonly #limit: number
  readonly #ids = new Map<string, number>()
  readonly #lists = new Map<string, NodesFound>()
  #slab = new Int32Array(0)
  #used = 0

  constructor(topology: Topology) {
    this.#limit = topology.nodes
    for (let node = 0; node < topology.nodes; node++) this.#ids.set(nodeName(topology, node), node)
  }

  find(hostlist: string): NodesFound {
    let found = this.#lists.get(hostlist)
    if (found === undefined) {
      found = this.#parse(hostlist)
      if (this.#lists.size >= MOST_LISTS) this.#lists.clear()
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
      return { nodes: this.#stored(Int32Array.from(ids).sort()) }
    } catch (error) {
      if (!(error instanceof HostlistError)) throw error
      return { unknown: hostlist.slice(0, 60) }
    }
  }

  #stored(nodes: Int32Array): Int32Array {
    if (this.#used + nodes.length > this.#slab.length) {
      this.#slab = new Int32Array(Math.max(SLAB, nodes.length))
      this.#used = 0
    }
    const stored = this.#slab.subarray(this.#used, this.#used + nodes.length)
    stored.set(nodes)
    this.#used += nodes.length
    return stored
  }
}
