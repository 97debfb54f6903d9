import { RoutingError } from './routing-error.ts'

/** Flows between nodes: visits each source and target with how many, or how much, flows from the one to the other. */
export type Traffic = (visit: (source: number, target: number, amount: number) => void) => void

/** One flow from every node to every other. */
export function allToAll(nodes: ArrayLike<number>): Traffic {
  return (visit) => {
    for (let i = 0; i < nodes.length; i++)
      for (let j = 0; j < nodes.length; j++) if (i !== j) visit(nodes[i], nodes[j], 1)
  }
}

/** One flow from every node, `nodes[i]` to `nodes[permutation[i]]`; none to itself. */
export function permuted(nodes: ArrayLike<number>, permutation: ArrayLike<number>): Traffic {
  if (permutation.length !== nodes.length)
    throw new RoutingError(`a permutation of ${nodes.length} nodes has as many places, not ${permutation.length}`)
  return (visit) => {
    for (let i = 0; i < nodes.length; i++) if (permutation[i] !== i) visit(nodes[i], nodes[permutation[i]], 1)
  }
}

/** `matrix[i][j]` from `nodes[i]` to `nodes[j]`, in whatever unit. */
export function matrixTraffic(nodes: ArrayLike<number>, matrix: ReadonlyArray<ArrayLike<number>>): Traffic {
  if (matrix.length !== nodes.length || matrix.some((row) => row.length !== nodes.length)) {
    throw new RoutingError(`the traffic matrix of ${nodes.length} nodes has as many rows and columns`)
  }
  return (visit) => {
    for (let i = 0; i < nodes.length; i++)
      for (let j = 0; j < nodes.length; j++) if (i !== j && matrix[i][j] !== 0) visit(nodes[i], nodes[j], matrix[i][j])
  }
}
