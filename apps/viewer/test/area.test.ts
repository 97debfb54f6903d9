import { type Header, LogState } from '@cloister/eventlog'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { AreaAnswer } from '../src/run/area.ts'
import { fittingBars, fittingSteps } from '../src/page/panels/fits.tsx'
import { coarseToFine } from '../src/page/state/asking.ts'
import { type RunLog, runs, viewed } from './runs.ts'

/** Counts the uses of the node-time of an area node by node and record by record, as a naive model of `areaOf`. */
function naive({ records }: RunLog, from: number, to: number, firstNode: number, endNode: number) {
  const found = { held: 0, down: 0, noJob: 0, tooFewNodes: 0, fragmented: 0 }
  const state = new LogState(records[0] as Header)
  // The header of a log has no time; the run begins at time 0.
  let t = 0
  for (const record of records.slice(1)) {
    const time = Math.min((record as { readonly t: number }).t, to) - Math.max(t, from)
    t = (record as { readonly t: number }).t
    if (time > 0) count(time)
    state.apply(record)
  }
  return found

  function count(time: number): void {
    const sizes = [...state.waiting.values()].map(({ size }) => size)
    const cause =
      sizes.length === 0 ? 'noJob' : Math.min(...sizes) > state.freeNodes.size ? 'tooFewNodes' : 'fragmented'
    for (let node = firstNode; node < endNode; node++) {
      if (state.nodeOwner(node) !== undefined) found.held += time
      else found[state.downNodes.has(node) ? 'down' : cause] += time
    }
  }
}

it('`area` adds up the node-time of an area by cause, job, size and user, equal to a count node by node', () => {
  fc.assert(
    fc.property(
      runs,
      fc.nat(12),
      fc.integer({ min: 1, max: 30 }),
      fc.nat(15),
      fc.nat(15),
      (log, from, length, a, b) => {
        const [firstNode, endNode] = [Math.min(a, b), Math.max(a, b) + 1]
        const last = (log.records.at(-1) as { readonly t: number }).t
        const run = viewed(log)
        const answer = run.answer('area', { from, to: from + length, firstNode, endNode }).json as AreaAnswer
        const to = Math.min(from + length, last)
        const expected = naive(log, from, to, firstNode, endNode)
        const { busy, beyond, ...idle } = answer.causes
        expect(busy + beyond).toBeCloseTo(expected.held, 6)
        for (const cause of ['down', 'noJob', 'tooFewNodes', 'fragmented'] as const)
          expect(idle[cause], cause).toBeCloseTo(expected[cause], 6)
        expect(answer.total).toBeCloseTo(Math.max(0, to - from) * (endNode - firstNode), 6)
        const sum = (groups: ReadonlyArray<{ readonly held: number }>): number =>
          groups.reduce((all, { held }) => all + held, 0)
        for (const groups of [answer.jobs, answer.bySize, answer.byUser])
          expect(sum(groups)).toBeCloseTo(expected.held, 6)
      },
    ),
    { numRuns: 30 },
  )
})

it('`fittingSteps` and `fittingBars` have every size once, and `coarseToFine` spreads the first moments widely', () => {
  const found = { sizes: [1, 2, 3, 4, 5, 6, 9], jobs: [8, 3, 2, 2, 1, 1, 0], hasEverySize: false }
  expect(fittingSteps(found)).toEqual([
    { from: 1, to: 1, jobs: 8 },
    { from: 2, to: 2, jobs: 3 },
    { from: 3, to: 4, jobs: 2 },
    { from: 5, to: 6, jobs: 1 },
    { from: 9, to: 9, jobs: 0 },
  ])
  expect(fittingBars(found, 10)).toEqual([
    { from: 1, to: 1, share: 0.8 },
    { from: 2, to: 3, share: 0.6 },
    { from: 4, to: 6, share: 0.5 },
    { from: 8, to: 9, share: 0 },
  ])
  expect([...coarseToFine(16)].sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, at) => at))
  expect(coarseToFine(16).slice(0, 4)).toEqual([0, 8, 4, 12])
})
