import type { Topology } from '@cloister/topology'

export type JobType = 'T1' | 'T2' | 'T3'

export interface Job {
  readonly type: JobType
  readonly nodes: ReadonlyArray<number>
}

/** Returns the type of a job by its size: T1 fits on a leaf, T2 fits in a pod, T3 needs several pods. */
export function typeOf({ firstNodeOfLeaf, firstLeafOfPod }: Topology, size: number): JobType {
  const nodesPerLeaf = firstNodeOfLeaf[1]
  const nodesPerPod = firstNodeOfLeaf[firstLeafOfPod[1]]
  return size <= nodesPerLeaf ? 'T1' : size <= nodesPerPod ? 'T2' : 'T3'
}

export function leavesOf({ leafOfNode }: Topology, nodes: Iterable<number>): ReadonlySet<number> {
  return new Set(Array.from(nodes, (node) => leafOfNode[node]))
}

export function podsOf(topology: Topology, nodes: Iterable<number>): ReadonlySet<number> {
  return new Set(Array.from(leavesOf(topology, nodes), (leaf) => topology.podOfLeaf[leaf]))
}

/**
 * Returns the rule of section III-B of Pollard et al. that a job would break beside other jobs; undefined if the job
 * breaks no rule. The function does not check links.
 */
export function brokenRule(topology: Topology, job: Job, others: ReadonlyArray<Job>): string | undefined {
  const leaves = leavesOf(topology, job.nodes)
  const pods = podsOf(topology, job.nodes)
  if (job.type === 'T1') return leaves.size === 1 ? undefined : `T1 on ${leaves.size} leaves`
  if (job.type === 'T2' && pods.size > 1) return `T2 in ${pods.size} pods`
  for (const other of others) {
    if (other.type === 'T1') continue
    if (meet(leaves, leavesOf(topology, other.nodes))) return `${job.type} shares a leaf with ${other.type}`
    if (job.type === 'T3' && other.type === 'T3' && meet(pods, podsOf(topology, other.nodes)))
      return 'T3 shares a pod with T3'
  }
  return undefined
}

function meet(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  return [...a].some((member) => b.has(member))
}
