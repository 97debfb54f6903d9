import type { IndexHooks, PlacementPolicy, Placer, Request, StateView, Topology } from './contract.ts'

export interface Config {
  /** A job of this walltime or more is long, seconds. */
  readonly long: number
}

/** Short jobs fill the machine's leaves from the first one up, long jobs from the last one down. */
const longLast: PlacementPolicy<Config, Int32Array> = {
  contract: 1,
  name: 'long-last',
  version: '1.4.0',
  config: {
    '~standard': {
      version: 1,
      vendor: 'long-last',
      validate: (value) => {
        if (typeof value === 'object' && value !== null) {
          const { long = 1000, ...others }: { long?: unknown } = value
          if (typeof long === 'number' && Object.keys(others).length === 0) return { value: { long } }
        }
        return { issues: [{ message: 'expected an object with at most `long`, seconds' }] }
      },
    },
  },
  make: (topology, { long }) =>
    topology.leaves === 1 ? { misfit: 'it has a single leaf' } : new LongLast(topology, 1000 * long),
}
export default longLast

/** The index counts the free nodes of each leaf. */
class LongLast implements Placer<Int32Array> {
  readonly claims = {
    links: 'none',
    fullBandwidth: false,
    exactSize: true,
    monotone: true,
    complete: true,
    speedup: true,
  } as const
  readonly index: IndexHooks<Int32Array>
  readonly #topology: Topology
  readonly #long: number

  constructor(topology: Topology, long: number) {
    this.#topology = topology
    this.#long = long
    this.index = {
      build: (state) => Int32Array.from({ length: topology.leaves }, (_, leaf) => state.freeNodesOnLeaf(leaf)),
      copy: (from, into) => into.set(from),
      changed: (index, state, leaves) => {
        for (const leaf of Array.from(leaves)) index[leaf] = state.freeNodesOnLeaf(leaf)
      },
    }
  }

  requestKey({ nodes, walltime }: Request): string {
    return `${nodes} ${this.#isLong(walltime)}`
  }

  place(state: StateView, { nodes, walltime }: Request, free: Int32Array): ReturnType<Placer<Int32Array>['place']> {
    if (nodes > this.#topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
    if (nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
    const leaves = [...free.keys()].filter((leaf) => free[leaf] > 0)
    if (this.#isLong(walltime)) leaves.reverse()
    const ids = new Int32Array(state.freeNodes)
    let taken = 0
    for (const leaf of leaves) if (taken < nodes) taken += state.freeNodeIds(leaf, ids, taken)
    return { ok: true, nodes: ids.slice(0, nodes).sort(), links: [] }
  }

  #isLong(walltime: number | undefined): boolean {
    return walltime !== undefined && walltime >= this.#long
  }
}
