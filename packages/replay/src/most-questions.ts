import type { Topology } from '@cloister/topology'

/** Nodes and links that a policy may be shown for any log, */
const BASE = 2 ** 30
/** and for each of its records. */
const PER_RECORD = 2 ** 22

/**
 * How often a policy is asked about a log at most: a small log may have a window of all its jobs, on a machine of millions of nodes,
 * all of which a policy may look at for an answer. On 160,000 nodes with their links that is 8 questions for each record.
 *
 * @param records how many the log has
 */
export function mostQuestions({ nodes, levels }: Topology, records: number): number {
  const parts = levels.reduce((sum, { links }) => sum + links, nodes)
  return Math.ceil((BASE + PER_RECORD * records) / parts)
}
