import { type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import { bindPolicy } from '@cloister/placement'
import baseline from '@cloister/policy-baseline'
import contiguous from '@cloister/policy-contiguous'
import jigsaw from '@cloister/policy-jigsaw'
import kueueTas from '@cloister/policy-kueue-tas'
import slurmBlock from '@cloister/policy-slurm-block'
import slurmTree from '@cloister/policy-slurm-tree'
import { RecordedCluster } from '@cloister/replay'
import type { AnyPolicy } from '@cloister/run'
import { consecutiveGroups } from '@cloister/topology'
import { startRequest } from '../experiment/start-request.ts'

/** Policies of the packing rules. */
const policies: ReadonlyArray<AnyPolicy> = [baseline, contiguous, jigsaw, kueueTas, slurmBlock, slurmTree]

/** Free capacity of a machine, measured at moments of a run. */
export interface Capacity {
  readonly moments: number
  /** Mean number of free nodes over the moments. */
  readonly free: number
  /** For each block size, the share of the free nodes that are in blocks with all nodes free. */
  readonly inWholeBlocks: ReadonlyArray<number>
  /** For each job size, the share of moments at which the run's policy would place one more job of this size. */
  readonly fits: ReadonlyArray<number>
}

/** Follows the records of a log, and measures the free capacity at evenly spaced moments. */
export class CapacityOverTime {
  readonly #blocks: ReadonlyArray<number>
  readonly #sizes: ReadonlyArray<number>
  readonly #moments: ReadonlyArray<number>
  #cluster: RecordedCluster<unknown> | undefined
  #groups: ReadonlyArray<Int32Array> = []
  #seen = 0
  #free = 0
  readonly #whole: Array<number>
  readonly #fits: Array<number>

  /**
   * @param span times in seconds; the moments are the middles of `moments` equal parts of this span
   * @param blocks block sizes, in nodes
   * @param sizes sizes of the additional job, in nodes
   */
  constructor(
    span: { readonly from: number; readonly to: number },
    moments: number,
    blocks: ReadonlyArray<number>,
    sizes: ReadonlyArray<number>,
  ) {
    this.#blocks = blocks
    this.#sizes = sizes
    this.#moments = Array.from(
      { length: moments },
      (_, at) => span.from + ((at + 0.5) * (span.to - span.from)) / moments,
    )
    this.#whole = blocks.map(() => 0)
    this.#fits = sizes.map(() => 0)
  }

  add(record: LogRecord): void {
    if (record.type === 'header') return this.#begin(record)
    // The state at a moment includes all records up to the moment's time.
    while (this.#seen < this.#moments.length && record.t > this.#moments[this.#seen]) this.#look()
    this.#cluster!.apply(record)
  }

  result(): Capacity {
    const moments = Math.max(1, this.#seen)
    return {
      moments: this.#seen,
      free: this.#free / moments,
      inWholeBlocks: this.#whole.map((nodes) => (this.#free === 0 ? 0 : nodes / this.#free)),
      fits: this.#fits.map((count) => count / moments),
    }
  }

  #begin(header: Header): void {
    const topology = headerTopology(header)
    const { placer } = bindPolicy(
      policies.find(({ name }) => name === header.policy.name)!,
      topology,
      header.policy.config,
    )
    this.#cluster = new RecordedCluster(header, placer)
    this.#groups = this.#blocks.map((size) =>
      consecutiveGroups(topology.firstNodeOfLeaf, size).map((leaf) => topology.firstNodeOfLeaf[leaf]),
    )
  }

  #look(): void {
    const cluster = this.#cluster!
    cluster.moveTo(this.#moments[this.#seen])
    this.#seen++
    this.#free += cluster.state.freeNodes
    for (const [at, firstNode] of this.#groups.entries()) this.#whole[at] += this.#wholeNodes(firstNode)
    for (const [at, nodes] of this.#sizes.entries()) if (this.#canStart(nodes)) this.#fits[at]++
  }

  /** Returns the number of nodes in wholly free blocks. @param firstNode first node of each block, then the end */
  #wholeNodes(firstNode: Int32Array): number {
    let nodes = 0
    for (let block = 0; block + 1 < firstNode.length; block++) {
      let node = firstNode[block]
      while (node < firstNode[block + 1] && this.#cluster!.state.isNodeFree(node)) node++
      if (node === firstNode[block + 1]) nodes += node - firstNode[block]
    }
    return nodes
  }

  #canStart(nodes: number): boolean {
    const cluster = this.#cluster!
    return cluster.answer(startRequest('', nodes, cluster.now)).ok
  }
}
