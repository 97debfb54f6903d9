import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auditLog } from '@cloister/audit'
import { sha256 } from '@cloister/eventlog/node'
import { DirectedLinks, dModK, routedPaths } from '@cloister/network'
import { parseTopology, seededDraws } from '@cloister/topology'
import { Effect } from 'effect'
import { afterAll, describe, expect, it, test } from 'vitest'
import type { Records, Traces } from '../src/index.ts'
import { interferenceReport } from '../src/interference/report.ts'
import { type Extent, snapshotTimes, studyWorkload, wholeStudy } from '../src/interference/study.ts'
import {
  nodesOfRun,
  obliviousJobs,
  type ObliviousPlacement,
  obliviousPlacements,
} from '../src/interference/placements.ts'
import { messagesOf } from '../src/interference/workload.ts'
import * as paper from '../src/pollard/paper.ts'
import { tracesIn } from '../src/node/traces.ts'
import { inProcess } from './in-process.ts'

const topology = parseTopology('radix:8')
const study: paper.InterferenceStudy = {
  ...paper.interference[1],
  topology: 'radix:8',
  sizes: [4, 8, 12, 24],
  measured: 100,
}
const extent: Extent = { ...wholeStudy, workloads: 3, step: 2 }

const folders = mkdtempSync(join(tmpdir(), 'cloister-interference-'))
afterAll(() => rmSync(folders, { recursive: true }))

/** Runs a part of a study with lists of jobs in a new folder. */
function within<A, E>(part: Effect.Effect<A, E, Records | Traces>) {
  const folder = mkdtempSync(join(folders, 'study-'))
  return inProcess(
    part,
    tracesIn(undefined, folder, () => Effect.void),
    folder,
  )
}

describe('interference on a small machine', async () => {
  const { result: studied } = await within(
    Effect.forEach([0, 1, 2], (workload) => studyWorkload(study, workload, extent)),
  )
  const meanOf = (model: string, placement: string, routing: string): number => {
    const values = studied
      .flatMap(({ speedups }) => speedups)
      .filter((each) => each.model === model && each.placement === placement && each.routing === routing)
      .map(({ value }) => value)
    return values.reduce((sum, value) => sum + value, 0) / values.length
  }

  test('under the policy TA no job has a longer iteration beside other jobs than alone', () =>
    expect(studied.map(({ isUndisturbed }) => isUndisturbed)).toEqual([true, true, true]))

  test.each(paper.models)(
    'under the model %s jobs on random nodes are slower than under TA with static routes, but not with spread messages',
    (model) => {
      expect(meanOf(model, 'random', 'D-mod-k')).toBeGreaterThan(1.05)
      expect(meanOf(model, 'random', 'random up-ports')).toBeGreaterThan(1.05)
      // The network has full bisection: if messages spread over links, no link between switches has more load than
      // nodes can send.
      expect(meanOf(model, 'random', 'spread')).toBeCloseTo(1, 6)
    },
  )

  test('studyWorkload returns the same speed-ups for the same seed', async () =>
    expect((await within(studyWorkload(study, 0, extent))).result).toEqual(studied[0]))

  test('jobs that communicate 30 % of their time gain less than half as much by isolation as jobs that always communicate', async () => {
    const computing = { ...study, communicationShare: 0.3 }
    const most = async (of: paper.InterferenceStudy) => {
      const { result } = await within(studyWorkload(of, 1, { ...extent, models: ['fluid'], routings: ['D-mod-k'] }))
      return result.speedups
        .filter(({ placement }) => placement === 'random')
        .reduce((found, { value }) => Math.max(found, value), 0)
    }
    expect(await most(computing)).toBeLessThan(1 + 0.5 * ((await most(study)) - 1))
  })
})

test('snapshotTimes gives a sender of more data a larger share of a link than a sender of less data', () => {
  // Both messages go by the same up-port: the short message has a third of the long message's bytes, and takes as long.
  const links = new DirectedLinks(topology, { node: 3, levels: [1] })
  const network = { path: routedPaths(topology, links, dModK(topology)), capacity: links.capacity }
  const message = (count: number) => [
    { from: Int32Array.of(0), to: Int32Array.of(1), size: Float64Array.of(count), weight: Float64Array.of(count) },
  ]
  expect(
    snapshotTimes(
      network,
      [message(1), message(3)],
      [
        [0, 4],
        [1, 8],
      ],
    ),
  ).toEqual([4, 4])
})

test('interferenceReport has the Pollard paper’s mean speed-ups beside ours under each oblivious placement', async () => {
  const heard: Array<string> = []
  const { result, runs } = await within(
    interferenceReport([study], { ...extent, models: ['fluid'], routings: ['D-mod-k'], workloads: 2 }, (what) =>
      Effect.sync(() => heard.push(what)),
    ),
  )
  const { tables, comparisons } = result
  const ofWorkload = ['ta', ...obliviousPlacements.map(() => 'baseline')]
  expect(runs.map(({ spec }) => spec.policy)).toEqual([...ofWorkload, ...ofWorkload])
  expect(heard).toEqual(['Cab, all sizes: 1 of 2 workloads', 'Cab, all sizes: 2 of 2 workloads'])
  expect(tables[0].heading).toEqual(['', 'pattern', 'paper', ...obliviousPlacements])
  expect(tables[0].rows.map(([, pattern, value]) => [pattern, value])).toEqual([
    ['stencil', '1.26'],
    ['mesh', '1.14'],
    ['pairs', '1.10'],
    ['all-to-all', '1.55'],
    ['all', '1.30'],
  ])
  expect(comparisons.find(({ what }) => what.startsWith('no job under TA'))?.ours).toBe(true)
})

test('the values of the Pollard paper’s interference studies are the 16 mean and three largest speed-ups of section V-B', () => {
  const values = paper.interference.flatMap(({ speedups }) => Object.values(speedups))
  expect(values.toSorted((a, b) => a - b)).toEqual(
    [1.58, 1.68, 1.06, 1.14, 1.36, 1.26, 1.14, 1.1, 1.55, 1.3, 1.32, 1.29, 1.08, 1.74, 1.35, 1.08].toSorted(
      (a, b) => a - b,
    ),
  )
  expect(paper.interference.flatMap(({ largest = {} }) => Object.values(largest))).toEqual([1.5, 1.4, 1.31])
})

/** Places jobs of the given sizes one after the other, as a naive model of the runs of oblivious placements. */
function placeObliviously(
  how: ObliviousPlacement,
  nodes: number,
  sizes: ReadonlyArray<number>,
  draw: (below: number) => number,
): ReadonlyArray<ReadonlyArray<number>> {
  const order = Array.from({ length: nodes }, (_, node) => node)
  if (how === 'aged first fit') {
    const free = new Set(order)
    const running: Array<ReadonlyArray<number>> = []
    const start = (size: number): ReadonlyArray<number> => {
      while (free.size < size) for (const node of running.splice(draw(running.length), 1).flat()) free.add(node)
      const found = order.filter((node) => free.has(node)).slice(0, size)
      for (const node of found) free.delete(node)
      return found
    }
    for (let event = 0; event < 500; event++) running.push(start(sizes[draw(sizes.length)]))
    return sizes.map(start)
  }
  const swap = (one: number, other: number): void => {
    ;[order[one], order[other]] = [order[other], order[one]]
  }
  if (how === 'clustered') for (let at = 0; at < 500; at++) swap(draw(nodes), draw(nodes))
  if (how === 'random') for (let at = 0; at < nodes; at++) swap(at, at + draw(nodes - at))
  return sizes.map((size) => order.splice(0, size).sort((a, b) => a - b))
}

describe.each(obliviousPlacements)('the run of the placement %s', (how) => {
  it('gives drawn jobs the nodes of a naive placement, and its log has no violation', async () => {
    const draw = seededDraws(7)
    for (let round = 0; round < 8; round++) {
      const sizes = Array.from({ length: 1 + draw(6) }, () => 1 + draw(21))
      const list = obliviousJobs(how, 128, sizes, seededDraws(round))
      const { result, runs } = await within(
        nodesOfRun('jobs', list, { topology: 'radix:8', policy: 'baseline', count: sizes.length }),
      )
      expect(result).toEqual(placeObliviously(how, 128, sizes, seededDraws(round)))
      expect(auditLog(runs[0].log, sha256, {}).ok).toBe(true)
    }
  })
})

describe('messages of a job', () => {
  test.each(paper.proxies)(
    'in the proxy application %s a node sends as many messages as it receives, and sends none to itself',
    (proxy) => {
      for (const { from, to, weight } of messagesOf(proxy, 12, 3, seededDraws(5))) {
        const balance = new Float64Array(12)
        for (let at = 0; at < from.length; at++) {
          expect(from[at]).not.toBe(to[at])
          balance[from[at]] += weight![at]
          balance[to[at]] -= weight![at]
        }
        expect([...balance]).toEqual(Array(12).fill(0))
      }
    },
  )

  const sent = (...job: Parameters<typeof messagesOf>) =>
    messagesOf(...job).map(({ size }) => [...(size as Float64Array)].reduce((sum, each) => sum + each, 0))

  test('a stencil on 16 nodes has 2 x 2 x 2 x 2 boxes of 2 x 2 ranks, and 24 of the 32 messages of a box leave the node', () => {
    const [total, ...more] = sent('stencil', 16, 3, seededDraws(1))
    expect(more).toEqual([])
    expect(total).toBeCloseTo(16 * 24 * 10.48576, 6)
  })

  test('ranks of all-to-all communicate in rows of 5, 10 and 8 ranks; in the last two dimensions a node has two ranks of a row', () => {
    // The job has 5 x 5 x 4 nodes with four ranks each.
    const phases = sent('all-to-all', 100, 3, seededDraws(1)).map((total) => total / 1.048576 / 400)
    expect(phases.map((each) => Number(each.toFixed(6)))).toEqual([4, 8, 6])
    expect(sent('all-to-all', 100, 2, seededDraws(1))).toHaveLength(2)
  })

  test('in the pattern pairs the four ranks of a node exchange messages with the node half a job further', () => {
    const [{ from, to, weight, size }] = messagesOf('pairs', 4, 3, seededDraws(1))
    expect(Array.from(from, (node, at) => [node, to[at], weight![at]])).toEqual([
      [0, 2, 4],
      [2, 0, 4],
      [1, 3, 4],
      [3, 1, 4],
    ])
    for (const each of size as Float64Array) expect(each).toBeCloseTo(40 * 1.048576, 9)
  })
})
