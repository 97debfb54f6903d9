/**
 * Read-only view of a state, for policies. A resource is free if no job holds the resource and the resource is neither
 * down nor withheld. An expected state is a fork in which jobs that end before a later instant have been released.
 */
export interface StateView {
  readonly freeNodes: number
  freeNodesOnLeaf(leaf: number): number
  freeNodesInPod(pod: number): number
  /** Returns the number of leaves of the pod with all nodes and all up-ports free. */
  wholeLeavesInPod(pod: number): number
  isNodeFree(node: number): boolean
  /** Writes the ids of the leaf's free nodes into `out` from `offset` on, ascending. Returns the number of ids. */
  freeNodeIds(leaf: number, out: Int32Array, offset?: number): number
  /** Returns one word of the mask of the leaf's free nodes. A word has 32 bits, one bit a node. */
  nodeMask(leaf: number, word: number): number
  /**
   * Returns one word of the mask of free up-ports of switch `sw`. A word has 32 bits, one bit a port. Level 0 has the
   * leaves.
   */
  portMask(level: number, sw: number, word: number): number
  /**
   * Returns the bandwidth left on a link, in MB/s. Returns 0 if the link is down or withheld, or if the policy does not
   * claim `capped` links.
   */
  capacityLeft(level: number, link: number): number
  /**
   * Returns the number of nodes of the leaf that running jobs hold. A node that is down counts only if a job holds the
   * node.
   */
  busyNodesOnLeaf(leaf: number): number
  /**
   * Returns the number of nodes of the leaf that communication-intensive jobs hold (`Request.communication` is set).
   */
  communicatingNodesOnLeaf(leaf: number): number
  /**
   * Returns the latest estimated end of the jobs that hold nodes of the leaf, in integer milliseconds; 0 if no job
   * does. A job past its estimate is expected to end 1 s after now. In an expected state the released jobs count, too.
   * If the result is at most `Request.startsAt`, no job is expected to run on the leaf at `Request.startsAt`.
   */
  lastEndOnLeaf(leaf: number): number
  /**
   * Returns the latest estimated end of the jobs that hold the link, in integer milliseconds, by the rules of
   * `lastEndOnLeaf`; 0 if no job holds the link.
   */
  endOfLink(level: number, link: number): number
  /**
   * Returns the number of the leaf's free nodes that are already free at `Request.decidedAt`. In an expected state,
   * nodes of released jobs do not count. In any other state the result equals `freeNodesOnLeaf`.
   */
  freeNodesAtDecision(leaf: number): number
  /**
   * Running jobs in the order of their estimated ends; jobs with equal ends are in the order of their starts. A fork
   * has a separate list.
   */
  readonly running: ReadonlyArray<{ readonly job: string; readonly estimatedEnd: number }>
}
