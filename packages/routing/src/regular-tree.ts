import { describeIrregularity, type PgftShape, type Topology } from '@cloister/topology'
import { RoutingError } from './routing-error.ts'

/**
 * Switch `sw` of level `l` is number `sw mod parallel[l]` of the parallel switches of subtree `floor(sw /
 * parallel[l])`.
 */
export interface RegularTree {
  readonly topology: Topology
  readonly shape: PgftShape
  /** Number of parallel switches of a subtree, for each level `l`: the product w1 … w(l+1). */
  readonly parallel: ReadonlyArray<number>
  /** Number of leaves of a subtree, for each level `l`: the product m2 … m(l+1). */
  readonly leaves: ReadonlyArray<number>
}

/** @throws RoutingError if the topology is a switch graph */
export function regularTree(topology: Topology): RegularTree {
  const shape = topology.pgft
  if (shape === undefined)
    throw new RoutingError(
      `${topology.name}: ${describeIrregularity(topology)}; routes are made on regular trees, such as radix:18 or pgft:3;18,18,4;1,18,2;1,1,9`,
    )
  const products = (factors: ReadonlyArray<number>): number[] =>
    factors.map((_, level) => factors.slice(0, level + 1).reduce((a, b) => a * b, 1))
  return { topology, shape, parallel: products(shape.w), leaves: products([1, ...shape.m.slice(1)]) }
}

/** Returns the number of parents of each switch of a level; 0 at the top. */
export function parentsOf({ shape }: RegularTree, level: number): number {
  return level + 1 < shape.w.length ? shape.w[level + 1] : 0
}

export function isAbove(tree: RegularTree, level: number, sw: number, leaf: number): boolean {
  return Math.floor(sw / tree.parallel[level]) === Math.floor(leaf / tree.leaves[level])
}

/** Returns the child of switch `sw` on the way down to a leaf below `sw`. */
export function childTowards(tree: RegularTree, level: number, sw: number, leaf: number): number {
  const { parallel, leaves, shape } = tree
  const number = Math.floor((sw % parallel[level]) / shape.w[level])
  return Math.floor(leaf / leaves[level - 1]) * parallel[level - 1] + number
}

/** Returns the number of a switch among the parents of its children, from 0; equal for all children. */
export function asParent({ shape }: RegularTree, level: number, sw: number): number {
  return sw % shape.w[level]
}
