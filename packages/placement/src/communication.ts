/**
 * Matrix with the bytes that rank i sends to rank j, at `[i][j]`. Each rank has one row. The diagonal does not count.
 */
export type ByteMatrix = ReadonlyArray<ArrayLike<number>>

/** A communication matrix. A log holds the name and the checksum of a matrix, not the bytes. */
export interface CommunicationMatrix {
  /** Name of the matrix. The pattern of the job is `matrix:` followed by this name. */
  readonly name: string
  /** SHA-256 of the file that held the matrix, in hexadecimal. Equal checksums mean equal matrices. */
  readonly sha256: string
  readonly bytes: ByteMatrix
}

/** Communication between the ranks of a job. Each node has one rank. */
export interface Communication {
  /** Name of a known pattern, or `matrix:` followed by the name of a matrix. */
  readonly pattern: string
  /** Share of the run time that the job spends communicating, in 1/1000. */
  readonly share: number
  /**
   * Matrix that `pattern` names, with one rank for each requested node. Undefined if `pattern` names no matrix, or if
   * the caller does not have the matrix.
   */
  readonly matrix?: CommunicationMatrix
}
