import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Job } from '@cloister/workload'
import { expect, test } from 'vitest'
import * as paper from '../src/combal/paper.ts'
import { matricesOf, sizesOf, specOf } from '../src/combal/runs.ts'
import { make } from './in-process.ts'

const [, , theta] = paper.logs

/** Jobs of three sizes. */
const jobs = Array.from({ length: 90 }, (_, at): Job => ({
  id: `${at}`,
  submit: 1000 * at,
  size: [24, 36, 60][at % 3],
  runTime: 50_000,
  walltime: undefined,
}))

test('matricesOf gives each size a matrix of its number of ranks, and assigns programs to sizes by the seed', () => {
  const sizes = sizesOf(jobs)
  expect(sizes).toEqual([24, 36, 60])
  expect(matricesOf(sizes, 1)).toEqual(matricesOf(sizes, 1))
  expect(matricesOf(sizes, 1).map((halo) => halo.split(':')[2])).toEqual(['24', '36', '60'])
  expect(
    new Set([1, 2, 3, 4].map((seed) => matricesOf(sizes, seed).join().replaceAll(/:\d+/g, ''))).size,
  ).toBeGreaterThan(1)
})

test('specOf keeps the first jobs of the frequent sizes, and scales run times only under a reading', () => {
  const log = { ...theta, jobs, located: { trace: 'theta.swf', filter: 'nodes=power-of-two' } }
  const plain = specOf(log, 'TopoMatch', ['halo:staged:24'], undefined)
  expect(plain).toMatchObject({
    filter: 'nodes=power-of-two,nodes=24|nodes=36|nodes=60,first-of-size=167',
    queue: 'unreserved:100',
    config: { ranks: 'topomatch' },
  })
  expect(plain.costsFrom).toBeUndefined()
  expect(specOf(log, 'Combal', [], { cost: 'plain', old: 'same state' })).toMatchObject({
    cost: 'plain',
    costsFrom: 'one-run',
  })
})

const traces = process.env['CLOISTER_TRACE_DIR'] ?? join(import.meta.dirname, '../../../../shared/traces')
const isMissing = !existsSync(join(traces, 'comm-matrices', paper.hpcg.file))

test.skipIf(isMissing)(
  `combal-hpcg has the computed costs of the matrix in ${traces} (skipped if the matrix is missing)`,
  async () => {
    const { reports } = await make(traces, 'combal-hpcg')
    const [{ rows }] = reports[0].tables
    expect(rows.slice(0, 2).map((row) => row.slice(1))).toEqual([
      ['3.982e+11', '1.4544e+11'],
      ['3.982e+11', '1.4544e+11'],
    ])
    const [saved, , ...factors] = reports[0].comparisons.map(({ ours }) => ours)
    expect(saved).toBeGreaterThan(0.13)
    // Each of the two costs on the slides is five times a plain cost of our runs.
    for (const factor of factors) expect(factor).toBeCloseTo(5, 1)
  },
)
