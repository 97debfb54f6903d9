import type { Header, LogRecord } from '@cloister/eventlog'
import { formatIdset, parseTopology, topologyToJson } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeMetrics, MetricsFold } from '../src/index.ts'
import { header } from './random-log.ts'

/** Machine with 54 nodes: 6 pods of 3 leaves with 3 nodes. */
const topology = parseTopology('radix:6')

/** Returns the log of jobs in sequence. `size` is the number of requested nodes, `nodes` is the allocation. */
function logOf(jobs: ReadonlyArray<{ readonly size: number; readonly nodes: ReadonlyArray<number> }>): LogRecord[] {
  const first = { ...header(54), topology: topologyToJson(topology) } as Header
  const records = jobs.flatMap(({ size, nodes }, t) => {
    const job = `${t}`
    return [
      { t, type: 'submit', job, size, account: t % 2 === 0 ? 'even' : 'odd' },
      { t, type: 'allocate', job, nodes: formatIdset(nodes), cause: 4 * t + 1 },
      { t, type: 'finish', job, cause: 4 * t + 2 },
      { t, type: 'release', job, cause: 4 * t + 3 },
    ]
  })
  return [first, ...records.map((record, at) => ({ seq: at + 1, ...record }) as unknown as LogRecord)]
}

const leafOf = (node: number): number => topology.leafOfNode[node]
const podOf = (node: number): number => topology.podOfLeaf[leafOf(node)]

/** Returns the mean number of links between two of the nodes, counted pair by pair. */
function hops(nodes: ReadonlyArray<number>): number {
  const pairs = nodes.flatMap((a) => nodes.filter((b) => a !== b).map((b) => [a, b] as const))
  const links = pairs.map(([a, b]) => (leafOf(a) === leafOf(b) ? 2 : podOf(a) === podOf(b) ? 4 : 6))
  return links.reduce<number>((sum, each) => sum + each, 0) / pairs.length
}

const mean = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((sum, each) => sum + each, 0) / values.length

const someJobs = fc.array(
  fc
    .tuple(fc.uniqueArray(fc.nat(53), { minLength: 1, maxLength: 12 }), fc.nat(2))
    .map(([nodes, beyond]) => ({ size: Math.max(1, nodes.length - beyond), nodes: nodes.sort((a, b) => a - b) })),
  { maxLength: 12 },
)

describe('the metrics of placement', () => {
  it('the metrics of placement equal leaves and hops counted node by node, for random allocations', () => {
    fc.assert(
      fc.property(someJobs, (jobs) => {
        const extra = jobs.map(({ size, nodes }) => new Set(nodes.map(leafOf)).size - Math.ceil(size / 3))
        const compact = (size: number): ReadonlyArray<number> => Array.from({ length: size }, (_, node) => node)
        const spread = jobs.flatMap(({ size, nodes }) => (size < 2 ? [] : [hops(nodes) / hops(compact(size))]))
        const { placement } = computeMetrics(logOf(jobs))
        const close = (value: number | null): unknown => (value === null ? null : expect.closeTo(value, 10))
        expect(placement).toMatchObject({
          extraLeaves: { mean: close(mean(extra)), max: extra.length === 0 ? null : Math.max(...extra) },
          onExtraLeaves: close(mean(extra.map((leaves) => (leaves > 0 ? 1 : 0)))),
          spread: { mean: close(mean(spread)), max: close(spread.length === 0 ? null : Math.max(...spread)) },
        })
      }),
    )
  })

  it('the metrics of placement of a job without nodes, which only forged logs have, are 0 leaves and no spread', () => {
    expect(computeMetrics(logOf([{ size: 0, nodes: [] }])).placement).toMatchObject({
      extraLeaves: { mean: 0, max: 0 },
      spread: { mean: null },
    })
  })

  it('the metrics of placement of ten jobs, of all jobs and of each account, are the values computed by hand', () => {
    const oneLeaf = { size: 3, nodes: [0, 1, 2] }
    const threePods = { size: 3, nodes: [0, 9, 18] }
    expect(computeMetrics(logOf([...Array(8).fill(oneLeaf), threePods])).placement.extraLeaves.q90).toBe(2)
    const fold = new MetricsFold({ by: 'account' })
    for (const record of logOf([...Array(9).fill(oneLeaf), threePods])) fold.add(record)
    expect(fold.result().placement).toEqual({
      extraLeaves: { mean: 0.2, q90: 0, max: 2 },
      onExtraLeaves: 0.1,
      spread: { mean: 1.2, q90: 1, max: 3 },
    })
    expect(fold.groups().map(({ group, placement }) => [group, placement.extraLeaves.max])).toEqual([
      ['even', 0],
      ['odd', 2],
    ])
  })
})
