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

/** A running job, by the paper's rules and as the state knows it. */
interface Running extends Job {
  readonly allocation: Allocation
}

/** TA on a cluster under a history of jobs. */
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

  /** Asks and starts where there must be room; the nodes. */
  run(nodes: number): ReadonlyArray<number> {
    const outcome = this.ask(nodes)
    if (!outcome.ok) throw new Error(`${nodes} nodes: ${JSON.stringify(outcome)}`)
    this.start(outcome)
    return Array.from(outcome.nodes)
  }
}

/** Steps of a history: a positive number is a size to ask for and start where it fits, a negative one names a job to end. */
export type History = ReadonlyArray<number>

/** Histories that fill a cluster and keep it full: sizes of all three types, and now and then an end. */
export function histories(spec: string, maxLength: number): fc.Arbitrary<History> {
  const { nodes, leaves, pods } = parseTopology(spec)
  const size = fc.oneof(...[nodes / leaves, nodes / pods, nodes].map((max) => fc.integer({ min: 1, max })))
  const end = fc.integer({ min: -1000, max: -1 })
  return fc.array(fc.oneof({ arbitrary: size, weight: 3 }, { arbitrary: end, weight: 1 }), { maxLength, size: 'max' })
}

/** Plays a history; `asked` sees every question before its job is started. */
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
