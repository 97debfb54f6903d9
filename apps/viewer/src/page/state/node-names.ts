// Names of nodes and leaves: the names of the log, or else invented names such as `node17` and `leaf0`.
import { formatHostlist, nodeName, parseIdset, switchName, type Topology } from '@cloister/topology'

/** Returns the machine with a name for each leaf: if the log names only nodes, the names of the leaf's nodes. */
export function withLeafNames(topology: Topology): Topology {
  const { nodeNames, firstNodeOfLeaf } = topology
  const [leaves, ...above] = topology.levels
  if (nodeNames === undefined || leaves.names !== undefined) return topology
  const names = Array.from({ length: leaves.switches }, (_, leaf) =>
    formatHostlist(nodeNames.slice(firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1])),
  )
  return { ...topology, levels: [{ ...leaves, names }, ...above] }
}

/** Returns a short name of a leaf for the charts: of several nodes, the first. */
export function leafLabel(topology: Topology, leaf: number): string {
  const name = switchName(topology, 0, leaf)
  return name.includes('[') ? nodeName(topology, topology.firstNodeOfLeaf[leaf]) : name
}

/** Returns nodes by their names in the log as a hostlist, or an idset such as `0-3,7` if the log has no names. */
export function nodesByName(topology: Topology, nodes: string): string {
  if (topology.nodeNames === undefined) return nodes
  return formatHostlist(Array.from(parseIdset(nodes), (node) => nodeName(topology, node)))
}
