import type { ByteMatrix } from '@cloister/placement'
import { seededDraws, switchGraph } from '@cloister/topology'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  combalLeaves,
  type CombalOptions,
  combalOrder,
  evenSizes,
  graphOf,
  hopBytes,
  identity,
  type LeafCapacity,
  parseMatrix,
  partition,
  topomatch,
} from '../src/index.ts'

const even: CombalOptions = { balance: 'even', factor: 'rounded-up' }
const kinds: ReadonlyArray<CombalOptions> = [
  even,
  { balance: 'unbalanced', factor: 'rounded-up' },
  { balance: 'unbalanced', factor: 'ratio' },
]

/**
 * Returns the leaf of each rank by the steps in the slides of Mangat and Malakar, with arrays of free nodes by leaf.
 */
function stepByStep(
  comm: ByteMatrix,
  capacities: ReadonlyArray<LeafCapacity>,
  { balance, factor }: CombalOptions,
): Array<number> {
  const free = new Map(capacities.map((capacity) => [capacity.leaf, capacity.free]))
  const busy = new Map(capacities.map((capacity) => [capacity.leaf, capacity.communicating]))
  const at = new Array<number>(comm.length).fill(-1)
  const W = (): Array<number> => [...at.keys()].filter((rank) => at[rank] < 0)
  const L = (): Array<number> => {
    const leaves = [...free.keys()].filter((leaf) => free.get(leaf)! > 0).sort((a, b) => a - b)
    leaves.sort((a, b) => busy.get(a)! - busy.get(b)!)
    return leaves.sort((a, b) => free.get(b)! - free.get(a)!)
  }
  const put = (rank: number, leaf: number): void => {
    at[rank] = leaf
    free.set(leaf, free.get(leaf)! - 1)
  }
  const median = (leaves: ReadonlyArray<number>): number => leaves[Math.ceil(leaves.length / 2) - 1]
  for (let round = 1; round <= 5; round++) {
    const leaves = L()
    const ranks = W()
    const m = free.get(median(leaves))
    if (m === undefined || ranks.length <= m) break
    const k = Math.ceil(ranks.length / m)
    let tolerance = 1.03
    if (balance === 'unbalanced' && free.get(leaves[0])! > m) {
      tolerance = free.get(leaves[0])! / m
      if (factor === 'rounded-up') tolerance = Math.ceil(tolerance)
    }
    const pages = graphOf(ranks.length, (a, b) => Math.floor(comm[ranks[a]][ranks[b]] / 4096))
    const partOf = partition(pages, evenSizes(ranks.length, k, tolerance))
    const parts = Array.from({ length: k }, (_, part) => ranks.filter((__, i) => partOf[i] === part))
    let p = 0
    for (let size = ranks.length; size >= 1; size--) {
      for (const part of parts) {
        if (part.length !== size || p >= leaves.length || free.get(leaves[p])! < size) continue
        for (const rank of part) put(rank, leaves[p])
        p++
      }
    }
  }
  const leaves = L()
  const ranks = W()
  const m = median(leaves)
  if (m !== undefined && ranks.length <= free.get(m)!) for (const rank of ranks) put(rank, m)
  else
    for (const rank of ranks) {
      const fullest = L()
      put(
        rank,
        leaves.findLast((leaf) => fullest.includes(leaf))!,
      )
    }
  return at
}

function drawMatrix(draw: (below: number) => number, ranks: number): ByteMatrix {
  const bytes = Array.from({ length: ranks }, () => new Float64Array(ranks))
  for (let a = 0; a < ranks; a++)
    for (let b = 0; b < a; b++) bytes[a][b] = bytes[b][a] = draw(3) === 0 ? draw(20_000) : 0
  return bytes
}

test('combalLeaves follows the slides of Mangat and Malakar step by step in random states', () => {
  const draw = seededDraws(11)
  let [several, leftOver] = [0, 0]
  for (let state = 0; state < 150; state++) {
    const most = 1 + draw(6)
    const capacities = Array.from({ length: 1 + draw(7) }, (_, leaf) => ({
      leaf: 2 * leaf,
      free: draw(most + 1),
      communicating: draw(3),
    }))
    const capacity = capacities.reduce((sum, { free }) => sum + free, 0)
    if (capacity === 0) continue
    const matrix = drawMatrix(draw, 1 + draw(capacity))
    for (const options of kinds) {
      const found = Array.from(combalLeaves(matrix, capacities, options))
      expect({ state, options, leaves: found }).toEqual({
        state,
        options,
        leaves: stepByStep(matrix, capacities, options),
      })
      for (const { leaf, free } of capacities)
        expect(found.filter((each) => each === leaf).length).toBeLessThanOrEqual(free)
      if (new Set(found).size > 1) several++
    }
    if (matrix.length === capacity) leftOver++
  }
  expect(several).toBeGreaterThan(100)
  expect(leftOver).toBeGreaterThan(10)
})

test('combalLeaves gives the leaves of the example in the slides: 6 ranks on leaves with 4, 3 and 2 free nodes', () => {
  const capacities = [2, 3, 4].map((free, leaf) => ({ leaf, free, communicating: 0 }))
  // The ranks are a clique of four and a pair, with a weak edge between the clique and the pair.
  const isTied = (a: number, b: number): boolean => a !== b && a < 4 === b < 4
  const matrix = Array.from({ length: 6 }, (_, a) =>
    Array.from({ length: 6 }, (__, b) => (isTied(a, b) ? 400_000 : a !== b ? 5000 : 0)),
  )
  const sizes = (options: CombalOptions): ReadonlyArray<number> => {
    const leaves = combalLeaves(matrix, capacities, options)
    return capacities.map(({ leaf }) => leaves.filter((each) => each === leaf).length)
  }
  expect(sizes(even)).toEqual([0, 3, 3])
  expect(sizes({ balance: 'unbalanced', factor: 'ratio' })).toEqual([0, 2, 4])
  expect(sizes({ balance: 'unbalanced', factor: 'rounded-up' })).toEqual([0, 2, 4])
})

const traces = process.env['CLOISTER_TRACE_DIR'] ?? join(import.meta.dirname, '../../../../shared/traces')
const hpcg = join(traces, 'comm-matrices/hpcg-64ranks.mat')

describe.skipIf(!existsSync(hpcg))(
  `mappers for the matrix of HPCG with 64 ranks, on four leaves (skipped without ${hpcg})`,
  () => {
    const topology = switchGraph({ name: 'four leaves', leaves: [16, 16, 16, 16], parents: [[[0], [0], [0], [0]]] })
    const nodes = Array.from(topology.leafOfNode.keys())
    const bytes = (): ByteMatrix => parseMatrix(readFileSync(hpcg, 'utf8'))
    const costOf = (ranks: ArrayLike<number>): readonly [effective: string, plain: string] => {
      const { effective, plain } = hopBytes(topology, () => 0, ranks, bytes())
      return [effective.toPrecision(4), plain.toPrecision(5)]
    }

    test('combalOrder and topomatch have fewer hop-bytes than blocks of 16 consecutive ranks; every fourth rank on a leaf has as many as blocks', () => {
      expect(costOf(nodes)).toEqual(['3.982e+11', '1.4544e+11'])
      expect(costOf(nodes.map((rank) => (rank % 4) * 16 + Math.floor(rank / 4)))).toEqual(['3.982e+11', '1.4544e+11'])
      for (const mapper of [combalOrder, topomatch]) {
        const [effective] = costOf(mapper.map(topology, nodes, bytes()))
        expect(Number(effective)).toBeLessThan(3.45e11)
      }
      expect(identity.map(topology, nodes, bytes())).toEqual(nodes)
    })
  },
)
