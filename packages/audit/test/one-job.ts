import { sha256 } from '@cloister/eventlog/node'
import type { Topology } from '@cloister/topology'
import { type AuditReport, auditRecords } from '../src/index.ts'
import type { Allocation } from './allocations.ts'
import { idset, LogBuilder, type RunOptions } from './log-builder.ts'

/** Returns the report of an audit of a log with one job. */
export function auditOf(claims: RunOptions['claims'], size: number, job: Allocation, topology: Topology): AuditReport {
  const log = new LogBuilder({ topology, jobs: 1, claims: { links: 'owned', ...claims } })
  log.submit(0, 'a', size, 10)
  const [uplinks, l2Uplinks] = job.links
  const links = l2Uplinks.length > 0 ? [uplinks, l2Uplinks] : uplinks.length > 0 ? [uplinks] : []
  log.allocate(0, 'a', { nodes: idset(job.nodes), ...(links.length > 0 ? { links: links.map(idset) } : {}) })
  log.complete(10, 'a')
  return auditRecords(log.end(10).records, sha256)
}

/** Returns the violations of a report, each as its invariant and its message. */
export const messages = ({ violations }: AuditReport): ReadonlyArray<string> =>
  violations.map(({ invariant, message }) => `${invariant}: ${message}`)
