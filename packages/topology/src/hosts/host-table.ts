import { type FieldPlace } from '../slurm/topology-conf.ts'
import type { LinkCounts } from '../slurm/switch-tree.ts'
import { parseTable, type Table, TableError } from '../tables.ts'
import { quote, TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'
import { treeOfHosts } from './host-tree.ts'

/** Columns of a table of hosts. */
export interface HostColumns extends LinkCounts {
  /** Column of the hosts' names. Default: the first column. */
  readonly host?: string | undefined
  /** Columns of the switches above a host, from the coarsest level to the leaf. Default: all other columns. */
  readonly levels?: ReadonlyArray<string> | undefined
  /** Column of the hosts' NVLink domains, which become blocks; an empty cell means none. Default: no column. */
  readonly block?: string | undefined
}

/**
 * Reads a table in CSV with a host a line, and a column for each level of switches. Switches below different parents
 * may have equal names; `treeOfHosts` describes the order of the switches and the names of equal switches.
 *
 * @param name name of the topology, and of the file in errors
 * @throws TopologyError with the line and the column of the fault
 */
export function parseHostTable(text: string, name: string, options: HostColumns = {}): Topology {
  const table = tableOf(text, name)
  const index = (column: string): number => {
    const at = table.columns.indexOf(column)
    if (at >= 0) return at
    const known = table.columns.map(quote).join(', ')
    throw new TopologyError(`no column is called ${quote(column)}; the columns are ${known}`, { source: name, line: 1 })
  }
  const host = options.host === undefined ? 0 : index(options.host)
  const block = options.block === undefined ? undefined : index(options.block)
  const levels =
    options.levels?.map(index) ?? table.columns.map((_, at) => at).filter((at) => at !== host && at !== block)
  const twice = levels.find((at, i) => at === host || at === block || levels.indexOf(at) !== i)
  if (twice !== undefined)
    throw new TopologyError(
      `column ${quote(table.columns[twice])} has two uses; each level needs a column of its own`,
      { source: name },
    )
  if (levels.length === 0)
    throw new TopologyError('expected at least one column of switches', { source: name, line: 1 })
  if (table.rows.length === 0) throw new TopologyError('expected a line for each host, found none', { source: name })
  const hosts = table.rows.map(({ line, cells }) => {
    const cell = (at: number): { readonly name: string; readonly place: FieldPlace } => {
      const place = { source: name, line, field: table.columns[at] }
      const found = cells[at].trim()
      if (found === '') throw new TopologyError('is empty; every host needs a name, and a switch of each level', place)
      return { name: found, place }
    }
    const domain = block === undefined ? '' : cells[block].trim()
    return { ...cell(host), switches: levels.map(cell), block: domain === '' ? undefined : domain }
  })
  return treeOfHosts(hosts, name, { areIds: false, cables: options.cables, parents: options.parents })
}

function tableOf(text: string, source: string): Table {
  try {
    return parseTable(text)
  } catch (error) {
    if (error instanceof TableError) throw new TopologyError(error.message, { source, line: error.line })
    throw error
  }
}
