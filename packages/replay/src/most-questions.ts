import { mostPairs } from '@cloister/communication'
import type { Topology } from '@cloister/topology'

/** Number of nodes, links and pairs of ranks that all answers together may look at, for a log without records. */
const BASE = 2 ** 30
/** Additional number of nodes, links and pairs of ranks for each record of the log. */
const PER_RECORD = 2 ** 22

interface Asked {
  readonly size: number
  readonly communication?: { readonly pattern: string } | undefined
}

/**
 * Returns the greatest number of questions to a policy about a log. The limit protects against a small log with a
 * window of all its jobs on a machine of millions of nodes. For each answer a policy may look at all nodes and links,
 * and at all pairs of the job's ranks.
 *
 * @param records number of records in the log
 */
export function mostQuestions({ nodes, levels }: Topology, records: number, jobs: Iterable<Asked>): number {
  const parts = levels.reduce((sum, { links }) => sum + links, nodes)
  return Math.floor((BASE + PER_RECORD * records) / (parts + pairsOfOne(jobs)))
}

function pairsOfOne(jobs: Iterable<Asked>): number {
  const largest = new Map<string, number>()
  for (const { size, communication } of jobs) {
    if (communication === undefined) continue
    largest.set(communication.pattern, Math.max(size, largest.get(communication.pattern) ?? 0))
  }
  return Array.from(largest, ([pattern, size]) => mostPairs(pattern, size)).reduce(
    (most, each) => Math.max(most, each),
    0,
  )
}
