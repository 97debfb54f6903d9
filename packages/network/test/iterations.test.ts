import { parseTopology } from '@cloister/topology'
import {
  DirectedLinks,
  dModK,
  FlowPathsBuilder,
  type IteratingJob,
  iterationTimes,
  maxMinRates,
  MaxMinSharing,
  type Messages,
  routedPaths,
  sharingComponents,
} from '../src/index.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const topology = parseTopology('radix:8')
const links = new DirectedLinks(topology, { node: 8, levels: [4] })
const network = { path: routedPaths(topology, links, dModK(topology)), capacity: links.capacity }
const STEP = 0.01

const messages = (...all: ReadonlyArray<readonly [from: number, to: number, size: number]>): Messages => ({
  from: all.map(([from]) => from),
  to: all.map(([, to]) => to),
  size: all.map(([, , size]) => size),
})
const job = (nodes: ReadonlyArray<number>, ...phases: ReadonlyArray<Messages>): IteratingJob => ({
  nodes,
  phases,
  iterations: 3,
})
const times = (...jobs: ReadonlyArray<IteratingJob>) => [...iterationTimes(network, jobs, STEP)]
/**
 * Expects that times are at most eight steps above the expected times, because members continue only at the end of a
 * step.
 */
const expectTimes = (found: ReadonlyArray<number>, expected: ReadonlyArray<number>): void =>
  found.forEach((time, at) => {
    expect(time).toBeGreaterThanOrEqual(expected[at])
    expect(time).toBeLessThanOrEqual(expected[at] + 8 * STEP)
  })

describe('iterationTimes agrees with closed forms:', () => {
  test('a message takes its size over its rate, phases follow each other, and messages of a phase are parallel', () => {
    expectTimes(times(job([0, 16], messages([0, 1, 40]))), [10])
    expectTimes(times(job([0, 16], messages([0, 1, 40]), messages([1, 0, 20]))), [15])
    expectTimes(times(job([0, 16], messages([0, 1, 40], [1, 0, 20]))), [10])
    // A message between nodes of one leaf uses only the two node links.
    expectTimes(times(job([0, 1], messages([0, 1, 40]))), [5])
  })

  test('two jobs that always send take twice as long on a shared link; a job that sends a third of the time slows them less', () => {
    // The D-mod-k routes to nodes 16 and 20 use the same up-port of the first leaf.
    const one = job([0, 16], messages([0, 1, 40]))
    expectTimes(times(one, job([1, 20], messages([0, 1, 40]))), [20, 20])
    const [slowed] = times(one, { ...job([1, 20], messages([0, 1, 20])), computing: 10 })
    expect(slowed).toBeGreaterThan(10.1)
    expect(slowed).toBeLessThan(16)
  })

  test('the iteration time of a job is the sum of the times of its messages and its computing', () =>
    expectTimes(times({ ...job([0, 16], messages([0, 1, 40])), computing: 7 }), [17]))

  test('a member waits only for its own messages: a ring runs at the pace of its slowest member, and a separate ring does not', () => {
    const apart = job([0, 16, 1, 2], messages([0, 1, 40], [2, 3, 4]))
    // The members of the fast ring finish iterations faster. The iteration time of the job is the mean over all four
    // members.
    expectTimes(times(apart), [(10 + 10 + 0.5 + 0.5) / 4])
    // If a fast member also exchanges messages with a slow member, the fast member waits for the slow member.
    const [tied] = times(job([0, 16, 1, 2], messages([0, 1, 40], [2, 3, 4], [1, 2, 1])))
    expect(tied).toBeGreaterThan(8)
    expect(tied).toBeLessThan(10.1)
  })

  test('the iteration time is 0 for a job without messages, and the mean omits members without messages', () => {
    expect(times(job([0, 1]))).toEqual([0])
    expect(times(job([], messages()))).toEqual([0])
    expectTimes(times(job([0, 16, 3], messages([0, 1, 40]))), [10])
  })
})

const anyJob = (leaf: number) =>
  fc
    .array(fc.tuple(fc.nat(3), fc.nat(3), fc.integer({ min: 1, max: 30 })), { minLength: 1, maxLength: 12 })
    .map((all) =>
      job(
        [0, 1, 2, 3].map((node) => 4 * leaf + node),
        messages(...all),
        messages(...all.toReversed().slice(1)),
      ),
    )

test('iterationTimes of jobs that share no link do not influence each other, to the last bit', () => {
  fc.assert(
    fc.property(anyJob(0), anyJob(1), anyJob(2), (...jobs) => {
      expect(times(...jobs)).toEqual(jobs.flatMap((each) => times(each)))
    }),
    { numRuns: 30 },
  )
})

test('MaxMinSharing gives flows that begin and end the rates of maxMinRates for the active flows', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uniqueArray(fc.nat(6), { minLength: 1 }), { minLength: 2, maxLength: 12 }),
      fc.array(fc.nat(11), { maxLength: 30 }),
      (flows, toggled) => {
        const builder = new FlowPathsBuilder()
        for (const own of flows) builder.add((_, __, visit) => own.forEach(visit), 0, 1)
        const capacity = Float64Array.of(1, 2, 3, 4, 5, 6, 7)
        const sharing = new MaxMinSharing(builder.build(), capacity)
        const present = new Set<number>()
        for (const at of toggled) {
          const flow = at % flows.length
          if (present.delete(flow)) sharing.remove(flow)
          else {
            present.add(flow)
            sharing.add(flow)
          }
          sharing.share()
          const now = [...present]
          const fresh = new FlowPathsBuilder()
          for (const each of now) fresh.add((_, __, visit) => flows[each].forEach(visit), 0, 1)
          const expected = maxMinRates(fresh.build(), capacity)
          now.forEach((each, k) => expect(sharing.rates[each]).toBeCloseTo(expected[k], 9))
        }
      },
    ),
  )
})

test('sharingComponents puts groups that share links, directly or through a chain of groups, into one component', () => {
  const builder = new FlowPathsBuilder()
  const groups = [0, 1, 2, 3, 3]
  for (const own of [[5], [1, 2], [2, 3], [7, 5], [9]]) builder.add((_, __, visit) => own.forEach(visit), 0, 1)
  expect(sharingComponents(builder.build(), groups, 5)).toEqual([[0, 3], [1, 2], [4]])
})
