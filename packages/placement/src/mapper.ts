/** The mapper contract, version 2. Types only: nothing here exists at run time. */
import type { Topology } from '@cloister/topology'
import type { ByteMatrix } from './contract.ts'

/**
 * Orders the ranks of a job on nodes that it has already: which node each rank gets, one rank a node. A type alone, as the
 * policy contract is.
 */
export interface Mapper {
  readonly contract: 2
  /** Lower case, digits, '-'. */
  readonly name: string
  /**
   * SHALL be a function of its arguments alone, and change none of them.
   *
   * @param nodes ascending, each once
   * @param matrix of as many ranks as there are nodes
   * @returns the node of each rank: each of the nodes once
   */
  map(topology: Topology, nodes: ArrayLike<number>, matrix: ByteMatrix): ArrayLike<number>
}
