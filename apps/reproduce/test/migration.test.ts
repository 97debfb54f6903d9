import { Effect } from 'effect'
import { expect, test } from 'vitest'
import { makeWith } from './in-process.ts'

/** Service of job logs with a single log: the first 110 jobs of the synthetic trace `synth:16`. */
const few = {
  locate: ({ source }: { readonly source: object }) =>
    Effect.succeed(
      (source as { trace?: string }).trace === 'synth:16' ? { trace: 'synth:16:110', arrivals: 'zero' } : undefined,
    ),
  readText: () => Effect.succeed(undefined),
  write: () => Effect.succeed('jobs.txt'),
  jobs: () => Effect.succeed([]),
}

test('the reproductions of migration run a policy without moves, with four costs, and with two free moves', async () => {
  const { reports, specs } = await makeWith(few, '.', ['migration', 'migration-mosaic'])
  expect(specs.map(({ policy }) => policy)).toEqual([...Array(6).fill('jigsaw'), ...Array(6).fill('mosaic')])
  expect(specs.slice(1, 6).map(({ migrate }) => migrate)).toEqual([
    'cost=0,limit=1',
    'cost=60,limit=1',
    'cost=300,limit=1',
    'cost=1800,limit=1',
    'cost=0,limit=2',
  ])
  const [byCost, breakEven] = reports[0].tables
  expect(byCost.rows).toHaveLength(6)
  expect(breakEven.rows).toEqual([['Synth-16', expect.stringMatching(/^(over )?\d+$/), expect.any(String)]])
})
