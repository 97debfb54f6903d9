import { resourcesOf } from '@cloister/eventlog'
import { Effect } from 'effect'
import { Records, Traces } from '../experiment/services.ts'

/** Topology-oblivious placements, each a guess at TO: the Pollard paper does not describe how TO placed jobs. */
export const obliviousPlacements = ['first fit', 'aged first fit', 'clustered', 'random'] as const
export type ObliviousPlacement = (typeof obliviousPlacements)[number]

/** Nodes of each job, in ascending order. */
export type Nodes = ReadonlyArray<ReadonlyArray<number>>

/** Job of a run: times in seconds, size in nodes. */
interface ListedJob {
  readonly submit: number
  readonly end: number
  readonly size: number
}

/** End of the jobs that run until all jobs have started, in seconds. */
const LAST = 10_000

/** Returns the jobs of a run on an empty machine. */
export function onEmptyMachine(sizes: ReadonlyArray<number>): ReadonlyArray<ListedJob> {
  return sizes.map((size) => ({ submit: 0, end: LAST, size }))
}

/**
 * Returns the jobs of a run whose last jobs, of the given sizes, get an oblivious placement under the policy Baseline.
 * The jobs before them occupy the machine.
 *
 * @param nodes number of nodes of the machine
 * @param draw returns a drawn integer of [0, below)
 */
export function obliviousJobs(
  how: ObliviousPlacement,
  nodes: number,
  sizes: ReadonlyArray<number>,
  draw: (below: number) => number,
): ReadonlyArray<ListedJob> {
  if (how === 'first fit') return onEmptyMachine(sizes)
  if (how === 'aged first fit') return onUsedMachine(nodes, sizes, draw)
  const order = Array.from({ length: nodes }, (_, node) => node)
  // The placement `clustered` is from a published mapper: a list of nodes in order, after 500 random exchanges.
  const exchanges = how === 'clustered' ? 500 : nodes
  for (let at = 0; at < exchanges; at++) {
    const [one, other] = how === 'random' ? [at, at + draw(nodes - at)] : [draw(nodes), draw(nodes)]
    ;[order[one], order[other]] = [order[other], order[one]]
  }
  return onNodesInOrder(order, sizes)
}

/**
 * Returns the jobs of a run for a given placement: the measured jobs get the nodes of `order`, one job after the other.
 * Before, other jobs fill the machine, on consecutive nodes. Jobs on the nodes of a measured job end exactly when the
 * measured job arrives.
 */
function onNodesInOrder(order: ReadonlyArray<number>, sizes: ReadonlyArray<number>): ReadonlyArray<ListedJob> {
  const ends = new Array<number>(order.length).fill(LAST)
  let next = 0
  for (const [job, size] of sizes.entries()) for (const node of order.slice(next, (next += size))) ends[node] = job + 1
  const starts = ends.flatMap((end, node) => (node > 0 && end === ends[node - 1] ? [] : [node]))
  return [
    ...starts.map((node, at) => ({ submit: 0, end: ends[node], size: (starts[at + 1] ?? order.length) - node })),
    ...sizes.map((size, job) => ({ submit: job + 1, end: LAST, size })),
  ]
}

/** Returns the jobs of a run whose last jobs arrive on a used machine. Before, 500 jobs start, and random jobs end. */
function onUsedMachine(
  nodes: number,
  sizes: ReadonlyArray<number>,
  draw: (below: number) => number,
): ReadonlyArray<ListedJob> {
  let free = nodes
  const jobs: Array<{ -readonly [Field in keyof ListedJob]: ListedJob[Field] }> = []
  const running: Array<(typeof jobs)[number]> = []
  const start = (size: number) => {
    const submit = jobs.length
    while (free < size) {
      const [ended] = running.splice(draw(running.length), 1)
      ended.end = submit
      free += ended.size
    }
    free -= size
    const job = { submit, end: LAST, size }
    jobs.push(job)
    return job
  }
  for (let at = 0; at < 500; at++) {
    const size = sizes[draw(sizes.length)]
    running.push(start(size))
  }
  for (const size of sizes) start(size)
  return jobs
}

/**
 * Runs jobs under a policy, and returns the nodes of the last jobs in the event log.
 *
 * @param name name of the list of jobs, without extension
 * @param count number of the last jobs whose nodes are returned
 */
export const nodesOfRun = Effect.fnUntraced(function* (
  name: string,
  jobs: ReadonlyArray<ListedJob>,
  { topology, policy, count }: { readonly topology: string; readonly policy: string; readonly count: number },
) {
  const { write } = yield* Traces
  const { watch } = yield* Records
  const lines = jobs.map(({ submit, end, size }, at) => [at + 1, submit, end - submit, size, 0, 0].join(' '))
  const trace = yield* write(`${name}.txt`, ['Job_name Submit Runtime Nodes Comment Perc', ...lines, ''].join('\n'))
  const nodes = new Map<string, ReadonlyArray<number>>()
  const options = { arrivals: 'trace', queue: 'fcfs', estimates: 'exact', overrun: 'run-on' } as const
  yield* watch({ trace, topology, policy, ...options }, (record) => {
    if (record.type === 'allocate') nodes.set(record.job, Array.from(resourcesOf(record).nodes))
  })
  const first = jobs.length - count + 1
  return Array.from({ length: count }, (_, at) => nodes.get(String(first + at))!)
})
