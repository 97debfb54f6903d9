import { RoutingError } from './routing-error.ts'

/** Function that calls `visit` with each pair of source and target, and with the amount of flow between them. */
export type Traffic = (visit: (source: number, target: number, amount: number) => void) => void

/** Returns traffic of one flow from every node to every other node. */
export function allToAll(nodes: ArrayLike<number>): Traffic {
  return (visit) => {
    for (let i = 0; i < nodes.length; i++)
      for (let j = 0; j < nodes.length; j++) if (i !== j) visit(nodes[i], nodes[j], 1)
  }
}

/** Returns traffic of one flow from every `nodes[i]` to `nodes[permutation[i]]`, except from a node to itself. */
export function permuted(nodes: ArrayLike<number>, permutation: ArrayLike<number>): Traffic {
  if (permutation.length !== nodes.length)
    throw new RoutingError(
      `the permutation of ${nodes.length} nodes has ${permutation.length} places; expected one place for each node`,
    )
  return (visit) => {
    for (let i = 0; i < nodes.length; i++) if (permutation[i] !== i) visit(nodes[i], nodes[permutation[i]], 1)
  }
}

/** Returns traffic with the amount `matrix[i][j]`, in any unit, from `nodes[i]` to `nodes[j]` if `i` is not `j`. */
export function matrixTraffic(nodes: ArrayLike<number>, matrix: ReadonlyArray<ArrayLike<number>>): Traffic {
  if (matrix.length !== nodes.length || matrix.some((row) => row.length !== nodes.length)) {
    throw new RoutingError(
      `the traffic matrix of ${nodes.length} nodes has a wrong size; expected one row and one column for each node`,
    )
  }
  return (visit) => {
    for (let i = 0; i < nodes.length; i++)
      for (let j = 0; j < nodes.length; j++) if (i !== j && matrix[i][j] !== 0) visit(nodes[i], nodes[j], matrix[i][j])
  }
}
