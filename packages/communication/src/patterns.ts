import { allToAll, binomialTree, pairs, recursiveDoubling, recursiveHalvingVectorDoubling, ring } from './collectives.ts'
import type { Pattern } from './pattern.ts'
import { stencil } from './stencil.ts'

/** Names of the patterns that are known for jobs of any number of ranks. */
export type PatternName =
  | 'recursive-doubling' | 'recursive-halving-vector-doubling' | 'binomial-tree' | 'ring' | 'stencil-2d' | 'stencil-3d' | 'all-to-all' | 'pairs'

export const patternNames: readonly [
  'recursive-doubling', 'recursive-halving-vector-doubling', 'binomial-tree', 'ring', 'stencil-2d', 'stencil-3d', 'all-to-all', 'pairs',
] = ['recursive-doubling', 'recursive-halving-vector-doubling', 'binomial-tree', 'ring', 'stencil-2d', 'stencil-3d', 'all-to-all', 'pairs']

const known: Readonly<Record<PatternName, Pattern>> = {
  'recursive-doubling': recursiveDoubling,
  'recursive-halving-vector-doubling': recursiveHalvingVectorDoubling,
  'binomial-tree': binomialTree,
  ring,
  'stencil-2d': stencil('stencil-2d', 2),
  'stencil-3d': stencil('stencil-3d', 3),
  'all-to-all': allToAll,
  pairs,
}

/** The pattern of a name; undefined where none is known by it. */
export function patternOf(name: PatternName): Pattern
export function patternOf(name: string): Pattern | undefined
export function patternOf(name: string): Pattern | undefined {
  return Object.hasOwn(known, name) ? known[name as PatternName] : undefined
}
