import type { Topology } from '@cloister/topology'

/** Bytes that rank i of a job sends to rank j, at `[i][j]`. The diagonal does not count. */
export type ByteMatrix = ReadonlyArray<ArrayLike<number>>

/** A communication matrix. A log holds its name and checksum, not its bytes. */
export interface CommunicationMatrix {
  /** The pattern of a job with the matrix is `matrix:` followed by this name. */
  readonly name: string
  /** SHA-256 of the file with the matrix, in hexadecimal. */
  readonly sha256: string
  readonly bytes: ByteMatrix
}

/** Communication between the ranks of a job. Each node has one rank. */
export interface Communication {
  /** Name of a known pattern, or `matrix:` followed by the name of a matrix. */
  readonly pattern: string
  /** Share of the run time that the job spends communicating, in 1/1000. */
  readonly share: number
  /** Matrix that `pattern` names; undefined if it names none, or if the caller does not have the matrix. */
  readonly matrix?: CommunicationMatrix
}

/** The mapper contract, version 1. The file declares types only; nothing here exists at run time. */

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
