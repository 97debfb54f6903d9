import { Effect } from 'effect'
import { expect, test } from 'vitest'
import { makeWith } from './in-process.ts'

test('isolation-pays: Jigsaw’s turnaround relative to Baseline is shorter at 70 % communication than at 10 %', async () => {
  // Each log has only 60 jobs.
  const few = {
    locate: ({ source }: { readonly source: object }) =>
      Effect.succeed({ trace: (source as { trace: string }).trace.replace(':2000:', ':60:'), arrivals: 'zero' }),
    readText: () => Effect.succeed(undefined),
    write: () => Effect.succeed('jobs.txt'),
    jobs: () => Effect.succeed([]),
  }
  const { reports, specs } = await makeWith(few, '.', ['isolation-pays'])
  expect(specs).toHaveLength(3 * 5 * 2)
  const [{ rows, heading }] = reports[0].tables
  expect(heading).toEqual(['communication', 'slowdown under Baseline', 'makespan', 'mean turnaround'])
  expect(rows.map(([share]) => share)).toEqual(['10 %', '20 %', '30 %', '50 %', '70 %'])
  const column = (at: number): ReadonlyArray<number> => rows.map((row) => Number.parseFloat(row[at]))
  expect(column(1)).toEqual(column(1).toSorted((a, b) => a - b))
  expect(column(3)[4]).toBeLessThan(column(3)[0])
  expect(reports[0].charts[0].chart.panels[0].groups).toHaveLength(5)
})

test('isolation-pays-by-log runs isolating schemes once for all shares of communication', async () => {
  const locate = ({ name, arrivals }: { readonly name: string; readonly arrivals: string }) =>
    Effect.succeed(name === 'Synth-16' ? { trace: 'synth:16', filter: 'nodes>8,first-jobs=400', arrivals } : undefined)
  const few = {
    locate,
    readText: () => Effect.succeed(undefined),
    write: () => Effect.succeed('jobs.txt'),
    jobs: () => Effect.succeed([]),
  }
  const { reports, specs } = await makeWith(few, '.', ['isolation-pays-by-log'])
  expect(specs).toHaveLength(2 * 5 + 3)
  const [pays, makespans, turnarounds, utilization] = reports[0].tables
  expect(pays.rows.map(([log]) => log)).toEqual(['Synth-16'])
  const column = (name: string) => makespans.rows.map((row) => Number.parseFloat(row[makespans.heading.indexOf(name)]))
  expect(column('slowdown under Baseline')).toEqual(column('slowdown under Baseline').toSorted((a, b) => a - b))
  expect(column('Jigsaw')).toEqual(column('Jigsaw').toSorted((a, b) => b - a))
  expect(turnarounds.rows.map(([, share]) => share)).toEqual(['0 %', '10 %', '20 %', '30 %', '50 %'])
  expect(new Set(utilization.rows.map((row) => row[utilization.heading.indexOf('TA')])).size).toBe(1)
})
