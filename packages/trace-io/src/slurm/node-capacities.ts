import type { AccountingRow } from './accounting-row.ts'
import { namesIn } from './node-sharing.ts'

/** Numbers of processors and of graphics processors of a job; 0 for a number that the accounting does not state. */
export type HeldProcessors = Pick<AccountingRow, 'cpus' | 'gpus'>

/**
 * Estimated processors and graphics processors of each node: the largest numbers that a job had on the node. Slurm's
 * accounting states the processors of jobs, but not of nodes. Nodes are numbers from 0.
 */
export class NodeCapacities {
  readonly #cpus: Array<number> = []
  readonly #gpus: Array<number> = []

  /**
   * Raises the estimate of each node of a job to the job's share on the node, if the share is larger. The shares of a
   * job on its nodes are assumed to be equal.
   */
  learn(nodes: ArrayLike<number>, { cpus, gpus }: HeldProcessors): void {
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at]
      this.#cpus[node] = Math.max(this.#cpus[node] ?? 0, cpus / nodes.length)
      this.#gpus[node] = Math.max(this.#gpus[node] ?? 0, gpus / nodes.length)
    }
  }

  /**
   * Returns true if a job uses neither all processors nor all graphics processors of its nodes, by the estimates. An
   * unknown number (0) counts as less than all. Returns false if both numbers of the job are unknown.
   */
  isPart(nodes: ArrayLike<number>, { cpus, gpus }: HeldProcessors): boolean {
    let [allCpus, allGpus] = [0, 0]
    for (let at = 0; at < nodes.length; at++) {
      allCpus += this.#cpus[nodes[at]] ?? 0
      allGpus += this.#gpus[nodes[at]] ?? 0
    }
    if (cpus === 0 && gpus === 0) return false
    return (cpus === 0 || cpus < allCpus) && (gpus === 0 || gpus < allGpus)
  }
}

/** Most names of nodes to read from hostlists: a few bytes of a file can stand for millions of names. */
const MAX_NAMES = 50_000_000
/** Number of a node that stands for every node while the names of nodes are not read. */
const ANY_NODE = 0

/**
 * Finds the jobs that use only a part of the processors of their nodes. If the names of a job's nodes are unknown or
 * too many, the largest share that any job had on a node counts as a whole node.
 *
 * @param rows all rows of the accounting, for estimates of the processors of nodes
 * @param jobs jobs that `jobsOfRows` made from `rows`
 * @returns 1 for each job on only a part of the job's nodes, 0 for any other job; undefined if no row states processors
 *   or graphics processors
 */
export function jobsOnParts(
  rows: ReadonlyArray<AccountingRow>,
  jobs: ReadonlyArray<AccountingRow>,
): Uint8Array | undefined {
  if (!rows.some(({ cpus, gpus }) => cpus > 0 || gpus > 0)) return undefined
  const alike = new NodeCapacities()
  for (const row of rows) if (row.nodes > 0) alike.learn([ANY_NODE], perNode(row))
  const mayBePart = jobs.map((job) => job.nodes > 0 && alike.isPart([ANY_NODE], perNode(job)))
  // If every job has the largest share of a node, which is usual, no job uses a part of a node, and no name is needed.
  if (!mayBePart.includes(true)) return new Uint8Array(jobs.length)
  const nodes = new NodeNumbers()
  const capacities = new NodeCapacities()
  for (const row of rows) capacities.learn(nodes.of(row), row)
  const isPart = (job: AccountingRow): boolean => {
    const own = nodes.of(job)
    return own.length === 0 || capacities.isPart(own, job)
  }
  return Uint8Array.from(jobs, (job, at) => (mayBePart[at] && isPart(job) ? 1 : 0))
}

function perNode({ cpus, gpus, nodes }: AccountingRow): HeldProcessors {
  return { cpus: cpus / nodes, gpus: gpus / nodes }
}

/** Numbers the nodes of hostlists in the order of their first appearance. */
class NodeNumbers {
  readonly #numbers = new Map<string, number>()
  #namesLeft = MAX_NAMES

  /** Returns the numbers of a row's nodes; none without a hostlist, or if earlier hostlists have too many names. */
  of({ nodeList }: AccountingRow): ReadonlyArray<number> {
    if (nodeList === '' || this.#namesLeft <= 0) return []
    const names = namesIn(nodeList, this.#namesLeft)
    this.#namesLeft -= Math.max(1, names.length)
    return names.map((name) => {
      const number = this.#numbers.get(name) ?? this.#numbers.size
      this.#numbers.set(name, number)
      return number
    })
  }
}
