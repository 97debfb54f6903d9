/**
 * State of nodes and links as a policy reads it. A node or link is free if no job holds it and it is neither down nor
 * withheld. An expected state is a fork without the jobs that are expected to end before a later instant.
 */
export interface StateView {
  readonly freeNodes: number
  freeNodesOnLeaf(leaf: number): number
  freeNodesInPod(pod: number): number
  /** Returns the number of leaves of the pod with all nodes and all up-ports free. */
  wholeLeavesInPod(pod: number): number
  isNodeFree(node: number): boolean
  /**
   * Writes the ids of the leaf's free nodes into `out` from `offset` on, ascending, and returns how many ids it wrote.
   */
  freeNodeIds(leaf: number, out: Int32Array, offset?: number): number
  /** Returns 32 bits, one for each node of the leaf from `32 * word` on; 1 if the node is free. */
  nodeMask(leaf: number, word: number): number
  /** Returns 32 bits, one for each up-port of switch `sw` (level 0: leaves) from `32 * word` on; 1 if it is free. */
  portMask(level: number, sw: number, word: number): number
  /** Returns the bandwidth left on a link, in MB/s; 0 if the link is down or withheld, or without `linkCapacity`. */
  capacityLeft(level: number, link: number): number
  /** Returns the number of nodes of the leaf that running jobs hold, down or not. */
  busyNodesOnLeaf(leaf: number): number
  /** Returns the number of nodes of the leaf that jobs with `Request.communication` hold. */
  communicatingNodesOnLeaf(leaf: number): number
  /**
   * Returns the latest estimated end of the jobs on the leaf, in integer milliseconds; 0 if there is none. A job past
   * its estimate is expected to end 1 s after now. In an expected state the released jobs count, too: if the result is
   * at most `Request.startsAt`, no job is expected to run on the leaf then.
   */
  lastEndOnLeaf(leaf: number): number
  /** Returns the latest estimated end of the jobs that hold the link, as `lastEndOnLeaf` does for a leaf. */
  endOfLink(level: number, link: number): number
  /**
   * Returns the number of the leaf's free nodes that are already free at `Request.decidedAt`: in an expected state,
   * nodes of released jobs do not count. In any other state, all free nodes count.
   */
  freeNodesAtDecision(leaf: number): number
  /** Running jobs by estimated end; ties are in the order of the starts. A fork has its own list of running jobs. */
  readonly running: ReadonlyArray<{ readonly job: string; readonly estimatedEnd: number }>
}
