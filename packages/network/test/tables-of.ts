import type { ForwardingTables, Resources } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { partitionRouter } from '../src/index.ts'

export function emptyTables(topology: Topology): ForwardingTables {
  const tables = partitionRouter().make(topology)
  if ('unsupported' in tables) throw new Error(tables.unsupported)
  return tables
}

/** Returns the tables of the partition router for simultaneous jobs, named 0, 1, … */
export function tablesOf(topology: Topology, jobs: ReadonlyArray<Resources>): ForwardingTables {
  const tables = emptyTables(topology)
  jobs.forEach((resources, job) => {
    const change = tables.start(`${job}`, resources)
    if ('unroutable' in change) throw new Error(change.unroutable)
  })
  return tables
}
