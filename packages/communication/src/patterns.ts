import {
  allToAll,
  binomialTree,
  pairs,
  recursiveDoubling,
  recursiveHalvingVectorDoubling,
  ring,
} from './collectives.ts'
import { mixture, mixtureNames, type PatternPart } from './mixture.ts'
import type { Pattern } from './pattern.ts'
import { stencil } from './stencil.ts'

/** Name of a known pattern for jobs of any number of ranks. */
export type PatternName =
  | 'recursive-doubling'
  | 'recursive-halving-vector-doubling'
  | 'binomial-tree'
  | 'ring'
  | 'stencil-2d'
  | 'stencil-3d'
  | 'all-to-all'
  | 'pairs'

/** Names of the patterns that `patternOf` knows: algorithms of MPI collectives, stencils, and pairs of ranks. */
export const patternNames: readonly [
  'recursive-doubling',
  'recursive-halving-vector-doubling',
  'binomial-tree',
  'ring',
  'stencil-2d',
  'stencil-3d',
  'all-to-all',
  'pairs',
] = [
  'recursive-doubling',
  'recursive-halving-vector-doubling',
  'binomial-tree',
  'ring',
  'stencil-2d',
  'stencil-3d',
  'all-to-all',
  'pairs',
]

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

/** Returns the pattern of a name, or of a mixture such as `ring*3+pairs*7`; undefined if a name is unknown. */
export function patternOf(name: PatternName): Pattern
export function patternOf(name: string): Pattern | undefined
export function patternOf(name: string): Pattern | undefined {
  const parts = patternParts(name)
  return parts === undefined || parts.length === 1 ? parts?.[0].pattern : mixture(name, parts)
}

/** Returns the parts of a mixture, or the pattern of a plain name with weight 1; undefined if a name is unknown. */
export function patternParts(name: string): ReadonlyArray<PatternPart> | undefined {
  const names = mixtureNames(name) ?? [[name, 1] as const]
  return names.every(([each]) => Object.hasOwn(known, each))
    ? names.map(([each, weight]) => ({ pattern: known[each as PatternName], weight }))
    : undefined
}
