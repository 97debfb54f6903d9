import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type Allocation, bindPolicy, ClusterState, type Placer } from '@cloister/placement'
import { formatIdset, parseTopology, seededDraws, type Topology } from '@cloister/topology'
import { afterAll, describe, expect, it } from 'vitest'
import { Program } from '../src/node/index.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0
let program: Program | undefined
const mirror = (): Program => (program ??= new Program(`python3 ${join(import.meta.dirname, 'programs/mirror.py')}`))
afterAll(() => program?.end())

type State = ClusterState<unknown>

/** Returns a state as the script mirror.py describes it, by the functions of `StateView`. */
function seenIn(state: State, topology: Topology, isCapped: boolean): object {
  const { nodes, leaves, levels, firstNodeOfLeaf } = topology
  const ids = (count: number, has: (id: number) => boolean): string => formatIdset([...Array(count).keys()].filter(has))
  const lists = [...Array(leaves).keys()]
  const atDecision = lists.map((leaf) => state.freeNodesAtDecision(leaf))
  const communicating = lists.map((leaf) => state.communicatingNodesOnLeaf(leaf))
  return {
    free: ids(nodes, (node) => state.isNodeFree(node)),
    freeNodes: state.freeNodes,
    links: levels.map(({ links }, level) => ids(links, (link) => state.isLinkFree(level, link))),
    running: state.running.map(({ job, estimatedEnd }) => [job, estimatedEnd]),
    lastEnds: lists.map((leaf) => state.lastEndOnLeaf(leaf)),
    atDecision,
    communicating,
    ...(isCapped && {
      capacity: levels.map(({ links }, level) =>
        Array.from({ length: links }, (_, link) => state.capacityLeft(level, link)),
      ),
    }),
    leaves: [...firstNodeOfLeaf],
  }
}

/** Returns what the program sees, with sets of nodes as counts on each leaf. */
function seenBy(placer: Placer, state: State, { firstNodeOfLeaf, leaves }: Topology): object {
  const outcome = placer.place(
    state,
    {
      purpose: 'start',
      job: 'asked',
      nodes: 1,
      now: 0,
      submitted: 0,
      estimate: undefined,
      bandwidth: undefined,
      communication: undefined,
    },
    undefined,
  )
  if (outcome.ok || outcome.code !== 'no-placement') throw new Error(JSON.stringify(outcome))
  const { atDecision, communicating, ...seen } = outcome.nearest as Record<string, string>
  const counts = (idset: string): ReadonlyArray<number> => {
    const all =
      idset === ''
        ? []
        : idset.split(',').flatMap((range) => {
            const [first, last = first] = range.split('-').map(Number)
            return Array.from({ length: last - first + 1 }, (_, at) => first + at)
          })
    return Array.from(
      { length: leaves },
      (_, leaf) => all.filter((node) => node >= firstNodeOfLeaf[leaf] && node < firstNodeOfLeaf[leaf + 1]).length,
    )
  }
  return { ...seen, atDecision: counts(atDecision), communicating: counts(communicating), leaves: [...firstNodeOfLeaf] }
}

/** Random history of jobs, failures and forks of one machine. */
class History {
  readonly state: State
  readonly #topology: Topology
  readonly #below: (below: number) => number
  readonly #capacity: number
  readonly #down: Array<{ nodes: Array<number>; links: Array<Array<number>> }> = []
  #jobs = 0

  constructor(topology: Topology, seed: number, capacity: number) {
    this.state = new ClusterState<unknown>(topology, { linkCapacity: capacity })
    this.#topology = topology
    this.#below = seededDraws(seed)
    this.#capacity = capacity
  }

  /** Changes the state in one way. */
  step(): void {
    const { state } = this
    const { running } = state
    const kind = this.#below(6)
    const job = running[this.#below(running.length || 1)]
    if (kind <= 1) this.#start(state)
    else if (kind === 2 && job !== undefined) state.release(job)
    else if (kind === 3 && job !== undefined) state.reestimate(job, this.#below(100_000))
    else if (kind === 4) {
      const parts = { nodes: this.#some(this.#topology.nodes), links: this.#links() }
      this.#down.push(parts)
      state.fail(parts)
    } else if (kind === 5 && this.#down.length > 0)
      state.restore(this.#down.splice(this.#below(this.#down.length), 1)[0])
  }

  /** Returns a fork with random changes, or the state itself. */
  imagined(): State {
    if (this.#below(3) === 0) return this.state
    const fork = this.state.fork()
    for (let left = this.#below(3); left > 0; left--) {
      const kind = this.#below(4)
      if (kind === 0) fork.releaseFirst(this.#below(fork.running.length + 1))
      else if (kind === 1) this.#start(fork)
      else if (kind === 2) {
        const parts = { nodes: this.#some(this.#topology.nodes), links: this.#links() }
        if (this.#capacity > 0) fork.withhold(parts, 100)
        else fork.withhold(parts)
      } else if (fork.running.length > 0) fork.release(fork.running[0])
    }
    return fork
  }

  #start(state: State): void {
    const free = [...Array(this.#topology.nodes).keys()].filter((node) => state.isNodeFree(node))
    const nodes = this.#some(free.length).map((at) => free[at])
    if (nodes.length === 0) return
    const bandwidth = this.#capacity > 0 ? 100 : undefined
    const links = this.#links().map((ids, level) =>
      ids.filter((link) =>
        bandwidth === undefined ? state.isLinkFree(level, link) : state.capacityLeft(level, link) >= bandwidth,
      ),
    )
    const order = this.#jobs++
    const allocation: Allocation = {
      job: `job-${order}`,
      nodes,
      links,
      estimatedEnd: this.#below(100_000),
      startOrder: order,
      ...(bandwidth !== undefined && { bandwidth }),
      ...(this.#below(3) === 0 && { communicates: true }),
    }
    state.apply(allocation)
  }

  #links(): Array<Array<number>> {
    return this.#topology.levels.map(({ links }) => this.#some(links))
  }

  #some(count: number): Array<number> {
    return [...Array(count).keys()].filter(() => this.#below(5) === 0)
  }
}

describe.skipIf(!hasPython)('the state that a program folds from the messages', () => {
  const machines = ['radix:4', 'pgft:3;4,3,3;1,2,2;1,1,1', 'pgft:2;40,3;1,40;1,1']
  it.each(machines.flatMap((machine) => [false, true].map((isCapped) => [machine, isCapped] as const)))(
    'equals the state of the scheduler in random histories: %s, capped links: %s',
    (machine, isCapped) => {
      const topology = parseTopology(machine)
      for (let seed = 1; seed <= 4; seed++) {
        const { placer } = bindPolicy(mirror().policy, topology, { capped: isCapped })
        const history = new History(topology, seed, isCapped ? 1000 : 0)
        for (let step = 0; step < 40; step++) {
          history.step()
          const state = history.imagined()
          expect(seenBy(placer, state, topology)).toEqual(seenIn(state, topology, isCapped))
          if (state !== history.state) state.drop()
        }
      }
    },
  )

  it('placers that a program has forgotten are made again', () => {
    const topology = parseTopology('radix:4')
    const placers = Array.from({ length: 60 }, () => bindPolicy(mirror().policy, topology).placer)
    const history = new History(topology, 7, 0)
    for (let step = 0; step < 120; step++) {
      history.step()
      expect(seenBy(placers[(step * 7) % 60], history.state, topology)).toEqual(seenIn(history.state, topology, false))
    }
  })
})
