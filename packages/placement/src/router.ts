/** The router contract, version 1. The file declares types only; nothing here exists at run time. */
import type { Topology } from '@cloister/topology'
import type { Resources } from './allocation.ts'

/**
 * Forwarding tables of switches (InfiniBand: LFTs). The output port depends only on the switch and the destination
 * node.
 */
export interface Routes {
  /**
   * Returns the output port of a switch for a destination node; -1 if the table has no entry. Ports count from 0.
   * Down-ports come first (`downPorts` of @cloister/topology).
   */
  port(level: number, sw: number, node: number): number
}

/** Change of the forwarding tables at the start or the end of a job. A change affects only entries of this job. */
export interface RouteChange {
  /** Number of entries that the change adds or removes. */
  readonly entries: number
  /**
   * SHA-256 of the added or removed entries, in base64url. The end of a job removes exactly the entries that the start
   * added.
   */
  readonly digest: string
}

/** Forwarding tables of a machine, updated at each start and end of a job. */
export interface ForwardingTables extends Routes {
  /**
   * Adds the entries of a job that starts, and returns the change. If the links do not connect all nodes of the job,
   * returns `unroutable`, a message that names nodes without a route, and leaves the tables unchanged.
   */
  add(job: string, resources: Resources): RouteChange | { readonly unroutable: string }
  /** Removes the entries of a job that ends, and returns the change. */
  remove(job: string): RouteChange
}

/** A router: makes forwarding tables for a topology. */
export interface Router {
  readonly contract: 1
  /**
   * Name of the router: lower-case letters, digits and '-'. The name is the router in the header of a log and the
   * scheme in route records.
   */
  readonly name: string
  /** Makes empty tables, or returns the reason for not serving the topology. */
  make(topology: Topology): ForwardingTables | { readonly unsupported: string }
}
