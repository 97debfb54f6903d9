/** The router contract, version 2. Types only: nothing here exists at run time. */
import type { Topology } from '@cloister/topology'
import type { Resources } from './allocation.ts'

/** Where switches send what is meant for a node: forwarding tables (InfiniBand: LFTs) that know the destination alone. */
export interface Routes {
  /**
   * The port by which a switch sends on what is meant for a node, -1 where it has no entry. Ports count from 0, down-ports
   * first (`downPorts` of @cloister/topology).
   */
  port(level: number, sw: number, node: number): number
}

/** What the start or the end of a job changes: its own entries, and no others. */
export interface RouteChange {
  readonly entries: number
  /** SHA-256 over them, base64url. The end of a job takes away exactly what its start added. */
  readonly digest: string
}

/** The forwarding tables of a machine, kept in step with the jobs that run on it. */
export interface ForwardingTables extends Routes {
  /** A job starts. Where its links do not connect its nodes it says which, and the tables are as before. */
  add(job: string, resources: Resources): RouteChange | { readonly unroutable: string }
  /** A job that was added ends. */
  remove(job: string): RouteChange
}

/** A router: it makes forwarding tables for a topology. A type alone, as the policy contract is. */
export interface Router {
  readonly contract: 2
  /** Lower case, digits, '-'; the router of the log's header and the scheme of its route records. */
  readonly name: string
  /** Empty tables, or why this topology cannot be routed. */
  make(topology: Topology): ForwardingTables | { readonly unsupported: string }
}
