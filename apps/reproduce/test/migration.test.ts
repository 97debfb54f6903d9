import { expect, test } from 'vitest'
import { fewJobs, makeWith } from './in-process.ts'

test('the reproductions of migration run a policy without moves, with four costs, and with two moves', async () => {
  const { reports, specs } = await makeWith(fewJobs, '.', ['migration', 'migration-mosaic'])
  expect(specs.map(({ policy }) => policy)).toEqual([...Array(6).fill('jigsaw'), ...Array(7).fill('mosaic')])
  expect(specs.slice(1, 6).map(({ migrate }) => migrate)).toEqual([
    'cost=0,limit=1',
    'cost=60,limit=1',
    'cost=300,limit=1',
    'cost=1800,limit=1',
    'cost=0,limit=2',
  ])
  expect(specs.at(-1)).toMatchObject({ policy: 'mosaic', migrate: 'cost=300,limit=2' })
  const [byCost, breakEven] = reports[0].tables
  expect(byCost.rows).toHaveLength(6)
  expect(breakEven.rows).toEqual([['Synth-16', expect.stringMatching(/^(over )?\d+$/), expect.any(String)]])
})
