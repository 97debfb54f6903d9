import {
  type Claims,
  freeNodeIdsOfPart,
  freeNodesOfPart,
  type Outcome,
  type PlacementPolicy,
  type Placer,
  type Request,
  type StateView,
} from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import * as v from 'valibot'
import { BlockChoice, type Blocks, blocksOf, type Need, needOf } from './blocks.ts'
import { version } from './version.ts'

/** Configuration of the policy slurm-block. */
export interface Config {
  /**
   * Block sizes in nodes, Slurm's `BlockSizes`: a base block, then aggregates. Default: the smallest block of the
   * machine, or the first leaf of a machine without blocks, and 2, 4, 8 and 16 times its nodes.
   */
  readonly blockSizes?: ReadonlyArray<number>
  /**
   * Number of nodes of a segment, Slurm's `--segment`. A job larger than a segment consists of segments; each segment
   * is placed like a job. Default: no segments.
   */
  readonly segment?: number
  /** True if no base block may hold nodes of two segments of a job, Slurm's `--spread-segments`. */
  readonly spreadSegments: boolean
  /** True if all segments of a job go to one block of the size that the job needs, Slurm's `--consolidate-segments`. */
  readonly consolidateSegments: boolean
  /**
   * Treatment of jobs that are larger than a segment and no multiple of the segment. `never`: such a job is refused
   * forever, as in Slurm. `unsegmented`: such a job is placed without segments.
   */
  readonly indivisible: 'never' | 'unsegmented'
}

const NO_BLOCK_SIZES =
  'expected ascending sizes, each the first size times a power of two up to 32768, such as [18,36,72]'

const Config = v.strictObject({
  blockSizes: v.exactOptional(
    v.pipe(
      v.array(v.pipe(v.number(), v.integer(), v.gtValue(0))),
      v.minLength(1),
      v.check((sizes) => areBlockSizes(sizes), NO_BLOCK_SIZES),
      v.description(
        'nodes of a base block, then of aggregates; default: nodes of the smallest block or of the first leaf, times 1 to 16',
      ),
    ),
  ),
  segment: v.exactOptional(
    v.pipe(
      v.number(),
      v.integer(),
      v.gtValue(0),
      v.description('nodes of a segment; a larger job consists of segments'),
    ),
  ),
  spreadSegments: v.exactOptional(v.pipe(v.boolean(), v.description('segments of a job share no base block')), false),
  consolidateSegments: v.exactOptional(
    v.pipe(v.boolean(), v.description('all segments of a job go to one block of the size that the job needs')),
    false,
  ),
  indivisible: v.exactOptional(
    v.pipe(
      v.picklist(['never', 'unsegmented']),
      v.description('jobs larger than a segment and no multiple of it: never placed, or placed without segments'),
    ),
    'never',
  ),
})

/**
 * The policy slurm-block places jobs like Slurm under topology/block. A job, or each segment of a job, goes to the
 * smallest block that can hold the job or segment. A block is a run of base blocks, and a base block is a run of
 * consecutive blocks of the machine (NVLink domains), or of leaves on a machine without blocks.
 */
export const slurmBlock: PlacementPolicy<Config> = {
  contract: 1,
  name: 'slurm-block',
  version,
  config: Config,
  make: (topology, config) => new SlurmBlockPlacer(topology, config),
}
export default slurmBlock

/** Largest number of base blocks of an aggregate, as in Slurm: 2^15. */
const MOST_BASE_BLOCKS = 32768

function areBlockSizes(sizes: ReadonlyArray<number>): boolean {
  return sizes.every((size, at) => {
    const ratio = size / sizes[0]
    const isAscending = at === 0 || size > sizes[at - 1]
    return isAscending && ratio <= MOST_BASE_BLOCKS && Number.isInteger(ratio) && (ratio & (ratio - 1)) === 0
  })
}

/** Placer of the policy slurm-block. On each base block of a job, the free nodes with the lowest ids are taken. */
class SlurmBlockPlacer implements Placer {
  readonly claims: Claims
  readonly placesByKey = true
  readonly #topology: Topology
  readonly #blocks: Blocks
  readonly #segments: Segments
  readonly #free: Int32Array
  readonly #shares: Int32Array
  readonly #ids: Int32Array
  /** Map from the size of a job to true if a job of this size fits on the empty machine. */
  readonly #everFits = new Map<number, boolean>()

  constructor(topology: Topology, config: Config) {
    this.#topology = topology
    this.#blocks = blocksOf(topology, config.blockSizes)
    this.#segments = new Segments(this.#blocks, config)
    this.#free = new Int32Array(this.#blocks.count)
    this.#shares = new Int32Array(this.#blocks.count)
    this.#ids = new Int32Array(topology.nodes)
    // The policy packs segments larger than a base block one after the other. A different order may succeed where this
    // order fails, so the policy is neither monotone nor complete for such segments.
    const isExact = config.segment === undefined || config.segment <= this.#blocks.baseSize
    this.claims = {
      links: 'shared',
      fullBandwidth: false,
      exactSize: true,
      monotone: isExact,
      complete: isExact,
      speedupScenarios: false,
    }
  }

  place(state: StateView, { nodes }: Request): Outcome {
    if (nodes > this.#topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
    const segment = this.#segments.segmentOf(nodes)
    if (nodes % segment !== 0)
      return { ok: false, code: 'never', constraint: `a multiple of the segments of ${segment} nodes` }
    if (!this.#canEverFit(nodes)) return { ok: false, code: 'never', constraint: this.#constraint(nodes, segment) }
    if (nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
    this.#countFree(state)
    if (!this.#segments.divide(this.#free, nodes, this.#shares))
      return { ok: false, code: 'no-placement', constraint: `free nodes in ${this.#constraint(nodes, segment)}` }
    return { ok: true, nodes: this.#lowestFree(state, nodes), links: [] }
  }

  #canEverFit(nodes: number): boolean {
    let fits = this.#everFits.get(nodes)
    if (fits === undefined) {
      fits = this.#segments.divide(this.#blocks.nodes, nodes, this.#shares)
      this.#everFits.set(nodes, fits)
    }
    return fits
  }

  #constraint(nodes: number, segment: number): string {
    const { block, lower, most } = needOf(this.#blocks, segment)
    const { baseSize, count } = this.#blocks
    const one = block === count ? 'the machine' : `one block of ${block * baseSize} nodes`
    const within = most === Infinity ? one : `${most} of the ${lower * baseSize}-node blocks of ${one}`
    return segment === nodes ? within : `${within}, for each segment of ${segment} nodes`
  }

  #countFree(state: StateView): void {
    const { count, parts, firstPart } = this.#blocks
    for (let block = 0; block < count; block++) {
      let free = 0
      for (let part = firstPart[block]; part < firstPart[block + 1]; part++) free += freeNodesOfPart(state, parts[part])
      this.#free[block] = free
    }
  }

  #lowestFree(state: StateView, nodes: number): Int32Array {
    const { count, parts, firstPart } = this.#blocks
    let taken = 0
    for (let block = 0; block < count; block++) {
      const end = taken + this.#shares[block]
      // All free nodes of a part are written. The ids of the next block overwrite the ids that are too many.
      for (let part = firstPart[block], to = taken; to < end; part++)
        to += freeNodeIdsOfPart(state, parts[part], this.#ids, to)
      taken = end
    }
    const ids = this.#ids.slice(0, nodes)
    return this.#topology.blocks === undefined ? ids : ids.sort()
  }
}

class Segments {
  readonly #blocks: Blocks
  readonly #config: Config
  readonly #choice: BlockChoice
  readonly #free: Int32Array
  readonly #left: Int32Array
  readonly #before: Int32Array

  constructor(blocks: Blocks, config: Config) {
    this.#blocks = blocks
    this.#config = config
    this.#choice = new BlockChoice(blocks)
    this.#free = new Int32Array(blocks.count)
    this.#left = new Int32Array(blocks.count)
    this.#before = new Int32Array(blocks.count)
  }

  /** Returns the number of nodes of each segment of a job: the whole job if the job is placed without segments. */
  segmentOf(nodes: number): number {
    const { segment = nodes, indivisible } = this.#config
    return segment > nodes || (indivisible === 'unsegmented' && nodes % segment !== 0) ? nodes : segment
  }

  /**
   * Writes the number of nodes of a job on each base block into `shares`, and returns true if the job fits.
   *
   * @param free number of free nodes of each base block
   */
  divide(free: Int32Array, nodes: number, shares: Int32Array): boolean {
    const segment = this.segmentOf(nodes)
    const need = needOf(this.#blocks, segment)
    const count = nodes / segment
    this.#free.set(free)
    if (!this.#config.consolidateSegments || count === 1) return this.#place(need, segment, count, shares)
    const aggregate = this.#aggregateOf(segment, count)
    for (;;) {
      const first = this.#firstOfAggregate(need, segment, nodes, aggregate)
      if (first === -1) return false
      const end = Math.min(first + aggregate, free.length)
      const others = this.#free.slice()
      this.#free.fill(0, 0, first).fill(0, end)
      if (this.#place(need, segment, count, shares)) return true
      // The loop tries the next aggregate (block) with enough free nodes.
      this.#free.set(others.fill(0, first, end))
    }
  }

  /**
   * Returns the number of base blocks of the aggregate that holds all segments of a job. With `spreadSegments`, each
   * segment needs whole base blocks.
   */
  #aggregateOf(segment: number, count: number): number {
    const { baseSize } = this.#blocks
    const nodesOfSegment = this.#config.spreadSegments ? Math.ceil(segment / baseSize) * baseSize : segment
    return needOf(this.#blocks, nodesOfSegment * count).block
  }

  /**
   * Among the aggregates with enough free nodes for the job, returns the first base block of the aggregate in which the
   * first segment would be placed; -1 if no aggregate has enough.
   */
  #firstOfAggregate(need: Need, segment: number, nodes: number, aggregate: number): number {
    const hasEnough = (block: number): boolean => {
      const first = block - (block % aggregate)
      let free = 0
      for (let at = first; at < first + aggregate && at < this.#free.length; at++) free += this.#free[at]
      return free >= nodes
    }
    const block = this.#choice.block(this.#free, need, segment, hasEnough)
    return block === -1 ? -1 : block - (block % aggregate)
  }

  #place(need: Need, segment: number, count: number, shares: Int32Array): boolean {
    shares.fill(0)
    this.#left.set(this.#free)
    for (let placed = 0; placed < count; placed++) {
      const first = this.#choice.block(this.#left, need, segment, anyBlock)
      if (first === -1) return false
      this.#before.set(shares)
      this.#choice.fill(this.#left, need, segment, first, shares)
      if (this.#config.spreadSegments) this.#closeUsed(shares)
    }
    return true
  }

  /** Keeps further segments of a job off the base blocks that the job's latest segment uses. */
  #closeUsed(shares: Int32Array): void {
    for (let at = 0; at < shares.length; at++) if (shares[at] > this.#before[at]) this.#left[at] = 0
  }
}

const anyBlock = (): boolean => true
