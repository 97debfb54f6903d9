import type { Outcome } from '@cloister/placement'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Config } from '../src/index.ts'
import { algorithm1 } from './algorithm-1.ts'
import { histories, TaCluster, play } from './ta-cluster.ts'
import { linksOfMinimalRoutes } from './minimal-routes.ts'
import { brokenRule, typeOf } from './rules.ts'

const FULL = [
  'radix:4',
  'radix:6',
  'pgft:3;3,3,2;1,3,3;1,1,1',
  'pgft:3;4,4,3;1,4,2;1,1,2',
  'pgft:2;4,6;1,4;1,1',
  'pgft:1;9;1;1',
]
const TAPERED = [
  'pgft:3;4,3,3;1,2,2;1,1,1',
  'pgft:3;4,3,3;1,2,2;1,2,2',
  'pgft:3;3,4,4;1,2,1;1,1,1',
  'pgft:2;5,4;1,2;1,1',
]

/** Returns the lists of links without the empty lists of the highest levels, as TA lists links. */
function trimmed(links: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<ReadonlyArray<number>> {
  return links.slice(0, links.findLastIndex(({ length }) => length > 0) + 1)
}

describe.each([...FULL, ...TAPERED])('on the topology %s', (spec) => {
  const lists = ({ links }: Outcome & { readonly ok: true }): ReadonlyArray<ReadonlyArray<number>> =>
    links.map((ids) => Array.from(ids))

  test.each<Partial<Config>>([
    {},
    { wholeLeaves: true },
    { wholePods: true, podsFirst: 'fewest-free' },
    { wholeLeaves: true, wholePods: true },
  ])('TA places jobs as Algorithm 1 of Pollard et al. does, with the options %j', (config) => {
    fc.assert(
      fc.property(histories(spec, 40), (history) => {
        const cluster = new TaCluster(spec, config)
        play(cluster, history, (size, outcome) => {
          const expected = algorithm1(cluster.topology, cluster.running, size, config)
          expect(outcome.ok ? Array.from(outcome.nodes) : undefined, `${size} nodes`).toEqual(expected)
        })
      }),
      { numRuns: 30 },
    )
  })

  test('every job of TA has exactly the links that its messages could take under any minimal routing', () => {
    fc.assert(
      fc.property(histories(spec, 30), (history) => {
        const cluster = new TaCluster(spec)
        play(cluster, history, (_, outcome) => {
          if (!outcome.ok) return
          const nodes = Array.from(outcome.nodes)
          expect(
            brokenRule(cluster.topology, { type: typeOf(cluster.topology, nodes.length), nodes }, cluster.running),
          ).toBeUndefined()
          expect(lists(outcome)).toEqual(trimmed(linksOfMinimalRoutes(cluster.topology, nodes)))
        })
        const usable = cluster.running.flatMap(({ nodes }) =>
          linksOfMinimalRoutes(cluster.topology, nodes).flatMap((links, level) =>
            links.map((link) => `${level}:${link}`),
          ),
        )
        expect(new Set(usable).size).toBe(usable.length)
      }),
      { numRuns: 30 },
    )
  })
})
