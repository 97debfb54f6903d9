import {
  type Allocation,
  bindPolicy,
  ClusterState,
  type Outcome,
  type Placement,
  type Placer,
} from '@cloister/placement'
import { ask } from '@cloister/placement/testing'
import { parseTopology, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { type Config, ta } from '../src/index.ts'
import { type Job, typeOf } from './rules.ts'

/** Running job: its type and nodes for the rules of Pollard et al., and its allocation in the state. */
interface Running extends Job {
  readonly allocation: Allocation
}

/** Cluster under TA on which tests run a history of jobs. */
export class TaCluster {
  readonly topology: Topology
  readonly placer: Placer<any>
  readonly state: ClusterState<any>
  readonly running: Array<Running> = []
  #started = 0

  constructor(spec: string, config: Partial<Config> = {}) {
    this.topology = parseTopology(spec)
    this.placer = bindPolicy(ta, this.topology, config).placer
    this.state = new ClusterState(this.topology, { index: this.placer.index })
  }

  ask(nodes: number, state: ClusterState<any> = this.state): Outcome {
    return ask(this.placer, state, nodes)
  }

  start({ nodes, links }: Placement): void {
    const allocation = { job: `${this.#started}`, nodes, links, estimatedEnd: 0, startOrder: this.#started++ }
    this.state.apply(allocation)
    this.running.push({ type: typeOf(this.topology, nodes.length), nodes: Array.from(nodes), allocation })
  }

  end(which: number): void {
    const [{ allocation }] = this.running.splice(which, 1)
    this.state.release(allocation)
  }

  /** Places and starts a job, and returns its nodes. Throws an Error if TA refuses the job. */
  run(nodes: number): ReadonlyArray<number> {
    const outcome = this.ask(nodes)
    if (!outcome.ok) throw new Error(`${nodes} nodes: ${JSON.stringify(outcome)}`)
    this.start(outcome)
    return Array.from(outcome.nodes)
  }
}

/**
 * Steps of a history. A positive number is the size of a job that starts if TA places the job. A negative number
 * selects a running job that ends.
 */
export type History = ReadonlyArray<number>

/** Draws histories that fill a cluster and keep the cluster full: jobs of all three types, and some ends of jobs. */
export function histories(spec: string, maxLength: number): fc.Arbitrary<History> {
  const { nodes, leaves, pods } = parseTopology(spec)
  const size = fc.oneof(...[nodes / leaves, nodes / pods, nodes].map((max) => fc.integer({ min: 1, max })))
  const end = fc.integer({ min: -1000, max: -1 })
  return fc.array(fc.oneof({ arbitrary: size, weight: 3 }, { arbitrary: end, weight: 1 }), { maxLength, size: 'max' })
}

/** Runs a history on a cluster. Calls `asked` with every request and answer before the job starts. */
export function play(
  cluster: TaCluster,
  history: History,
  asked: (size: number, outcome: Outcome) => void = () => {},
): void {
  for (const step of history) {
    if (step < 0) {
      if (cluster.running.length > 0) cluster.end(-step % cluster.running.length)
      continue
    }
    const outcome = cluster.ask(step)
    asked(step, outcome)
    if (outcome.ok) cluster.start(outcome)
  }
}
