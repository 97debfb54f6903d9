import { parseTopology, switchGraph, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { Allocation } from '../src/allocations.ts'
import type { IndexHooks } from '../src/contract.ts'
import type { StateView } from '../src/view.ts'
import { ClusterState } from '../src/state.ts'
import { NaiveState, range } from './naive-state.ts'

/** Trees of every kind, a graph with uneven switches, and switches of more than 32 nodes or ports. */
const topologies: ReadonlyArray<Topology> = [
  ...[
    'radix:4',
    'radix:6',
    'radix:8',
    'kary:2:4',
    'pgft:1;33;1;1',
    'pgft:3;4,3,3;1,2,2;1,2,2',
    'pgft:3;4,3,3;1,2,2;1,1,1',
    'pgft:2;32,2;1,32;1,1',
    'pgft:2;40,2;1,20;1,2',
    'pgft:3;2,2,2;1,2,70;1,1,1',
  ].map((spec) => parseTopology(spec)),
  switchGraph({
    name: 'graph',
    leaves: [3, 5, 2, 40, 1],
    parents: [
      [[0, 1], [0, 1], [2], [2, 2, 2], []],
      [[0], [0], [0, 1]],
    ],
  }),
]

/** Topologies by their names, so that the counterexamples of the test are readable. */
export const machines: fc.Arbitrary<{ readonly name: string; readonly linkCapacity: number }> = fc.record({
  name: fc.constantFrom(...topologies.map(({ name }) => name)),
  linkCapacity: fc.constantFrom(0, 1000),
})

export function topologyNamed(name: string): Topology {
  return topologies.find((topology) => topology.name === name)!
}

/** Ranges of ids. Ranges often cover whole switches, and a list of ranges still shrinks. */
type Runs = ReadonlyArray<{ readonly from: number; readonly length: number }>
interface Wish {
  readonly nodes: Runs
  readonly links: ReadonlyArray<Runs>
}

/** A step of a random history. `on` chooses a state; `pick` chooses a job, a number of jobs or a leaf. */
export type Command =
  | {
      readonly kind: 'apply' | 'occupy'
      readonly on: number
      readonly wish: Wish
      readonly bandwidth: number
      readonly end: number
      readonly communicates: boolean
    }
  | {
      readonly kind: 'release' | 'releaseFirst' | 'willHaveEnded' | 'hasEnded' | 'askEnds'
      readonly on: number
      readonly pick: number
    }
  | { readonly kind: 'reestimate' | 'replace'; readonly on: number; readonly pick: number; readonly end: number }
  | { readonly kind: 'withhold'; readonly on: number; readonly wish: Wish; readonly bandwidth: number | undefined }
  | { readonly kind: 'fail' | 'restore'; readonly on: number; readonly wish: Wish }
  | { readonly kind: 'fork' | 'drop'; readonly on: number }

const runs = fc.array(
  fc.record({ from: fc.nat(9999), length: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 45 })) }),
  { maxLength: 3 },
)
/** Random ranges of nodes and links, free or not. */
export const wishes: fc.Arbitrary<Wish> = fc.record({ nodes: runs, links: fc.array(runs, { maxLength: 3 }) })
const on = fc.nat(5)
const pick = fc.nat(99)
const end = fc.nat(5)
const bandwidth = fc.integer({ min: 1, max: 700 })

export const commands: fc.Arbitrary<ReadonlyArray<Command>> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constantFrom('apply' as const, 'apply' as const, 'occupy' as const),
        on,
        wish: wishes,
        bandwidth,
        end,
        communicates: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constantFrom('release' as const, 'releaseFirst' as const), on, pick }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('willHaveEnded' as const, 'hasEnded' as const, 'askEnds' as const),
        on,
        pick,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constantFrom('reestimate' as const, 'replace' as const), on, pick, end }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('withhold' as const),
        on,
        wish: wishes,
        bandwidth: fc.option(bandwidth, { nil: undefined }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constantFrom('fail' as const, 'restore' as const), on, wish: wishes }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('fork' as const, 'drop' as const), on }) },
  ),
  { maxLength: 30 },
)

interface Pair {
  readonly real: ClusterState<Prints>
  readonly naive: NaiveState
}

/** A state, its forks, and the naive model of each. Every command applies to a state and to its model. */
export class CheckedStates {
  readonly topology: Topology
  readonly capped: boolean
  /** The origin, which is never dropped, followed by its forks. */
  readonly states: Array<Pair>
  #started = 0

  constructor({ name, linkCapacity }: { readonly name: string; readonly linkCapacity: number }) {
    const topology = topologyNamed(name)
    this.topology = topology
    this.capped = linkCapacity > 0
    const real = new ClusterState(topology, { index: printHooks(topology), linkCapacity })
    this.states = [{ real, naive: new NaiveState(topology, linkCapacity) }]
  }

  /** Makes a machine and applies a history of commands. */
  static after(
    machine: { readonly name: string; readonly linkCapacity: number },
    history: ReadonlyArray<Command>,
  ): CheckedStates {
    const made = new CheckedStates(machine)
    for (const command of history) made.run(command)
    return made
  }

  run(command: Command): void {
    const at = command.on % this.states.length
    const { real, naive } = this.states[at]
    switch (command.kind) {
      case 'apply': {
        const allocation = this.allocation(naive, command, true)
        real.apply(allocation)
        naive.apply(allocation)
        break
      }
      case 'occupy': {
        if (at === 0) return
        const allocation = this.allocation(naive, command, false)
        real.occupy(allocation)
        naive.apply(allocation)
        break
      }
      case 'release': {
        const allocation = naive.running[command.pick % naive.running.length]
        if (allocation === undefined) return
        real.release(allocation)
        naive.release(allocation)
        break
      }
      case 'releaseFirst': {
        if (at === 0) return
        const count = command.pick % (naive.running.length + 1)
        real.releaseFirst(count)
        naive.releaseFirst(count)
        break
      }
      case 'willHaveEnded': {
        // In an expected state, the job that holds the nodes now has ended, so the job is released first.
        const allocation = naive.running[command.pick % naive.running.length]
        if (at === 0 || allocation === undefined) return
        real.release(allocation)
        naive.release(allocation)
        if (naive.ahead.length > 0) return
        real.willHaveEnded(allocation)
        naive.willHaveEnded(allocation)
        break
      }
      case 'hasEnded': {
        const allocation = naive.ahead[command.pick % naive.ahead.length]
        if (allocation === undefined) return
        real.hasEnded(allocation)
        naive.hasEnded(allocation)
        break
      }
      case 'askEnds': {
        const leaf = command.pick % this.topology.leaves
        expect(real.lastEndOnLeaf(leaf)).toBe(naive.lastEndOnLeaf(leaf))
        break
      }
      case 'reestimate':
      case 'replace': {
        const allocation = naive.running[command.pick % naive.running.length]
        if (allocation === undefined) return
        const changed =
          command.kind === 'reestimate'
            ? real.reestimate(allocation, command.end)
            : { ...allocation, estimatedEnd: command.end }
        if (command.kind === 'replace') real.replace(allocation, changed)
        naive.replace(allocation, changed)
        break
      }
      case 'withhold': {
        if (at === 0) return
        const resources = this.resources(command.wish)
        const held = this.capped ? command.bandwidth : undefined
        real.withhold(resources, held)
        naive.withhold(resources, held)
        break
      }
      case 'fail':
      case 'restore': {
        const resources = this.resources(command.wish)
        real[command.kind](resources)
        naive[command.kind](resources)
        break
      }
      case 'fork':
        if (this.states.length < 5) this.states.push({ real: real.fork(), naive: naive.copy() })
        break
      case 'drop':
        if (at === 0) return
        real.drop()
        this.states.splice(at, 1)
    }
  }

  /** Returns the wanted nodes and links that a job can get: free or, for `occupy`, without a job. */
  allocation(
    naive: NaiveState,
    { wish, bandwidth: wanted, end: estimatedEnd, communicates }: Extract<Command, { bandwidth: number; end: number }>,
    free: boolean,
  ): Allocation {
    const { nodes, links } = this.resources(wish)
    const startOrder = this.#started++
    const canHold = (level: number, link: number): boolean => {
      if (this.capped) return !free || naive.capacityLeft(level, link) >= wanted
      return free ? naive.isLinkFree(level, link) : !naive.held.has(`${level}-link ${link}`)
    }
    return {
      job: `job ${startOrder}`,
      estimatedEnd,
      startOrder,
      communicates,
      nodes: nodes.filter((node) => (free ? naive.isNodeFree(node) : !naive.held.has(`node ${node}`))),
      links: links.map((ids, level) => ids.filter((link) => canHold(level, link))),
      ...(this.capped ? { bandwidth: wanted } : {}),
    }
  }

  resources(wish: Wish): { nodes: Array<number>; links: Array<Array<number>> } {
    const { levels, nodes } = this.topology
    return {
      nodes: idsOf(wish.nodes, nodes),
      links: wish.links.slice(0, levels.length).map((ids, level) => idsOf(ids, levels[level].links)),
    }
  }

  /** Compares all answers of every state and fork with the answers of its model. */
  compare(): void {
    for (const { real, naive } of this.states) {
      const actual = everything(this.topology, real)
      const expected = everything(this.topology, naive)
      if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected)
      const rebuilt = printHooks(this.topology).build(real)
      if (!isDeepStrictEqual(real.index, rebuilt)) expect(real.index).toEqual(rebuilt)
    }
  }
}

function idsOf(wished: Runs, count: number): Array<number> {
  if (count === 0) return []
  const ids = wished.flatMap(({ from, length }) => range(from % count, Math.min(count, (from % count) + length)))
  return [...new Set(ids)].sort((a, b) => a - b)
}

/** Returns the answers of all methods of `StateView`, and of further methods of the class. */
export function everything(
  topology: Topology,
  state: StateView & { isLinkFree(level: number, link: number): boolean },
): Record<string, unknown> {
  const { firstNodeOfLeaf, leaves, levels, nodes, pods } = topology
  return {
    freeNodes: state.freeNodes,
    freeNodesOnLeaf: range(0, leaves).map((leaf) => state.freeNodesOnLeaf(leaf)),
    freeNodesInPod: range(0, pods).map((pod) => state.freeNodesInPod(pod)),
    wholeLeavesInPod: range(0, pods).map((pod) => state.wholeLeavesInPod(pod)),
    busyNodesOnLeaf: range(0, leaves).map((leaf) => state.busyNodesOnLeaf(leaf)),
    communicatingNodesOnLeaf: range(0, leaves).map((leaf) => state.communicatingNodesOnLeaf(leaf)),
    lastEndOnLeaf: range(0, leaves).map((leaf) => state.lastEndOnLeaf(leaf)),
    endOfLink: levels.map(({ links }, level) => range(0, links).map((link) => state.endOfLink(level, link))),
    freeNodesAtDecision: range(0, leaves).map((leaf) => state.freeNodesAtDecision(leaf)),
    isNodeFree: range(0, nodes).map((node) => state.isNodeFree(node)),
    freeNodeIds: range(0, leaves).map((leaf) => {
      const out = new Int32Array(firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf] + 2)
      const count = state.freeNodeIds(leaf, out, 2)
      return [count, ...out]
    }),
    nodeMask: range(0, leaves).map((leaf) => words(firstNodeOfLeaf).map((word) => state.nodeMask(leaf, word))),
    portMask: levels.map(({ firstPort, switches }, level) =>
      range(0, switches).map((sw) => words(firstPort).map((word) => state.portMask(level, sw, word))),
    ),
    isLinkFree: levels.map(({ links }, level) => range(0, links).map((link) => state.isLinkFree(level, link))),
    capacityLeft: levels.map(({ links }, level) => range(0, links).map((link) => state.capacityLeft(level, link))),
    running: state.running.map(({ job, estimatedEnd }) => `${job} ${estimatedEnd}`),
  }
}

/** Returns the word indices of the masks of a level: as many as the largest switch needs. */
function words(first: Int32Array): Array<number> {
  const most = Math.max(...range(0, first.length - 1).map((sw) => first[sw + 1] - first[sw]))
  return range(0, Math.max(1, Math.ceil(most / 32)))
}

/**
 * An index of the free resources of each leaf and L2 switch. The index is right only if `changed` gets every change.
 */
export interface Prints {
  readonly leaves: Array<string>
  readonly l2: Array<string>
}

export function printHooks(topology: Topology): IndexHooks<Prints> {
  const { firstNodeOfLeaf, leaves, levels } = topology
  const bits = (count: number, isSet: (at: number) => boolean): string =>
    range(0, count)
      .map((at) => (isSet(at) ? '+' : '-'))
      .join('')
  const ports = (state: StateView, level: number, sw: number): string => {
    const { firstPort } = levels[level]
    const free = bits(
      firstPort[sw + 1] - firstPort[sw],
      (port) => ((state.portMask(level, sw, port >>> 5) >>> (port & 31)) & 1) === 1,
    )
    return `${free} ${range(firstPort[sw], firstPort[sw + 1])
      .map((link) => state.capacityLeft(level, link))
      .join()}`
  }
  const ofLeaf = (state: StateView, leaf: number): string => {
    const first = firstNodeOfLeaf[leaf]
    return `${bits(firstNodeOfLeaf[leaf + 1] - first, (node) => state.isNodeFree(first + node))} ${ports(state, 0, leaf)}`
  }
  return {
    build: (state) => ({
      leaves: range(0, leaves).map((leaf) => ofLeaf(state, leaf)),
      l2: range(0, levels[1]?.switches ?? 0).map((sw) => ports(state, 1, sw)),
    }),
    copy(from, into) {
      from.leaves.forEach((print, leaf) => {
        into.leaves[leaf] = print
      })
      from.l2.forEach((print, sw) => {
        into.l2[sw] = print
      })
    },
    changed(index, state, changedLeaves, upper) {
      expectAscending(changedLeaves)
      expectAscending(upper)
      for (const leaf of Array.from(changedLeaves)) index.leaves[leaf] = ofLeaf(state, leaf)
      for (const sw of Array.from(upper)) index.l2[sw] = ports(state, 1, sw)
    },
  }
}

function expectAscending(ids: ArrayLike<number>): void {
  for (let i = 1; i < ids.length; i++) expect(ids[i]).toBeGreaterThan(ids[i - 1])
}
