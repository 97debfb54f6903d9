import type { AccountingRow } from './accounting-row.ts'
import { namesIn } from './node-sharing.ts'

/** Processors and graphics processors of a job; 0 for what the accounting does not say. */
export type HeldProcessors = Pick<AccountingRow, 'cpus' | 'gpus'>

/**
 * How many processors and graphics processors each node has, by the most that a job had there. Nodes are numbers from 0. The
 * accounting says what jobs were given, and nowhere what nodes have.
 */
export class NodeCapacities {
  readonly #cpus: Array<number> = []
  readonly #gpus: Array<number> = []

  /** Takes what a job had on these nodes; each node is taken to have given the same. */
  learn(nodes: ArrayLike<number>, { cpus, gpus }: HeldProcessors): void {
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at]
      this.#cpus[node] = Math.max(this.#cpus[node] ?? 0, cpus / nodes.length)
      this.#gpus[node] = Math.max(this.#gpus[node] ?? 0, gpus / nodes.length)
    }
  }

  /** Returns true if a job has neither all processors nor all graphics processors of these nodes: it leaves room for others. */
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

/** Names of nodes that are looked at: a few bytes of a file can stand for millions. */
const MAX_NAMES = 50_000_000
/** Stands for all nodes where their names are unknown, or too many. */
const ANY_NODE = 0

/**
 * Finds the jobs that take only a part of each of their nodes.
 *
 * @param rows of the accounting, from which the sizes of nodes are learned
 * @param jobs made of these rows
 * @returns 1 for each such job; undefined if the accounting says nothing of processors
 */
export function jobsOnParts(
  rows: ReadonlyArray<AccountingRow>,
  jobs: ReadonlyArray<AccountingRow>,
): Uint8Array | undefined {
  if (!rows.some(({ cpus, gpus }) => cpus > 0 || gpus > 0)) return undefined
  const alike = new NodeCapacities()
  for (const row of rows) if (row.nodes > 0) alike.learn([ANY_NODE], perNode(row))
  const mayBePart = jobs.map((job) => job.nodes > 0 && alike.isPart([ANY_NODE], perNode(job)))
  // Usually no job has less than the largest share of a node: the names of nodes need not be read then.
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

/** Numbers the nodes of hostlists as they appear. */
class NodeNumbers {
  readonly #numbers = new Map<string, number>()
  #namesLeft = MAX_NAMES

  /** The nodes of a row; none if it has no nodes, or once there were too many names. */
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
