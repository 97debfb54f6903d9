import { communicationCost, type Pattern as Steps } from '@cloister/communication'
import { countingRecorder } from '@cloister/eventlog'
import { type RunTimes, simulate } from '@cloister/kernel'
import { bindPolicy, ClusterState, type Placer } from '@cloister/placement'
import { ask } from '@cloister/placement/checks'
import balanced from '@cloister/policy-balanced'
import greedy from '@cloister/policy-greedy'
import slurmTree from '@cloister/policy-slurm-tree'
import { parseTopology } from '@cloister/topology'
import { type Job, makeWorkload } from '@cloister/workload'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runUnreserved } from '../src/experiment/own-queues.ts'
import * as paper from '../src/mishra/paper.ts'
import { placersOf } from '../src/mishra/placers.ts'
import { MishraRuns } from '../src/mishra/runs.ts'
import { stepCost } from '../src/mishra/step-costs.ts'
import { make } from './in-process.ts'

const machine = 'pgft:2;5,6;1,2;1,1'
const topology = parseTopology(machine)

/** Returns a pattern's steps, pair by pair, word for word as in the Mishra paper. */
function literal(pattern: paper.Pattern, { steps, pairs }: Pick<paper.Reading, 'steps' | 'pairs'>): Steps {
  const talks = (rank: number, distance: number): boolean => {
    if (pattern === 'RHVD' || (pattern === 'RD' && pairs === 'text')) return Math.floor(rank / distance) % 2 === 0
    return pattern === 'Binomial' && pairs === 'code' ? rank < distance : rank % (2 * distance) === 0
  }
  return {
    name: pattern,
    forEachPair(ranks, pair, endOfStep) {
      const distances = [1, 2, 4, 8, 16, 32].filter((distance) => distance < ranks)
      for (const distance of distances) {
        for (let rank = 0; rank + distance < ranks; rank++) if (talks(rank, distance)) pair(rank, rank + distance, 1)
        endOfStep(pattern === 'RHVD' && steps === 'weighted' ? distances.at(-1)! / distance : 1)
      }
    },
  }
}

const pattern = fc.constantFrom<paper.Pattern>('RHVD', 'RD', 'Binomial')
const open = fc.record({
  steps: fc.constantFrom('weighted' as const, 'equal' as const),
  pairs: fc.constantFrom('code' as const, 'text' as const),
})
const someNodes = fc.uniqueArray(fc.nat(topology.nodes - 1), { minLength: 1 })

it('stepCost, which works leaf by leaf, returns the cost that communicationCost computes pair by pair', () => {
  fc.assert(
    fc.property(
      pattern,
      open,
      someNodes,
      fc.array(fc.nat(5), { minLength: 6, maxLength: 6 }),
      (name, reading, ranks, busy) => {
        const others = (leaf: number): number => busy[leaf]
        const expected = communicationCost(topology, others, ranks, literal(name, reading))
        expect(stepCost(topology, others, ranks, name, reading)).toBeCloseTo(expected, 9)
      },
    ),
  )
})

const ids: paper.Reading = { ...paper.readingOf(paper.logs[0]), topology: machine, ties: 'ids', ranks: 'ids' }

it('placersOf with `ties: ids` gives a job the same nodes as the policies slurm-tree, greedy and balanced', () => {
  const ours = placersOf(topology, ids, () => 0)
  const policies = { Default: slurmTree, Greedy: greedy, Balanced: balanced } as const
  fc.assert(
    fc.property(
      someNodes,
      fc.integer({ min: 1, max: 24 }),
      fc.boolean(),
      fc.boolean(),
      (taken, size, communicates, own) => {
        const state = new ClusterState(topology)
        const nodes = taken.slice(0, 20).toSorted((a, b) => a - b)
        state.apply({ job: 'before', nodes, links: [], communicates, estimatedEnd: 1, startOrder: 0 })
        const communication = own ? { communication: { pattern: paper.patterns.RD, share: 500 } } : {}
        for (const name of ['Default', 'Greedy', 'Balanced'] as const) {
          const policy: Placer = bindPolicy<any, any>(policies[name], topology).placer
          const [found, expected] = [ours[name], policy].map((placer) => ask(placer, state, size, communication))
          expect(found).toEqual(expected)
        }
      },
    ),
  )
})

it('placersOf with `ties: code` prefers, between equal leaves, a leaf with enough nodes, then fewer communicating nodes', () => {
  const { Greedy, Balanced } = placersOf(topology, { ...ids, ties: 'code', ranks: 'chosen leaves' }, () => 0)
  const state = new ClusterState(topology)
  const communication = { pattern: paper.patterns.RD, share: 500 }
  state.apply({ job: 'a', nodes: [0, 5, 10], links: [], communicates: false, estimatedEnd: 1, startOrder: 0 })
  state.apply({ job: 'b', nodes: [15, 20, 25, 26], links: [], communicates: true, estimatedEnd: 1, startOrder: 1 })
  // No leaf has six free nodes. Leaves 0 to 2 have the least ratio, leaf 5 has the fewest free nodes.
  expect(ask(Greedy, state, 6, { communication })).toMatchObject({ nodes: Int32Array.of(1, 2, 3, 4, 6, 7) })
  const placed = ask(Balanced, state, 6, { communication })
  expect(placed).toMatchObject({ nodes: Int32Array.of(1, 2, 3, 4, 6, 7), ranks: Int32Array.of(1, 2, 3, 4, 6, 7) })
})

const jobs = fc.array(fc.record({ submit: fc.nat(30), size: fc.integer({ min: 1, max: 32 }), runTime: fc.nat(20) }), {
  minLength: 1,
  maxLength: 40,
})

it('runUnreserved starts every job when the kernel’s EASY does, if all jobs outlive an estimate of a millisecond', () => {
  fc.assert(
    fc.property(jobs, fc.integer({ min: 1, max: 5 }), (given, window) => {
      const list = given
        .toSorted((a, b) => a.submit - b.submit)
        .map(({ submit, size, runTime }, at): Job => ({
          id: `${at}`,
          submit: 1000 * submit,
          size,
          runTime: 1000 * runTime,
          walltime: 1,
        }))
      const workload = makeWorkload(list, { name: 'random', filter: '' })
      const { placer } = bindPolicy(slurmTree, topology)
      const startsOf = (run: (runTimes: RunTimes) => void): ReadonlyArray<string> => {
        const starts: Array<string> = []
        run((_, { job, now }, { nodes }, time) => {
          starts.push(`${now} ${job} on ${nodes.length}`)
          return time
        })
        return starts.toSorted()
      }
      const kernels = startsOf((runTimes) =>
        simulate({
          topology,
          policyName: 'slurm-tree',
          placer,
          workload,
          queue: { order: 'submit', backfill: 'easy', window },
          estimates: 'requested',
          overrun: 'run-on',
          refusals: false,
          recorder: countingRecorder(),
          runTimes,
        }),
      )
      expect(startsOf((runTimes) => runUnreserved(topology, placer, workload, window, runTimes))).toEqual(kernels)
    }),
  )
})

describe('continuous runs', () => {
  const list = Array.from({ length: 60 }, (_, at): Job => ({
    id: `${at}`,
    submit: 1000 * at,
    size: 2 ** (at % 5),
    runTime: 40_000 + 1000 * ((at * 37) % 60),
    walltime: undefined,
    communication: { pattern: 'unknown', share: 300 + 100 * (at % 5) },
  }))
  const all = { ...ids, scale: 1, ties: 'code', ranks: 'chosen leaves' } as const

  it('MishraRuns.continuous has the log’s run times under Default, and run times adjusted by costs under Balanced', () => {
    const { Default, Balanced } = new MishraRuns(all, paper.alone('RHVD')).continuous(list, 90, 1)
    expect(Default.execution).toBeCloseTo(list.reduce((sum, { runTime }) => sum + runTime, 0) / 3_600_000, 9)
    expect([...Default.saved.values()].every((share) => share === 0)).toBe(true)
    const { Default: reserved } = new MishraRuns({ ...all, queue: 'EASY' }, paper.alone('RHVD')).continuous(list, 90, 1)
    expect([reserved.jobs, reserved.execution]).toEqual([list.length, expect.closeTo(Default.execution, 9)])
    expect([...Balanced.saved.values()].some((share) => share !== 0)).toBe(true)
    expect([...Balanced.saved.values()].every((share) => share < 0.5)).toBe(true)
  })

  it('MishraRuns.continuous has a different wait under each reading of the Mishra paper', () => {
    const changes: ReadonlyArray<Partial<paper.Reading>> = [
      {},
      { oldCost: 'same state' },
      { steps: 'equal' },
      { queue: 'EASY' },
      { share: 600 },
      { share: 'list' },
      { scale: 2 },
    ]
    const found = changes.map(
      (change) => new MishraRuns({ ...all, ...change }, paper.alone('RHVD')).continuous(list, 90, 1).Adaptive.wait,
    )
    expect(new Set(found).size).toBe(changes.length)
  })
})

it('mishra-fig1: an allgather takes twice as long beside an allgather on both switches, and no longer beside an allgather on one switch', async () => {
  const { reports } = await make('.', 'mishra-fig1')
  expect(reports[0].tables[0].rows.map(([, , time]) => time)).toEqual([
    '1.00',
    '1.00',
    ...Array.from({ length: 11 }, () => '2.00'),
    '1.00',
  ])
  expect(reports[0].comparisons.map(({ ours }) => ours)).toEqual([expect.closeTo(1), expect.closeTo(0.531, 3), true])
})
