/** Returns a number of nodes in words: `1 node`, `1,024 nodes`. */
export function nodesInWords(nodes: number): string {
  return nodes === 1 ? '1 node' : `${nodes.toLocaleString('en')} nodes`
}

/** Describes free nodes: `no node is free`, `1 node is free`, `12 nodes are free`. */
export function freeInWords(nodes: number): string {
  if (nodes === 0) return 'no node is free'
  return nodes === 1 ? '1 node is free' : `${nodesInWords(nodes)} are free`
}
