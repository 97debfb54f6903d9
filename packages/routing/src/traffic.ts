import { RoutingError } from './routing-error.ts'

/** Flows between nodes: visits each source and target with the number or amount of flows. */
export type Traffic = (visit: (source: number, target: number, amount: number) => void) => void

/** Returns one flow between every ordered pair of different nodes. */
export function allToAll(nodes: ArrayLike<number>): Traffic {
  return (visit) => {
    for (let i = 0; i < nodes.length; i++)
      for (let j = 0; j < nodes.length; j++) if (i !== j) visit(nodes[i], nodes[j], 1)
  }
}

/** Returns one flow from every `nodes[i]` to `nodes[permutation[i]]`, without flows from a node to itself. */
export function permuted(nodes: ArrayLike<number>, permutation: ArrayLike<number>): Traffic {
  if (permutation.length !== nodes.length)
    throw new RoutingError(`a permutation of ${nodes.length} nodes has as many places, not ${permutation.length}`)
  return (visit) => {
    for (let i = 0; i < nodes.length; i++) if (permutation[i] !== i) visit(nodes[i], nodes[permutation[i]], 1)
  }
}

/** Returns flows of `matrix[i][j]` from `nodes[i]` to `nodes[j]`, in any unit. */
export function matrixTraffic(nodes: ArrayLike<number>, matrix: ReadonlyArray<ArrayLike<number>>): Traffic {
  if (matrix.length !== nodes.length || matrix.some((row) => row.length !== nodes.length)) {
    throw new RoutingError(`the traffic matrix of ${nodes.length} nodes has as many rows and columns`)
  }
  return (visit) => {
    for (let i = 0; i < nodes.length; i++)
      for (let j = 0; j < nodes.length; j++) if (i !== j && matrix[i][j] !== 0) visit(nodes[i], nodes[j], matrix[i][j])
  }
}
