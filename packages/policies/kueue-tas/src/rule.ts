import { type Config, levelIndex, type Slices } from './config.ts'
import type { DomainTree } from './domain-tree.ts'
import type { Part } from './greedy.ts'
import type { Slicing } from './capacity.ts'

/** Rule by which the policy kueue-tas chooses the domains of a job. */
export interface Rule {
  /** Level on which the search for domains begins; 0 is the coarsest level. */
  readonly level: number
  readonly mode: 'required' | 'preferred' | 'unconstrained'
  readonly slicing: Slicing
  /**
   * True for LeastFreeCapacity: domains with the fewest units come first. False for BestFit: domains with the most
   * units come first, and the last units of a job go to the sufficient domain with the fewest units.
   */
  readonly leastFirst: boolean
  readonly balanced: boolean
}

export interface Fit {
  readonly level: number
  readonly parts: ReadonlyArray<Part>
}

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
    // In mode `unconstrained` a job with slices starts at the coarsest level. A job without slices takes any nodes.
    level: !unconstrained ? levelIndex(config, level) : layers.length > 0 ? 0 : lowest,
    mode,
    slicing,
    leastFirst: profile === 'least-free-capacity' || (unconstrained && profile !== 'best-fit'),
    balanced: profile === 'balanced' && mode === 'preferred',
  }
}

/** Inner slices have one size on all levels from below the outer slices' level down to their own level. */
function innerSizes(layers: ReadonlyArray<{ readonly size: number; readonly level: number }>): Slicing['inner'] {
  const sizes: Array<number | undefined> = []
  for (let at = 1; at < layers.length; at++)
    for (let level = layers[at - 1].level + 1; level <= layers[at].level; level++) sizes[level] = layers[at].size
  return sizes
}
