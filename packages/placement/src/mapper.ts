/** The mapper contract, version 1. The file declares types only; nothing here exists at run time. */
import type { Topology } from '@cloister/topology'
import type { ByteMatrix } from './contract.ts'

/** A mapper: assigns the ranks of a job to the nodes that the job holds, one rank a node. */
export interface Mapper {
  readonly contract: 1
  /** Name of the mapper: lower-case letters, digits and '-'. */
  readonly name: string
  /**
   * Returns the node of each rank: a permutation of `nodes`. The result SHALL depend only on the arguments, and `map`
   * SHALL NOT change its arguments.
   *
   * @param nodes nodes of the job, strictly ascending
   * @param matrix bytes that each rank sends to each rank, with one rank for each node
   */
  map(topology: Topology, nodes: ArrayLike<number>, matrix: ByteMatrix): ArrayLike<number>
}
