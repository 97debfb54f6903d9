import { HostlistError, parseHostlist } from '@cloister/topology'
import { type AccountingRow } from './accounting-row.ts'
import { accountedId } from './jobs-of-rows.ts'

/** Account of the jobs that used a node at the same time as another job; `jobs` is their number. */
export interface NodeSharing {
  readonly jobs: number
  /** Ids of the first two jobs in time that shared a node, and the node's name; undefined if no jobs shared nodes. */
  readonly first: { readonly jobs: readonly [string, string]; readonly node: string } | undefined
}

/** Most names of nodes to read from hostlists: a few bytes of a file can stand for millions of names. */
const MAX_NAMES = 50_000_000

/**
 * Finds the jobs of an accounting that shared nodes, by the names of the nodes and the times of the runs. A run with an
 * unknown end and a run time that is unknown or 0 counts as endless. Returns undefined after 50 million names of nodes.
 * A hostlist that is wrong or exceeds the rest of this limit counts as empty.
 */
export function nodeSharingOf(rows: ReadonlyArray<AccountingRow>): NodeSharing | undefined {
  const sharing = new Set<string>()
  let first: NodeSharing['first']
  /** Run with the latest end so far, by node. */
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
      // Two runs of one job do not share a node, even if their times overlap because the clocks of nodes disagree.
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

/** Returns the names of a hostlist; no names if the text is no hostlist or has more than `limit` names. */
export function namesIn(hostlist: string, limit: number): ReadonlyArray<string> {
  try {
    return parseHostlist(hostlist, limit)
  } catch (error) {
    if (error instanceof HostlistError) return []
    throw error
  }
}
