import { HostlistError, parseHostlist } from '@cloister/topology'
import { type AccountingRow } from './accounting-row.ts'
import { accountedId } from './jobs-of-rows.ts'

/** Jobs that were on a node while another job was. */
export interface NodeSharing {
  readonly jobs: number
  /** The first two of them in time, and their node. */
  readonly first: { readonly jobs: readonly [string, string]; readonly node: string } | undefined
}

/** Names of nodes that are looked at: a few bytes of a file can stand for millions. */
const MAX_NAMES = 50_000_000

/** Finds the jobs of an accounting that shared nodes, by their names alone; undefined where that takes too long. A run whose end is not known lasts. */
export function nodeSharingOf(rows: ReadonlyArray<AccountingRow>): NodeSharing | undefined {
  const sharing = new Set<string>()
  let first: NodeSharing['first']
  /** Of each node the run that is to leave it last. */
  const latest = new Map<string, AccountingRow>()
  let namesLeft = MAX_NAMES
  for (const row of rows.filter(({ start, nodeList }) => start >= 0 && nodeList !== '').sort(byStart)) {
    if (endOf(row) <= row.start) continue
    const names = namesIn(row.nodeList, namesLeft)
    namesLeft -= Math.max(1, names.length)
    if (namesLeft <= 0) return undefined
    for (const node of names) {
      const other = latest.get(node)
      if (other === undefined || endOf(other) <= row.start) {
        latest.set(node, row)
        continue
      }
      const [one, another] = [accountedId(other), accountedId(row)]
      // Runs of one job follow each other, whatever clocks say.
      if (one !== another) {
        first ??= { jobs: [one, another], node }
        sharing.add(one).add(another)
      }
      if (endOf(other) < endOf(row)) latest.set(node, row)
    }
  }
  return { jobs: sharing.size, first }
}

function byStart(a: AccountingRow, b: AccountingRow): number {
  return a.start - b.start || a.line - b.line
}

function endOf({ start, end, elapsed }: AccountingRow): number {
  return end >= 0 ? end : elapsed > 0 ? start + elapsed : Infinity
}

/** The names of a hostlist; none if it cannot be read, or has more than so many. */
export function namesIn(hostlist: string, limit: number): ReadonlyArray<string> {
  try {
    return parseHostlist(hostlist, limit)
  } catch (error) {
    if (error instanceof HostlistError) return []
    throw error
  }
}
