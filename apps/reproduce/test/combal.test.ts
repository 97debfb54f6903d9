import type { Job } from '@cloister/workload'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as paper from '../src/combal/paper.ts'
import { CombalRuns, programsOf } from '../src/combal/runs.ts'
import { make } from './in-process.ts'

const [, , theta] = paper.logs

/** Jobs of three sizes that arrive faster than the machine can run them. */
const jobs = Array.from({ length: 90 }, (_, at): Job => ({
  id: `${at}`,
  submit: 1000 * at,
  size: [24, 36, 60][at % 3],
  runTime: 50_000 + 1000 * ((at * 37) % 60),
  walltime: undefined,
  ...(at % 5 === 0 ? {} : { communication: { pattern: 'unknown', share: 500 } }),
}))

test('programsOf gives all jobs of a size the same program, and assigns programs to sizes by the seed', () => {
  const names = (seed: number): ReadonlyArray<string> =>
    [...new Set(programsOf(jobs, theta, seed).jobs.flatMap((job) => job.communication?.matrix?.name ?? []))].sort()
  expect(names(1)).toHaveLength(3)
  expect(names(1)).toEqual(names(1))
  expect(new Set([1, 2, 3, 4].map((seed) => names(seed).join())).size).toBeGreaterThan(1)
  expect(
    programsOf(jobs, theta, 1).jobs.every(
      (job) => job.communication?.matrix?.bytes.length === job.size || job.communication === undefined,
    ),
  ).toBe(true)
})

test('CombalRuns: TopoMatch sends fewer bytes between switches than Default, and doubled run times lengthen waits', () => {
  const runs = new CombalRuns('pgft:2;16,12;1,16;1,1')
  const workload = programsOf(jobs, theta, 1)
  const byDefault = runs.run('Default', workload)
  for (const way of ['TopoMatch', 'Combal', 'uCombal'] as const) {
    const found = runs.run(way, workload)
    if (way === 'TopoMatch') expect(found.interSwitch).toBeLessThan(byDefault.interSwitch)
    expect(found.interSwitch + found.intraSwitch).toBeCloseTo(byDefault.interSwitch + byDefault.intraSwitch, 3)
    expect(found.execution).toBeCloseTo(byDefault.execution, 9)
    expect(found.costs.size).toBe(72)
  }
  const slower = runs.run('Default', workload, (_, time) => 2 * time)
  expect(slower.execution).toBeCloseTo(2 * byDefault.execution, 9)
  expect(slower.wait).toBeGreaterThan(byDefault.wait)
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
