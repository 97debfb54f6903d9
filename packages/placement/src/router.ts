/** The router contract, version 1. The file declares types only; nothing here exists at run time. */
import type { Topology } from '@cloister/topology'
import type { Resources } from './allocation.ts'

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
