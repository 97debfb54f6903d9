import * as v from 'valibot'

/** Name of a level of domains: the size of a block in nodes, `block` for the smallest block, `leaf` or `node`. */
export type LevelName = number | 'block' | 'leaf' | 'node'

/** Division of a job into slices of equal size. Each slice stays within one domain of a level. */
export interface Slices {
  readonly size: number
  readonly level: LevelName
}

/** Configuration of the policy kueue-tas. */
export interface Config {
  /** Block sizes in nodes, one for each level above the leaves, ascending. Default: one level, the blocks of the machine, or else the pods. */
  readonly blockSizes?: ReadonlyArray<number>
  /** Lowest level of domains: nodes (`kubernetes.io/hostname`), or leaves. */
  readonly lowest: 'node' | 'leaf'
  /**
   * Mode of the search. `required`: a job gets one domain of `level`. `preferred`: a job gets one domain of `level` or
   * of a coarser level, or few domains of the coarsest level. `unconstrained`: a job gets any free nodes.
   */
  readonly mode: 'required' | 'preferred' | 'unconstrained'
  /** Level of domains for the modes `required` and `preferred`. */
  readonly level: LevelName
  /** Slices of a job, outermost first. Default: no slices. */
  readonly slices?: ReadonlyArray<Slices>
  /** Profile that gives the algorithm of each mode, named after Kueue's feature gates. */
  readonly profile: 'mixed' | 'best-fit' | 'least-free-capacity' | 'balanced'
  /**
   * Treatment of jobs with a size that is no multiple of the slice size. `never`: such a job is refused forever, as in
   * Kueue. `unsliced`: such a job is placed without slices.
   */
  readonly indivisible: 'never' | 'unsliced'
}

const Positive = v.pipe(v.number(), v.integer(), v.gtValue(0))
const Level = v.union([v.picklist(['block', 'leaf', 'node']), Positive])

const Fields = v.strictObject({
  blockSizes: v.exactOptional(
    v.pipe(
      v.array(Positive),
      v.minLength(1),
      v.description(
        'sizes of blocks in nodes, one for each level above the leaves, ascending; default: blocks of the machine, or else pods',
      ),
    ),
  ),
  lowest: v.exactOptional(
    v.pipe(v.picklist(['node', 'leaf']), v.description('lowest level of domains: nodes or leaves')),
    'node',
  ),
  mode: v.exactOptional(
    v.pipe(
      v.picklist(['required', 'preferred', 'unconstrained']),
      v.description('domains for a job: one domain of the level, few domains of this or a higher level, or any nodes'),
    ),
    'preferred',
  ),
  level: v.exactOptional(
    v.pipe(
      Level,
      v.description('level of domains for the modes required and preferred: block, leaf, node or the size of a block'),
    ),
    'block',
  ),
  slices: v.exactOptional(
    v.pipe(
      v.array(v.strictObject({ size: Positive, level: Level })),
      v.minLength(1),
      v.description('division of a job into slices of equal size, each within one domain of a level; outermost first'),
    ),
  ),
  profile: v.exactOptional(
    v.pipe(
      v.picklist(['mixed', 'best-fit', 'least-free-capacity', 'balanced']),
      v.description('algorithm that chooses the domains in each mode'),
    ),
    'mixed',
  ),
  indivisible: v.exactOptional(
    v.pipe(
      v.picklist(['never', 'unsliced']),
      v.description('jobs with a size that is no multiple of the slice size: never placed, or placed without slices'),
    ),
    'never',
  ),
})

export const Config: v.GenericSchema<unknown, Config> = v.pipe(
  Fields,
  v.check(
    (config) => defect(config) === undefined,
    ({ input }) => defect(input)!,
  ),
)

/** Returns the index of a level in a config, coarsest level first; -1 if the config has no such level. */
function levelIndex({ blockSizes, lowest }: Pick<Config, 'blockSizes' | 'lowest'>, name: LevelName): number {
  const blocks = blockSizes?.length ?? 1
  if (name === 'leaf') return blocks
  if (name === 'node') return lowest === 'node' ? blocks + 1 : -1
  if (name === 'block') return blocks - 1
  const at = blockSizes?.indexOf(name) ?? -1
  return at === -1 ? -1 : blocks - 1 - at
}

function defect(config: Config): string | undefined {
  const { blockSizes, level, slices = [], mode } = config
  if (blockSizes?.some((size, at) => at > 0 && size <= blockSizes[at - 1]))
    return 'blockSizes: expected ascending sizes'
  const names = [level, ...slices.map((slice) => slice.level)]
  const unknown = names.find((name) => levelIndex(config, name) === -1)
  if (unknown !== undefined)
    return `level ${unknown}: the config has no such level; the name of a level of blocks is a size in blockSizes`
  const [above, ...below] = mode === 'unconstrained' ? names.slice(1) : names
  let upper = above === undefined ? 0 : levelIndex(config, above)
  for (const [at, name] of below.entries()) {
    const mayBeEqual = mode !== 'unconstrained' && at === 0
    const lower = levelIndex(config, name)
    if (lower < upper || (lower === upper && !mayBeEqual))
      return `slices: level ${name} is not below ${names[names.length - below.length + at - 1]}`
    upper = lower
  }
  const odd = slices.findIndex(({ size }, at) => at > 0 && slices[at - 1].size % size !== 0)
  if (odd !== -1)
    return `slices: size ${slices[odd].size} does not divide ${slices[odd - 1].size}, the size of the slices around`
  return undefined
}

/** Division of a job into slices of equal size, and of slices into inner slices. Each slice stays in one domain. */
export interface Slicing {
  /** Number of nodes of an outermost slice; 1 if the config has no slices. */
  readonly size: number
  /** Level of the outermost slices; the lowest level of the tree if the config has no slices. */
  readonly level: number
  /** Number of nodes of an inner slice on each level below `level`; undefined on levels without inner slices. */
  readonly inner: ReadonlyArray<number | undefined>
}

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

export function ruleOf(
  config: Config,
  { counts }: { readonly counts: ReadonlyArray<number> },
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
