import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { complaint, Folder } from './cloister.ts'

const COLUMNS =
  'id=job,submit=submitted_at,start=started_at,end=ended_at,nodes=size,walltime=estimate,user=user,account=account'

it('the exported jobs of a run are the same trace in CSV and in Parquet, and rerun and audit accept the log', async () => {
  const folder = new Folder()
  const run = async (trace: string, log: string, ...more: ReadonlyArray<string>) =>
    folder.cloister('simulate', '--trace', trace, '--topology', 'kary:3:3', '--policy', 'jigsaw', '--out', log, ...more)
  folder.write(
    'jobs.swf',
    `; UnixStartTime: 1700000000\n${Array.from({ length: 40 }, (_, at) => `${at + 1} ${90 * at} -1 ${400 + at} ${1 + (at % 20)} -1 -1 ${1 + (at % 20)} 700 -1 1 ${1 + (at % 3)} 1 -1 -1 -1 -1 -1\n`).join('')}`,
  )
  expect((await run('jobs.swf', 'first.ndjson')).code).toBe(0)
  const submits = async (format: string): Promise<unknown> => {
    const table = `jobs.${format}`
    const out = ['--table', 'jobs', '--out', table]
    expect((await folder.cloister('export', 'first.ndjson', ...out)).code).toBe(0)
    expect(await run(table, `${format}.ndjson`, '--columns', COLUMNS)).toMatchObject({ code: 0 })
    expect((await folder.cloister('rerun', `${format}.ndjson`)).stdout).toContain('equal: jigsaw')
    const audited = await folder.cloister('audit', `${format}.ndjson`, '--rerun', '--trace', table)
    expect(audited).toMatchObject({ code: 0 })
    const records = readFileSync(join(folder.path, `${format}.ndjson`), 'utf8')
    return records.split('\n').filter((line) => line.includes('"type":"submit"'))
  }
  expect(await submits('parquet')).toEqual(await submits('csv'))
  expect(complaint(await run('jobs.parquet', 'no.ndjson'))).toContain(
    'jobs.parquet: found a table in Parquet, expected the columns of the table: --columns names them',
  )
  expect(complaint(await run('jobs.parquet', 'no.ndjson', '--columns', COLUMNS.replace('=size', '=nodes')))).toContain(
    'jobs.parquet, row 2, field nodes: found "1-2"',
  )
})
