import { type Header, LogState, RunTable } from '@cloister/eventlog'
import { switchOfLink, type Topology } from '@cloister/topology'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { binOf, shareBins } from '../src/page/tracks/share-bins.ts'
import { LINK_SHARE, LinkUse } from '../src/run/link-use.ts'
import type { LinkGroup, LinkUseAnswer } from '../src/run/questions.ts'
import { type RunLog, runs, viewed } from './runs.ts'

/**
 * Returns the link-seconds for which jobs own links of a group between two times, counted in the state after every
 * record.
 */
function owned({ records }: RunLog, { level, pod }: LinkGroup, from: number, to: number): number {
  const state = new LogState(records[0] as Header)
  const { topology } = state
  let [sum, before] = [0, 0]
  for (const record of records.slice(1)) {
    const t = 't' in record ? record.t : before
    const time = Math.min(to, t) - Math.max(from, before)
    if (time > 0)
      for (const { links } of state.running.values())
        for (const link of links[level] ?? []) if (podOf(topology, level, link) === pod) sum += time
    state.apply(record)
    before = t
  }
  return sum
}

function podOf(topology: Topology, level: number, link: number): number {
  const sw = switchOfLink(topology, level, link)
  const firsts = level === 0 ? topology.firstLeafOfPod : topology.firstL2OfPod
  return firsts.findLastIndex((first) => first <= sw)
}

it('the answer `linkUse` has the owned share of the links of each pod in each column', () => {
  const part = fc.record({
    from: fc.nat(30),
    length: fc.integer({ min: 1, max: 40 }),
    points: fc.integer({ min: 1, max: 5 }),
  })
  fc.assert(
    fc.property(runs, part, (log, { from, length, points }) => {
      const asked = viewed(log).answer('linkUse', { from, to: from + length, points })
      const { groups } = asked.json as LinkUseAnswer
      const { shares } = asked.arrays
      if ((log.records[0] as Header).policy.claims.links !== 'owned') {
        expect(groups).toEqual([])
        return
      }
      for (const [row, group] of groups.entries())
        for (let point = 0; point < points; point++) {
          const [start, end] = [point, point + 1].map((at) => from + (at / points) * length)
          const expected = owned(log, group, start, end) / (end - start) / group.links
          expect(shares[row * points + point] / LINK_SHARE).toBeCloseTo(expected, 3)
        }
    }),
    { numRuns: 30 },
  )
})

it('`LinkUse` returns the used share of the bandwidth of shared links', () => {
  const topology = { name: 'radix:4', pgft: { m: [2, 2, 4], w: [1, 2, 2], p: [1, 1, 1] } }
  const use = new LinkUse({
    topology,
    policy: { claims: { links: 'capped' }, link_capacity: 100 },
  } as unknown as Header)
  const allocate = { type: 'allocate', t: 10, nodes: '0,2', links: ['0,2', ''], bandwidth: 50 }
  use.add({ ...allocate, job: 'a', seq: 2 } as never)
  use.add({ ...allocate, job: 'b', t: 30, seq: 4 } as never)
  const { allocations: stays } = new RunTable({ allocations: true })
  stays.start(0, Int32Array.of(0, 2), false, 10_000)
  stays.start(1, Int32Array.of(0, 2), false, 30_000)
  stays.release(0, 20_000)
  const [first] = use.groups
  expect(first).toEqual({ level: 0, pod: 0, links: 4 })
  // Two of the four links of pod 0 are used by half, in columns of 10 s: by job a from 10 s to 20 s, and by job b from
  // 30 s to the present time, 35 s.
  expect([...use.means(stays, { from: 0, to: 40, points: 4 }, 35).subarray(0, 4)]).toEqual([0, 2500, 0, 1250])
  expect([...use.means(stays, { from: 15, to: 35, points: 1 }, 35)].slice(0, 1)).toEqual([1250])
})

it('`binOf` puts used shares of links into bins that halve towards 0 % and towards 100 %', () => {
  const shares = [0, 1, 625, 626, 1250, 2500, 5000, 5001, 7500, 7501, 8750, 9375, 9376, 9999, 10_000, 20_000]
  expect(shares.map((share) => shareBins[binOf(share)]).join()).toBe(
    'none,≤ 6 %,≤ 6 %,≤ 12.5 %,≤ 12.5 %,≤ 25 %,≤ 50 %,≤ 75 %,≤ 75 %,≤ 87.5 %,≤ 87.5 %,≤ 94 %,< 100 %,< 100 %,all,all',
  )
})
