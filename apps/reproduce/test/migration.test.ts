import { expect, test } from 'vitest'
import { fewJobs, makeWith } from './in-process.ts'

test('the reproductions of migration run a policy without moves, with costs of one move, and with costs of two moves', async () => {
  const names = ['migration', 'migration-two', 'migration-mosaic']
  const { reports, specs } = await makeWith(fewJobs, '.', names)
  const byOne = ['none', 'cost=0,limit=1', 'cost=60,limit=1', 'cost=300,limit=1', 'cost=1800,limit=1', 'cost=0,limit=2']
  const byTwo = ['none', 'cost=0,limit=2', 'cost=300,limit=2', 'cost=1800,limit=2']
  expect(specs.map(({ policy }) => policy)).toEqual([...Array(8).fill('jigsaw'), ...Array(7).fill('mosaic')])
  expect(specs.slice(6, 8).map(({ migrate }) => migrate)).toEqual(['cost=300,limit=2', 'cost=1800,limit=2'])
  expect(reports.map(({ tables: [byCost] }) => byCost.rows.map(([, migrate]) => migrate))).toEqual([
    byOne,
    byTwo,
    [...byOne, 'cost=300,limit=2'],
  ])
  expect(reports.map(({ tables: [, breakEven] }) => breakEven.title)).toEqual([
    expect.stringContaining('one move for each start stops paying'),
    expect.stringContaining('two moves for each start stop paying'),
    expect.stringContaining('one move for each start stops paying'),
  ])
  for (const { tables } of reports)
    expect(tables[1].rows).toEqual([['Synth-16', expect.stringMatching(/^(over )?\d+$/), expect.any(String)]])
})
