import { Effect } from 'effect'
import { expect, test } from 'vitest'
import { makeWith } from './in-process.ts'

test('near-misses has a table row for each reading of the papers, and for each other measure of the first run', async () => {
  const few = {
    locate: ({ arrivals }: { readonly arrivals: string }) => Effect.succeed({ trace: 'synth:28:120', arrivals }),
    readText: () => Effect.succeed(undefined),
    write: () => Effect.succeed('jobs.txt'),
    jobs: () => Effect.succeed([]),
  }
  const { reports, specs } = await makeWith(few, '.', ['near-misses'])
  const [laas, makespan, waits] = reports[0].tables
  expect(laas.heading).toEqual(['reading', 'Atlas', 'Thunder'])
  const utilization = new Map(laas.rows.map(([reading, atlas]) => [reading, Number.parseFloat(atlas)]))
  expect(utilization.get('nodes beyond the request count as used')).toBeGreaterThan(utilization.get('as for Figure 6')!)
  expect(utilization.get('until the last end, not the last start')).toBeLessThan(utilization.get('as for Figure 6')!)
  expect(makespan.rows.map(([reading]) => reading)).toHaveLength(4)
  expect(waits.rows.map(([reading]) => reading)).toContain('times to the second')
  expect(new Set(specs.map(({ scenario }) => scenario))).toEqual(new Set(['none', '20%', '16.7%']))
})
