import type { Topology } from '@cloister/topology'
import type { Resources } from './allocations.ts'

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

/** The router contract, version 1. The file declares types only; nothing here exists at run time. */

/** Forwarding tables (InfiniBand: LFTs): the output port depends only on the switch and the destination node. */
export interface Routes {
  /**
   * Returns the output port of a switch for a destination node; -1 if the table has no entry. Ports count from 0,
   * down-ports first (`downPorts` of @cloister/topology).
   */
  port(level: number, sw: number, node: number): number
}

/** Entries that the start of a job adds to the forwarding tables, or that its end removes. */
export interface RouteChange {
  readonly entries: number
  /**
   * SHA-256 of the added or removed entries, in base64url. The end of a job removes exactly the entries that its start
   * added.
   */
  readonly digest: string
}

/** Forwarding tables of a machine, updated at each start and end of a job. */
export interface ForwardingTables extends Routes {
  /**
   * Adds the entries of a job that starts. If the links do not connect all nodes of the job, changes nothing and
   * returns `unroutable`, a message that names nodes without a route.
   */
  add(job: string, resources: Resources): RouteChange | { readonly unroutable: string }
  /** Removes the entries of a job that ends. */
  remove(job: string): RouteChange
}

/** A router: makes forwarding tables for a topology. */
export interface Router {
  readonly contract: 1
  /**
   * Name of the router: lower-case letters, digits and '-'. The name stands in the header of a log, and as the scheme
   * in route records.
   */
  readonly name: string
  /** Returns empty tables, or the reason for not serving the topology. */
  make(topology: Topology): ForwardingTables | { readonly unsupported: string }
}
