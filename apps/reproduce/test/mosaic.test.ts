import { expect, test } from 'vitest'
import { fewJobs, makeWith } from './in-process.ts'

test('the reproduction `mosaic` runs five policies under plain EASY and under our discipline, on five workloads of each trace', async () => {
  const { reports, specs } = await makeWith(fewJobs, '.', ['mosaic'])
  expect(specs).toHaveLength(5 * 2 * 5)
  expect(new Set(specs.map(({ resample }) => resample))).toEqual(
    new Set([undefined, 'drop-first:10', 'drop-first:20', 'drop-first:30', 'drop-first:40']),
  )
  const withReplan = specs.filter(({ replan }) => replan === true)
  expect(withReplan.map(({ windowOrder }) => windowOrder)).toEqual(withReplan.map(() => 'largest'))
  const [{ tables, comparisons }] = reports
  for (const { heading, rows } of tables) {
    expect(heading.slice(1)).toEqual(['Baseline', 'LC+S', 'Jigsaw', 'LaaS', 'Mosaic'])
    for (const cell of rows[0].slice(1)) expect(cell).toMatch(/^\d+\.\d\d ± \d+\.\d\d %$/)
  }
  expect(comparisons.map(({ what }) => what)).toEqual(["a prototype's Mosaic, Synth-16"])
})

test('mosaic-queue runs three policies with eight sets of options of EASY', async () => {
  const { reports, specs } = await makeWith(fewJobs, '.', ['mosaic-queue'])
  expect(specs).toHaveLength(3 * 8)
  expect(reports[0].tables.map(({ title }) => title)).toEqual(['Baseline', 'Jigsaw', 'Mosaic'])
})

test('mosaic-ablation runs six variants of Mosaic on five workloads of each trace', async () => {
  const { reports, specs } = await makeWith(fewJobs, '.', ['mosaic-ablation'])
  expect(specs).toHaveLength(6 * 5)
  const [{ rows }] = reports[0].tables
  expect(rows).toHaveLength(6)
  for (const [, cell] of rows) expect(cell).toMatch(/^\d+\.\d\d ± \d+\.\d\d %$/)
})
