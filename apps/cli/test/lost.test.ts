import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Header, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { Timeline } from '@cloister/metrics'
import { expect, it } from 'vitest'
import type { LostAt } from '../src/log/lost-at.ts'
import { complaint, Folder } from './cloister.ts'

it('state --lost counts nodes by use at a moment, and asks the policy why idle nodes serve no job', async () => {
  const folder = new Folder()
  await folder.log()
  const records = [...readLog([readFileSync(join(folder.path, 'run.ndjson'))], sha256)]
  const timeline = new Timeline(records[0] as Header)
  for (const record of records) timeline.add(record)
  const worst = timeline.highest('unplaced', 0, 1e9)!
  const { nodes, because } = (await folder.json('state', 'run.ndjson', '--at', `${worst.t}`, '--lost')) as LostAt
  expect(nodes.unplaced).toBe(worst.value)
  expect(Object.values(nodes).reduce((sum, each) => sum + each, 0)).toBe(54)
  expect(because).toMatchObject({ nodes: worst.value, cause: expect.stringMatching(/^(shape|links|reservation)$/) })
  const { stdout } = await folder.cloister('state', 'run.ndjson', '--at', `${worst.t}`, '--lost')
  expect(stdout).toMatch(new RegExp(`^unplaced +job ${because!.job} fits into the number of idle nodes`, 'm'))
  const end = (await folder.json('state', 'run.ndjson', '--lost')) as LostAt
  expect(end).toMatchObject({ nodes: { busy: 0, noJob: 54, unplaced: 0 }, because: null })
  expect(complaint(await folder.cloister('state', 'run.ndjson', '--policy', 'ta'))).toContain('needs --lost')
  expect(complaint(await folder.cloister('state', 'run.ndjson', '--routes', '--lost'))).toContain(
    'two different results',
  )
  expect(
    complaint(await folder.cloister('state', 'run.ndjson', '--at', `${worst.t}`, '--lost', '--policy', 'ta')),
  ).toContain('found ta, expected jigsaw')
})

it('metrics --where adds figures for the jobs that match a query', async () => {
  const folder = new Folder()
  await folder.log()
  const all = (await folder.json('metrics', 'run.ndjson', '--where', '')) as Groups
  const some = (await folder.json('metrics', 'run.ndjson', '--where', 'size>4')) as Groups
  const rest = (await folder.json('metrics', 'run.ndjson', '--where', 'size<=4')) as Groups
  expect(all.groups[0].share).toBe(1)
  expect(some.groups[0].share + rest.groups[0].share).toBeCloseTo(1, 9)
  expect(some.groups[0].jobs.submitted + rest.groups[0].jobs.submitted).toBe(all.groups[0].jobs.submitted)
  const { stdout } = await folder.cloister('metrics', 'run.ndjson', '--where', 'size>4')
  expect(stdout).toContain('jobs where size>4 in run.ndjson')
  expect(complaint(await folder.cloister('metrics', 'run.ndjson', '--where', 'wiat>3h'))).toContain(
    '--where: the query has "wiat>3h", expected one of the fields',
  )
})

interface Groups {
  readonly groups: ReadonlyArray<{ readonly share: number; readonly jobs: { readonly submitted: number } }>
}
