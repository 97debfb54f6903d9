import { type Config, levelIndex, type Slices } from './config.ts'
import type { DomainTree } from './domain-tree.ts'
import type { Part } from './greedy.ts'
import type { Slicing } from './room.ts'

/** What is asked of the domains. */
export interface Rule {
  /** The level where domains are looked for first. */
  readonly level: number
  readonly mode: 'required' | 'preferred' | 'unconstrained'
  readonly slicing: Slicing
  /** LeastFreeCapacity: domains with least room first, and the last is not fitted. Else BestFit. */
  readonly leastFirst: boolean
  /** BalancedPlacement is tried first. */
  readonly balanced: boolean
}

/** Parts on one level. */
export interface Fit {
  readonly level: number
  readonly parts: ReadonlyArray<Part>
}

/** The rule of a config: which level, which algorithm, and how slices are divided on the levels. */
export function ruleOf(
  config: Config,
  { counts }: Pick<DomainTree, 'counts'>,
  slices: ReadonlyArray<Slices> = config.slices ?? [],
): Rule {
  const { mode, level, profile } = config
  const lowest = counts.length - 1
  const layers = slices.map(({ size, level: name }) => ({ size, level: levelIndex(config, name) }))
  const slicing = { size: layers[0]?.size ?? 1, level: layers[0]?.level ?? lowest, inner: innerSizes(layers) }
  const unconstrained = mode === 'unconstrained'
  return {
    // Without a level of its own a job with slices has the whole machine, and one without takes nodes wherever they are.
    level: !unconstrained ? levelIndex(config, level) : layers.length > 0 ? 0 : lowest,
    mode,
    slicing,
    leastFirst: profile === 'least-free-capacity' || (unconstrained && profile !== 'best-fit'),
    balanced: profile === 'balanced' && mode === 'preferred',
  }
}

/** From below one layer down to the next, slices of the next one's size hold. */
function innerSizes(layers: ReadonlyArray<{ readonly size: number; readonly level: number }>): Slicing['inner'] {
  const sizes: Array<number | undefined> = []
  for (let at = 1; at < layers.length; at++)
    for (let level = layers[at - 1].level + 1; level <= layers[at].level; level++) sizes[level] = layers[at].size
  return sizes
}
