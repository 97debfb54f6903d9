import type { ByteMatrix } from '@cloister/placement'
import { parseTopology, seededDraws } from '@cloister/topology'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { hopBytes, topomatch } from '../src/index.ts'

const missing =
  spawnSync('scotch_gmap', ['-V']).error === undefined ? '' : ' (skipped: scotch_gmap of Scotch is not installed)'

const draw = seededDraws(3)
const symmetric = (ranks: number, bytesOf: (a: number, b: number) => number): ByteMatrix => {
  const bytes = Array.from({ length: ranks }, () => new Float64Array(ranks))
  for (let a = 0; a < ranks; a++) for (let b = a + 1; b < ranks; b++) bytes[a][b] = bytes[b][a] = bytesOf(a, b)
  return bytes
}
const areNear = (a: number, b: number, side: number): boolean =>
  [1, side, side * side].every(
    (stride) => Math.abs((Math.floor(a / stride) % side) - (Math.floor(b / stride) % side)) < 2,
  )

const cases: ReadonlyArray<readonly [string, number, ByteMatrix]> = [
  ['a grid of 4 x 4 x 4 ranks with all 26 neighbours', 8, symmetric(64, (a, b) => (areNear(a, b, 4) ? 100 : 0))],
  ['64 ranks of 5 neighbours', 8, symmetric(64, () => (draw(64) < 5 ? 1 + draw(50) : 0))],
  ['128 ranks of 4 neighbours', 16, symmetric(128, () => (draw(128) < 4 ? 1 + draw(50) : 0))],
]

/** The machine has two pods of four leaves, which are the terminal vertices of Scotch's target tree. */
describe.skipIf(missing !== '')(
  `the hop-bytes of topomatch are at most 1.1 times the hop-bytes of Scotch${missing}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloister-scotch-'))
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    function scotch(matrix: ByteMatrix): ReadonlyArray<number> {
      const lines = matrix.map((row, rank) => {
        const edges = [...matrix.keys()].filter((other) => other !== rank && row[other] > 0)
        return [edges.length, ...edges.flatMap((other) => [row[other], other])].join(' ')
      })
      const edges = lines.reduce((sum, line) => sum + Number(line.split(' ')[0]), 0)
      const [graph, tree, found] = ['graph', 'tree', 'found'].map((name) => join(folder, name))
      writeFileSync(graph, `0\n${matrix.length} ${edges}\n0 010\n${lines.join('\n')}\n`)
      // Every message has distance 2; the distance is 2 more between leaves of one pod, and 4 more between pods.
      writeFileSync(tree, 'tleaf 2 2 4 4 2\n')
      execFileSync('scotch_gmap', ['-b0', graph, tree, found], { stdio: 'ignore' })
      const leafOf = new Array<number>(matrix.length)
      for (const line of readFileSync(found, 'utf8').trim().split('\n').slice(1)) {
        const [rank, leaf] = line.split(/\s+/).map(Number)
        leafOf[rank] = leaf
      }
      return leafOf
    }

    test.each(cases)(
      'topomatch has at most 1.1 times the hop-bytes of Scotch for the pattern %s with %i nodes on a leaf',
      (_, onLeaf, matrix) => {
        const topology = parseTopology(`pgft:3;${onLeaf},4,2;1,1,1;1,1,1`)
        const leafOf = scotch(matrix)
        const next = Array.from({ length: 8 }, (__, leaf) => leaf * onLeaf)
        const theirs = leafOf.map((leaf) => next[leaf]++)
        expect(next, 'Scotch filled every leaf').toEqual(next.map((__, leaf) => (leaf + 1) * onLeaf))
        const costOf = (ranks: ArrayLike<number>): number => hopBytes(topology, () => 0, ranks, matrix).plain
        const ours = topomatch.map(topology, Array.from(topology.leafOfNode.keys()), matrix)
        expect(costOf(ours)).toBeLessThanOrEqual(1.1 * costOf(theirs))
      },
    )
  },
)
