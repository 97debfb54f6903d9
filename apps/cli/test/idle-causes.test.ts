import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Header, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { Timeline } from '@cloister/metrics'
import { expect, it } from 'vitest'
import type { IdleCauses } from '../src/results/state.ts'
import { complaint, Folder } from './cloister.ts'

it('state --idle counts nodes by use at a moment, and asks the policy why idle nodes serve no job', async () => {
  const folder = new Folder()
  await folder.log()
  const records = [...readLog([readFileSync(join(folder.path, 'run.ndjson'))], sha256)]
  const timeline = new Timeline(records[0] as Header)
  for (const record of records) timeline.add(record)
  const worst = timeline.highest('fragmented', 0, 1e9)!
  const { nodes, because } = (await folder.json('state', 'run.ndjson', '--at', `${worst.t}`, '--idle')) as IdleCauses
  expect(nodes.fragmented).toBe(worst.value)
  expect(Object.values(nodes).reduce((sum, each) => sum + each, 0)).toBe(54)
  expect(because).toMatchObject({ nodes: worst.value, cause: expect.stringMatching(/^(shape|links|reservation)$/) })
  const { stdout } = await folder.cloister('state', 'run.ndjson', '--at', `${worst.t}`, '--idle')
  expect(stdout).toMatch(new RegExp(`^fragmented +job ${because!.job} fits into the number of idle nodes`, 'm'))
  const end = (await folder.json('state', 'run.ndjson', '--idle')) as IdleCauses
  expect(end).toMatchObject({ nodes: { busy: 0, noJob: 54, fragmented: 0 }, because: null })
  expect(complaint(await folder.cloister('state', 'run.ndjson', '--policy', 'ta'))).toContain('needs --idle')
  expect(complaint(await folder.cloister('state', 'run.ndjson', '--routes', '--idle'))).toContain(
    'two different results',
  )
  expect(
    complaint(await folder.cloister('state', 'run.ndjson', '--at', `${worst.t}`, '--idle', '--policy', 'ta')),
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
