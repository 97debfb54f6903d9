import { allocations } from './allocations.ts'
import { decisions } from './decisions.ts'
import { faults } from './faults.ts'
import { jobs } from './jobs.ts'
import { links, nodes, queue } from './over-time.ts'
import { reservations } from './reservations.ts'
import type { Table } from './table.ts'

/** Names of the tables of an event log. */
export const tableNames = [
  'jobs',
  'allocations',
  'reservations',
  'decisions',
  'nodes',
  'links',
  'queue',
  'faults',
] as const

/** Name of a table of an event log. */
export type TableName = (typeof tableNames)[number]

/** All tables of an event log, by name. */
export const tables: Readonly<Record<TableName, Table>> = {
  jobs,
  allocations,
  reservations,
  decisions,
  nodes,
  links,
  queue,
  faults,
}
