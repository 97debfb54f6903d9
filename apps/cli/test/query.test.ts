import { queries } from '@cloister/exports'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { complaint, Folder } from './cloister.ts'

interface Answered {
  readonly query: string
  readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly more: boolean
}

const answer = async (folder: Folder, ...args: ReadonlyArray<string>): Promise<Answered> =>
  (await folder.json(...args)) as Answered

const column = `{ name: 'jobs', type: 'int64', unit: 'jobs', nullable: false, meaning: 'number of jobs' }`
const own = (rows: string): string => `
  interface Log { rows(table: string, columns: ReadonlyArray<string>): Iterable<Readonly<Record<string, unknown>>> }
  export default {
    contract: 1,
    name: 'count',
    description: 'How many jobs has the log?',
    columns: [${column}],
    rows: (log: Log) => ${rows},
  }`

describe('query', () => {
  it('query without a name lists the queries', async () => {
    const folder = new Folder()
    const log = await folder.log()
    const { stdout } = await folder.cloister('query', log)
    for (const { name, description } of queries) expect(stdout).toMatch(new RegExp(`^${name} +${description.replace('?', '\\?')}$`, 'm')) // prettier-ignore
    const listed = (await folder.json('query', log)) as { readonly queries: ReadonlyArray<{ readonly name: string }> }
    expect(listed.queries.map(({ name }) => name)).toEqual(queries.map(({ name }) => name))
    expect(complaint(await folder.cloister('query', log, '--first', '3'))).toContain('--first and --out need a query')
  })

  it('query prints the first rows as a table, and with --json all rows', async () => {
    const folder = new Folder()
    const log = await folder.log()
    const all = await answer(folder, 'query', log, 'worst-waits')
    expect([all.query, all.more]).toEqual(['worst-waits', false])
    expect(all.rows.length).toBeGreaterThan(20)
    const { stdout } = await folder.cloister('query', log, 'worst-waits')
    expect(stdout.split('\n')).toHaveLength(2 + 20 + 3)
    expect(stdout).toContain('20 rows shown; --first N prints more rows')
    const [first, second] = (await answer(folder, 'query', log, 'worst-waits', '--first', '2')).rows
    expect([first, second]).toEqual(all.rows.slice(0, 2))
    expect(complaint(await folder.cloister('query', log, 'worst-waits', '--first', '0'))).toContain('--first: found 0')
  })

  it('query --out writes all rows in the format of the ending', async () => {
    const folder = new Folder()
    const log = await folder.log()
    const { rows } = await answer(folder, 'query', log, 'who-delayed-whom')
    const written = await folder.json('query', log, 'who-delayed-whom', '--out', 'delays.ndjson')
    expect(written).toMatchObject({ file: 'delays.ndjson', rows: rows.length })
    const lines = readFileSync(join(folder.path, 'delays.ndjson'), 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(rows)
    for (const [out, beginning] of [
      ['d.csv', 'job,user,'],
      ['d.parquet', 'PAR1'],
      ['d.arrows', '\xff'],
    ] as const) {
      const { stdout } = await folder.cloister('query', log, 'who-delayed-whom', '--out', out, '--first', '5')
      expect(stdout).toMatch(new RegExp(`^${out}, 5 rows, `))
      expect(readFileSync(join(folder.path, out), 'latin1').startsWith(beginning)).toBe(true)
    }
    const again = ['query', log, 'who-delayed-whom', '--out', 'd.csv'] as const
    expect(complaint(await folder.cloister(...again))).toContain('d.csv exists; --force overwrites it')
    expect(complaint(await folder.cloister('query', log, 'lost-work', '--out', 'x.swf'))).toContain(
      '--out x.swf: expected a file of a table: .csv, .ndjson, .parquet or .arrows',
    )
  })

  it('query asks a query of a TypeScript file, and refuses rows that do not fit the columns', async () => {
    const folder = new Folder()
    const log = await folder.log()
    folder.write('mine.ts', own(`[{ jobs: [...log.rows('jobs', ['job'])].length }]`))
    expect((await answer(folder, 'query', log, './mine.ts')).rows).toEqual([{ jobs: 300 }])
    folder.write('wrong.ts', own(`[{ jobs: 'many' }]`))
    expect(complaint(await folder.cloister('query', log, './wrong.ts'))).toBe(
      'cloister: query count: row 0: jobs is "many", expected a whole number (type int64)\n',
    )
    folder.write('throws.ts', own(`{ throw new Error('no idea') }`))
    expect(complaint(await folder.cloister('query', log, './throws.ts'))).toContain(
      'query count (./throws.ts) failed: no idea',
    )
    folder.write('table.ts', own(`[...log.rows('jbos', [])]`))
    expect(complaint(await folder.cloister('query', log, './table.ts'))).toContain('a log has no table "jbos"')
  })

  it('query refuses an unknown name, and a file whose default export is no query', async () => {
    const folder = new Folder()
    const log = await folder.log()
    expect(complaint(await folder.cloister('query', log, 'worst-wait'))).toContain(
      'there is no query "worst-wait"; did you mean worst-waits?',
    )
    folder.write('none.mjs', 'export default { contract: 1, name: "x" }')
    const message = complaint(await folder.cloister('query', log, './none.mjs'))
    expect(message).toContain(
      'the default export of ./none.mjs is no query:\n  - description is missing, expected one line',
    )
    expect(message).toContain('  - rows is missing, expected a function (log) that returns the rows')
  })

  it('query reports a torn log', async () => {
    const folder = new Folder()
    const text = readFileSync(join(folder.path, await folder.log()), 'utf8')
    folder.write('torn.ndjson', text.slice(0, Math.floor(text.length / 2)))
    const { code, stdout, stderr } = await folder.cloister('query', 'torn.ndjson', 'worst-waits')
    expect([code, stdout.includes('overtaken by'), stderr.includes('torn')]).toEqual([3, true, true])
  })
})
