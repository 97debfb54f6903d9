import * as v from 'valibot'
import { Sharing } from './sharing.ts'

/** Resource of which a failed search found too few. A search looks for the resources in this order. */
type Obstacle = 'free leaves' | 'common uplinks' | 'common spine links'

/** Steps of one search for a placement. A step is one trial of a cable, a leaf or a pod. */
export class Search {
  steps = 0
  /** True if the search needed more steps than its limit. */
  exhausted = false
  obstacle: Obstacle = 'free leaves'
  /** True for the search of the code released with LaaS; see `PartitionConfig.search`. */
  readonly asReleased: boolean
  /** See `PartitionRules.fewestUplinks`. */
  readonly fewestUplinks: boolean
  readonly #limit: number

  constructor({ maxSteps = Infinity, search }: PartitionConfig, fewestUplinks: boolean) {
    this.#limit = maxSteps
    this.asReleased = search === 'as-released'
    this.fewestUplinks = fewestUplinks
  }

  begin(): void {
    this.steps = 0
    this.exhausted = false
    this.obstacle = 'free leaves'
  }

  /** True if the search has a largest number of steps. */
  get isLimited(): boolean {
    return this.#limit < Infinity
  }

  /** Counts a step. Returns false if no steps are left. */
  step(): boolean {
    if (this.steps < this.#limit) this.steps++
    else this.exhausted = true
    return !this.exhausted
  }
}

/** Configuration of the policies that search for partitions: nodes and links for one job. */
export interface PartitionConfig {
  /**
   * Order in which the search tries shapes, the ways to divide a job. `densest-first` begins with many nodes on few
   * leaves and pods, and `sparsest-first` with few nodes on many leaves and pods.
   */
  readonly order: 'densest-first' | 'sparsest-first'
  /** True if a job on a single leaf also needs and holds uplinks, as in Algorithm 1 of the Jigsaw paper. */
  readonly leafJobsHoldUplinks: boolean
  /** Largest number of steps of one search. With a limit, a policy is not complete and not monotone. Default: none. */
  readonly maxSteps?: number
  /**
   * `as-released`: the search of the code that Zahavi et al. released with LaaS, which is not exhaustive. The search
   * tries pods with the fewest free nodes first, and only the first leaf or pod that can be the last full one. Default:
   * an exhaustive search.
   */
  readonly search?: 'as-released'
  /** Sharing of links up to a capacity. Default: a link belongs to at most one job. */
  readonly sharing?: Sharing
  /**
   * `full`: on a tapered tree, too, a job owns the links for full bandwidth. Nodes without an uplink then stay idle.
   * Default: a job owns its share of a tapered tree; on a tree without taper the share is full bandwidth.
   */
  readonly bandwidth?: 'full'
}

export const PartitionConfig: v.GenericSchema<unknown, PartitionConfig> = v.strictObject({
  order: v.exactOptional(
    v.pipe(
      v.picklist(['densest-first', 'sparsest-first']),
      v.description('try shapes with many nodes on few leaves and pods first, or last'),
    ),
    'densest-first',
  ),
  leafJobsHoldUplinks: v.exactOptional(
    v.pipe(v.boolean(), v.description('a job on one leaf needs and holds as many uplinks as nodes')),
    false,
  ),
  maxSteps: v.exactOptional(
    v.pipe(v.number(), v.integer(), v.gtValue(0), v.description('largest number of steps of a search')),
  ),
  search: v.exactOptional(
    v.pipe(
      v.literal('as-released'),
      v.description(
        'search as the code released with LaaS does: not exhaustive, pods with the fewest free nodes first',
      ),
    ),
  ),
  sharing: v.exactOptional(v.pipe(Sharing, v.description('jobs share links up to a capacity in MB/s'))),
  bandwidth: v.exactOptional(
    v.pipe(
      v.literal('full'),
      v.description('own the links of a full tree on a tapered tree, too; default: own a share of the tapered tree'),
    ),
  ),
})
