import { Effect } from 'effect'
import { expect, test } from 'vitest'
import { makeWith } from './in-process.ts'

test('isolation pays the more, the more jobs communicate', async () => {
  // The first of their jobs alone.
  const few = {
    locate: ({ source }: { readonly source: object }) =>
      Effect.succeed({ trace: (source as { trace: string }).trace.replace(':2000:', ':60:'), arrivals: 'zero' }),
    findFile: () => Effect.succeed(undefined),
    readText: () => Effect.succeed(undefined),
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
