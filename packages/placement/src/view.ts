/** What a policy may ask of a state: an interface, never the class. All counts are of free, available resources. */
export interface StateView {
  readonly freeNodes: number
  freeNodesOnLeaf(leaf: number): number
  freeNodesInPod(pod: number): number
  /** Leaves of the pod with every node and every up-port free. */
  wholeLeavesInPod(pod: number): number
  isNodeFree(node: number): boolean
  /** Writes the ids of a leaf's free nodes, ascending, from `out[offset]`; returns how many. */
  freeNodeIds(leaf: number, out: Int32Array, offset?: number): number
  /** Word `word` (32 nodes each) of the mask of a leaf's free nodes. */
  nodeMask(leaf: number, word: number): number
  /** Word `word` (32 ports each) of the mask of free up-ports of switch `sw`; `level` 0 is the leaves. */
  portMask(level: number, sw: number, word: number): number
  /** MB/s left on a link, where links are capped. */
  capacityLeft(level: number, link: number): number
  /** Nodes of the leaf that running jobs hold; a node that is down or withheld is not busy for that. */
  busyNodesOnLeaf(leaf: number): number
  /** Those of the busy nodes whose jobs are communication-intensive: their requests name a communication. */
  communicatingNodesOnLeaf(leaf: number): number
  /**
   * The latest estimated end of the jobs that hold nodes of the leaf, integer milliseconds; 0 where none does. A job past its estimate
   * is expected to end 1 s after now. What is down or withheld counts for nothing unless a job holds it. In a what-if the jobs that
   * were taken back to make it count too, by when they would have ended: the leaf has drained by `Request.startsAt` where its last end
   * is no later.
   */
  lastEndOnLeaf(leaf: number): number
  /** The same of the job that holds a link; where jobs share it, of those that do. */
  endOfLink(level: number, link: number): number
  /**
   * Free nodes of the leaf that are free already at `Request.decidedAt`, without those that the jobs hold that were taken back to make a
   * what-if. Where nothing was taken back all free nodes are.
   */
  freeNodesAtDecision(leaf: number): number
  /** By estimated end, then start order; true on forks. */
  readonly running: ReadonlyArray<{ readonly job: string; readonly estimatedEnd: number }>
}
