import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { complaint, Folder } from './cloister.ts'
import { madeSwf } from './made-swf.ts'

const policy = ['--policy', 'jigsaw'] as const

async function recorded(folder: Folder, ...options: ReadonlyArray<string>): Promise<void> {
  const answer = await folder.cloister('simulate', '--topology', 'radix:6', ...policy, ...options)
  if (answer.code !== 0) throw new Error(answer.stderr)
}

/** Simulates the jobs of the log run.ndjson again, and returns the output of `cloister diff` for the two logs. */
async function difference(folder: Folder): Promise<unknown> {
  return ((await folder.json('diff', 'first.ndjson', 'again.ndjson')) as { readonly equal: string }).equal
}

it.each([
  ['exact estimates', ['--estimates', 'exact']],
  ['estimates of users, and jobs killed at their estimates', ['--estimates', 'requested']],
  [
    'conservative backfilling and the smallest job first',
    ['--estimates', 'requested', '--queue', 'conservative:5', '--order', 'smallest'],
  ],
])('a log as a trace gives the same run again, for a run with %s', async (_, options) => {
  const folder = new Folder()
  folder.write('jobs.swf', madeSwf)
  await recorded(folder, '--trace', 'jobs.swf', ...options, '--out', 'first.ndjson')
  await recorded(folder, '--trace', 'first.ndjson', ...options, '--out', 'again.ndjson')
  expect(await difference(folder)).toBe('decisions')
})

it('a log as a trace brings its outages, but only on the machine of the log', async () => {
  const folder = new Folder()
  folder.write('jobs.swf', madeSwf)
  folder.write(
    'outages.ndjson',
    '{"t":30,"type":"down","nodes":"0-5"}\n{"t":200,"type":"up","nodes":"0-5"}\n{"t":240,"type":"down","nodes":"7"}\n',
  )
  const options = ['--estimates', 'exact', '--requeue']
  await recorded(folder, '--trace', 'jobs.swf', '--outages', 'outages.ndjson', ...options, '--out', 'first.ndjson.zst')
  await recorded(folder, '--trace', 'first.ndjson.zst', ...options, '--out', 'again.ndjson')
  expect((await folder.json('diff', 'first.ndjson.zst', 'again.ndjson')) as object).toMatchObject({
    equal: 'decisions',
  })
  const other = await folder.cloister('simulate', '--trace', 'again.ndjson', '--topology', 'radix:8', ...policy)
  expect(other.stderr).toContain('2 outages of the log are left out: the log is of another machine, radix:6')
  const atOnce = await folder.cloister(
    'simulate',
    '--trace',
    'again.ndjson',
    '--topology',
    'radix:6',
    ...policy,
    '--arrivals',
    'zero',
  )
  expect(atOnce.stderr).toContain('2 outages of the log are left out: jobs arrive at other times than in the log')
})

it('a log as a trace keeps users, accounts, queues and walltimes', async () => {
  const folder = new Folder()
  folder.write('jobs.swf', madeSwf)
  await recorded(folder, '--trace', 'jobs.swf', '--estimates', 'exact', '--out', 'first.ndjson')
  const submits = readFileSync(join(folder.path, 'first.ndjson'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"submit","job"'))
  expect(JSON.parse(submits[5])).toMatchObject({ user: '1', account: '2', queue: '2', estimate: 5, walltime: 105 })
  const kept = await folder.json('trace', 'info', 'first.ndjson', '--filter', 'user=1')
  expect(kept).toMatchObject({ jobs: 15, read: 60, skipped: { 'user=1': 45 } })
})

it('an incomplete log as a trace gives the jobs up to its end, and a corrupt log is refused', async () => {
  const folder = new Folder()
  await recorded(folder, '--trace', 'synth:4:300', '--out', 'first.ndjson')
  const path = join(folder.path, 'first.ndjson')
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.slice(0, text.length / 2))
  expect(await folder.json('trace', 'info', 'first.ndjson')).toMatchObject({ jobs: 300 })
  writeFileSync(path, text.replace('"size":', '"size":1'))
  expect(complaint(await folder.cloister('trace', 'info', 'first.ndjson'))).toMatch(
    /first\.ndjson: found corrupt at byte \d+, line \d+: .*, expected a log that is not damaged/,
  )
})
