import { parseTopology } from '@cloister/topology'
import { afterEach, expect, it } from 'vitest'
import { differenceOf, paintDifferences } from '../src/page/gantt/differences.ts'
import { frameOf } from '../src/page/gantt/gantt-drawing.ts'
import { fabricSizes, shownFabrics, shownOf } from '../src/page/fabric/shown-fabrics.ts'
import { RunClient } from '../src/page/state/run-client.ts'
import { runs } from '../src/page/state/session.ts'
import { differences, pod } from '../src/page/state/view-state.ts'
import type { Answerer, Side } from '../src/run/questions.ts'

afterEach(() => {
  runs.value = []
  differences.value = false
  pod.value = undefined
})

/** Shows runs, with panes of fabrics of the given widths, and differences between the runs. */
function show(
  ...given: ReadonlyArray<{ readonly topology: string; readonly links: string; readonly width: number }>
): ReadonlyArray<RunClient> {
  const shown = given.map(({ topology, links }, at) => {
    const run = new RunClient((['a', 'b'] as const)[at] satisfies Side, {} as Answerer)
    run.topology = parseTopology(topology)
    run.overview.value = { header: { policy: { claims: { links } } }, generation: 0, lastTime: 100 } as never
    return run
  })
  runs.value = shown
  differences.value = true
  fabricSizes.value = new Map(shown.map((run, at) => [run, { width: given[at].width, height: 340 }]))
  return shown
}

it('the fabrics of two runs have the same squares if one policy allocates links, and if one pane is smaller', () => {
  const shown = show(
    { topology: 'radix:18', links: 'shared', width: 700 },
    { topology: 'radix:18', links: 'owned', width: 600 },
  )
  expect(shownFabrics.value).toEqual(shown)
  const [a, b] = shown.map(shownOf)
  expect(a.parts).toBeDefined()
  expect(a.parts).toEqual(b.parts)
  expect(a.parts!.width).toBeLessThanOrEqual(600)
  pod.value = 3
  expect(shownOf(shown[0])).toEqual(shownOf(shown[1]))
})

it('both fabrics show pods as a whole if the nodes and links of one run are too small to draw', () => {
  const [a, b] = show(
    { topology: 'radix:18', links: 'shared', width: 280 },
    { topology: 'radix:18', links: 'owned', width: 280 },
  ).map(shownOf)
  expect([a.parts, b.parts]).toEqual([undefined, undefined])
})

it('the squares and the rows of a smaller machine are as large as those of a larger machine beside it', () => {
  const shown = show(
    { topology: 'radix:6', links: 'owned', width: 700 },
    { topology: 'radix:12', links: 'owned', width: 700 },
  )
  const [a, b] = shown.map(shownOf)
  expect([a.parts!.across, a.parts!.down]).toEqual([b.parts!.across, b.parts!.down])
  const perNode = shown.map((run) => {
    const { height, firstNode, endNode } = frameOf(run, { width: 500, height: 200 })!
    return height / (endNode - firstNode)
  })
  expect(perNode[0]).toBeCloseTo(perNode[1], 9)
})

it('`paintDifferences` tells nodes that the same job, another job or no job holds in the other run', () => {
  const ids = ['1', '2', '3']
  const withSpans = (
    run: RunClient,
    ...jobs: ReadonlyArray<readonly [job: string, start: number, node: number]>
  ): void =>
    run.grow(
      {
        ids,
        submits: new Float64Array(3),
        sizes: new Int32Array(3).fill(1),
        spanJobs: Int32Array.from(jobs, ([job]) => ids.indexOf(job)),
        starts: Float64Array.from(jobs, ([, start]) => start),
        ends: Float64Array.from(jobs, ([, start]) => start + 50),
        flags: new Uint8Array(jobs.length),
        rangeCounts: new Int32Array(jobs.length).fill(1),
        ranges: Int32Array.from(jobs.flatMap(([, , node]) => [node, node])),
        settled: jobs.length,
      },
      0,
    )
  const [a, b] = show(
    { topology: 'radix:4', links: 'shared', width: 0 },
    { topology: 'radix:4', links: 'shared', width: 0 },
  )
  withSpans(a, ['1', 0, 0], ['2', 0, 1], ['3', 50, 0])
  withSpans(b, ['1', 0, 0], ['3', 0, 1])
  const fine = { from: 0, to: 100, firstNode: 0, endNode: 2, width: 2, height: 2 }
  const pixels = new Uint32Array(4)
  paintDifferences(a, b, { fine, scale: 1, isHeat: false }, pixels, [11, 12, 13])
  expect([...pixels]).toEqual([11, 13, 12, 0])
  expect(['7', '8', undefined].map((theirs) => differenceOf('7', theirs))).toEqual(['same', 'other', 'only'])
})
