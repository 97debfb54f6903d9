import { seededDraws } from '@cloister/topology'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { edgeCut, evenSizes, type Graph, graphOf, parseMatrix, partition } from '../src/index.ts'

const traces = process.env['CLOISTER_TRACE_DIR'] ?? join(import.meta.dirname, '../../../../shared/traces')
const matrices = join(traces, 'comm-matrices')

/**
 * Returns the graphs of matrices that were measured on real programs; no graphs if the folder of the matrices is
 * absent.
 */
function measured(): ReadonlyArray<readonly [string, Graph]> {
  return filesIn(matrices).map((file) => {
    const rows = parseMatrix(readFileSync(join(matrices, file), 'utf8'))
    const unit = file.includes('messages') ? 1 : 4096
    return [file, graphOf(rows.length, (a, b) => Math.floor(rows[a][b] / unit))]
  })
}

function filesIn(folder: string): ReadonlyArray<string> {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

const draw = seededDraws(5)
const sparse = (vertices: number, neighbors: number): Graph =>
  graphOf(vertices, () => (draw(vertices) < neighbors ? 1 + draw(100) : 0))
const near = (vertices: number): Graph => {
  const at = Array.from({ length: vertices }, () => [draw(1000), draw(1000)] as const)
  const reach = 2_000_000 / vertices
  return graphOf(vertices, (a, b) => {
    const far = (at[a][0] - at[b][0]) * (at[a][0] - at[b][0]) + (at[a][1] - at[b][1]) * (at[a][1] - at[b][1])
    return far < reach ? 1 + Math.floor(10 * (1 - far / reach)) : 0
  })
}

const parts = [4, 8, 2, 16, 3]
const cases: ReadonlyArray<readonly [string, number, number, Graph]> = [
  ...measured().map(([file, graph], at) => [file, parts[at % parts.length], at % 2 === 0 ? 30 : 333, graph] as const),
  ['of 64 vertices with 6 neighbours', 5, 30, sparse(64, 6)],
  ['of 130 vertices with 3 neighbours', 8, 1000, sparse(130, 3)],
  ['of 512 vertices with 8 neighbours', 32, 30, sparse(512, 8)],
  ['of 100 vertices with edges between near vertices', 3, 333, near(100)],
  ['of 256 vertices with edges between near vertices', 16, 30, near(256)],
]

const missing =
  spawnSync('gpmetis', ['-help']).error === undefined ? '' : ' (skipped: gpmetis of METIS is not installed)'

describe.skipIf(missing !== '')(`the cut of partition is at most 1.1 times the cut of gpmetis${missing}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-metis-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /**
   * Returns the parts that gpmetis finds.
   *
   * @param tolerance allowed size of a part above the average in 1/1000, METIS's ufactor
   */
  function gpmetis(graph: Graph, count: number, tolerance: number): Int32Array {
    const { vertices, first, neighbors, weights } = graph
    const lines = Array.from({ length: vertices }, (_, vertex) =>
      Array.from(
        neighbors.subarray(first[vertex], first[vertex + 1]),
        (neighbor, at) => `${neighbor + 1} ${weights[first[vertex] + at]}`,
      ).join(' '),
    )
    const file = join(folder, 'graph')
    writeFileSync(file, `${vertices} ${neighbors.length / 2} 001\n${lines.join('\n')}\n`)
    execFileSync('gpmetis', [`-ufactor=${tolerance}`, file, String(count)], { stdio: 'ignore' })
    return Int32Array.from(readFileSync(`${file}.part.${count}`, 'utf8').trim().split('\n'), Number)
  }

  test.each(cases)(
    'the cut of partition is at most 1.1 times the cut of gpmetis, for the graph %s in %i parts with a tolerance of %i/1000',
    (_, count, tolerance, graph) => {
      const theirs = gpmetis(graph, count, tolerance)
      const counts = Array.from({ length: count }, (__, part) => theirs.filter((each) => each === part).length)
      // METIS may exceed its tolerance. In this case `partition` gets the sizes that METIS used.
      const sizes = evenSizes(graph.vertices, count, 1 + tolerance / 1000).map(({ least, most }) => ({
        least: Math.min(least, ...counts),
        most: Math.max(most, ...counts),
      }))
      expect(edgeCut(graph, partition(graph, sizes))).toBeLessThanOrEqual(1.1 * edgeCut(graph, theirs))
    },
  )
})
