import { mostPairs } from '@cloister/communication'
import type { Topology } from '@cloister/topology'

/** Nodes, links and pairs of ranks that may be looked at for any log, */
const BASE = 2 ** 30
/** and for each of its records. */
const PER_RECORD = 2 ** 22

/** A job, as far as it matters for what an answer about it costs. */
interface Asked {
  readonly size: number
  readonly communication?: { readonly pattern: string } | undefined
}

/**
 * How often a policy is asked about a log at most: a small log may have a window of all its jobs, on a machine of millions of nodes,
 * all of which a policy may look at for an answer, and at all pairs of the job's ranks. On 160,000 nodes with their links that is 8
 * questions for each record.
 *
 * @param records how many the log has
 * @param jobs that it is asked about
 */
export function mostQuestions({ nodes, levels }: Topology, records: number, jobs: Iterable<Asked>): number {
  const parts = levels.reduce((sum, { links }) => sum + links, nodes)
  return Math.floor((BASE + PER_RECORD * records) / (parts + pairsOfOne(jobs)))
}

/** Those of the job that has most. */
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
