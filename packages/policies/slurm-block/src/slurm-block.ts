import type { Claims, Outcome, Placer, Request, StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { type Blocks, blocksOf, needOf } from './blocks.ts'
import type { Config } from './config.ts'
import { Segments } from './segments.ts'

/** Placer of the policy slurm-block. On each base block of a job, the free nodes with the lowest ids are taken. */
export class SlurmBlockPlacer implements Placer {
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
    // Segments that need several base blocks are packed one after the other. Another order may succeed if this order
    // fails, so the policy is then neither monotone nor complete.
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
    const { count, firstLeaf } = this.#blocks
    for (let block = 0; block < count; block++) {
      let free = 0
      for (let leaf = firstLeaf[block]; leaf < firstLeaf[block + 1]; leaf++) free += state.freeNodesOnLeaf(leaf)
      this.#free[block] = free
    }
  }

  #lowestFree(state: StateView, nodes: number): Int32Array {
    const { count, firstLeaf } = this.#blocks
    let taken = 0
    for (let block = 0; block < count; block++) {
      const end = taken + this.#shares[block]
      // `freeNodeIds` writes all free nodes of a leaf. The ids of the next block overwrite the ids that are too many.
      for (let leaf = firstLeaf[block], to = taken; to < end; leaf++) to += state.freeNodeIds(leaf, this.#ids, to)
      taken = end
    }
    return this.#ids.slice(0, nodes)
  }
}
