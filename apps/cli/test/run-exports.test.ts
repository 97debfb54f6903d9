import { spawnSync } from 'node:child_process'
import { type Column, tables } from '@cloister/exports'
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Folder, complaint } from './cloister.ts'

describe('export of a run', () => {
  it.each([
    ['chrome', 'run.json', '{"displayTimeUnit":"ms","traceEvents":['],
    ['paje', 'run.paje', '%EventDef PajeDefineContainerType 0'],
    ['swf', 'run.swf', '; Version: 2.2'],
    ['csv', 'jobs.csv', 'job,name,user,account,queue,qos,'],
    ['ndjson', 'jobs.ndjson', '{"job":"1","name":null,'],
    ['parquet', 'jobs.parquet', 'PAR1'],
    ['arrow', 'jobs.arrows', '\uFFFD'],
  ])('export --to %s writes one file, and refuses to overwrite an existing file', async (to, file, beginning) => {
    const folder = new Folder()
    const words = ['export', await folder.log('log.ndjson.zst'), '--to', to, '--out', file] as const
    expect(await folder.json(...words)).toEqual({ files: [{ file, bytes: statSync(join(folder.path, file)).size }] })
    expect(readFileSync(join(folder.path, file), 'utf8').startsWith(beginning)).toBe(true)
    expect(complaint(await folder.cloister(...words))).toContain(`${file} exists; --force overwrites it`)
    expect((await folder.cloister(...words, '--force')).code).toBe(0)
  })

  it('export --to batsim writes a folder, and simulate accepts the file of export --to swf', async () => {
    const folder = new Folder()
    await folder.log()
    await folder.cloister('export', 'run.ndjson', '--to', 'batsim', '--out', 'batsim')
    expect(readFileSync(join(folder.path, 'batsim/jobs.csv'), 'utf8').split('\n')).toHaveLength(302)
    await folder.cloister('export', 'run.ndjson', '--to', 'swf', '--out', 'run.swf')
    expect(
      await folder.json('simulate', '--trace', 'run.swf', '--topology', 'radix:6', '--policy', 'jigsaw'),
    ).toMatchObject({ jobs: { submitted: 300 } })
  })

  it('export ends at the end of a torn log, and refuses --at', async () => {
    const folder = new Folder()
    const text = readFileSync(join(folder.path, await folder.log()), 'utf8')
    folder.write('torn.ndjson', text.slice(0, Math.floor(text.length / 2)))
    const { code, stderr } = await folder.cloister('export', 'torn.ndjson', '--to', 'chrome', '--out', 'torn.json')
    expect([code, stderr.includes('torn')]).toEqual([3, true])
    expect(() => JSON.parse(readFileSync(join(folder.path, 'torn.json'), 'utf8')) as unknown).not.toThrow()
    expect(
      complaint(await folder.cloister('export', 'run.ndjson', '--to', 'swf', '--at', '7', '--out', 'x')),
    ).toContain('--at and --seq are only for --to opensm')
  })

  it('export takes the format from the ending of --out, and refuses an unknown ending and a table of another format', async () => {
    const folder = new Folder()
    const log = await folder.log()
    for (const [out, beginning] of [
      ['jobs.csv', 'job,'],
      ['jobs.parquet', 'PAR1'],
      ['run.swf', '; Version'],
    ] as const) {
      expect((await folder.cloister('export', log, '--out', out)).code).toBe(0)
      expect(readFileSync(join(folder.path, out), 'latin1').startsWith(beginning)).toBe(true)
    }
    expect(complaint(await folder.cloister('export', log, '--out', 'jobs.xlsx'))).toContain(
      '--out jobs.xlsx: the name has no ending of a format (.csv,',
    )
    expect(complaint(await folder.cloister('export', log, '--table', 'queue', '--out', 'run.swf'))).toContain(
      '--table is only for the formats csv, ndjson, parquet and arrow, found swf',
    )
  })

  // DuckDB has 70 MB, and is not installed everywhere. CLOISTER_DUCKDB names a folder with DuckDB in node_modules.
  const duckdb = join(process.env['CLOISTER_DUCKDB'] ?? '/none', 'node_modules')
  if (!existsSync(duckdb)) console.warn('CLOISTER_DUCKDB names no folder with @duckdb/node-api: no other program reads the tables here') // prettier-ignore
  it.skipIf(!existsSync(duckdb))(
    'DuckDB reads the same counts and sums from each table in CSV, NDJSON and Parquet',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder()
      await folder.log()
      symlinkSync(duckdb, join(folder.path, 'node_modules'))
      const own: Record<string, ReadonlyArray<unknown>> = {}
      const queries: Array<string> = []
      for (const [name, { columns }] of Object.entries(tables)) {
        for (const format of ['csv', 'ndjson', 'parquet'])
          expect(
            (await folder.cloister('export', 'run.ndjson', '--table', name, '--out', `${name}.${format}`)).code,
          ).toBe(0)
        own[name] = figuresOf(columns, readFileSync(join(folder.path, `${name}.ndjson`), 'utf8'))
        queries.push(...readersOf(name, columns).map((reader) => queryOf(columns, reader)))
      }
      const script = `
        import { DuckDBInstance } from '@duckdb/node-api'
        const connection = await (await DuckDBInstance.create(':memory:')).connect()
        for (const query of ${JSON.stringify(queries)})
          console.log(JSON.stringify((await connection.runAndReadAll(query)).getRowsJson()[0]))`
      folder.write('read.mjs', script)
      const read = spawnSync(process.execPath, ['read.mjs'], { cwd: folder.path, encoding: 'utf8' })
      expect(read.stderr).toBe('')
      const found = read.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as ReadonlyArray<unknown>)
      for (const [at, name] of Object.keys(tables)
        .flatMap((each) => [each, each, each])
        .entries())
        expect(found[at].map(Number), `${name}, ${queries[at]}`).toEqual(own[name])
      // The comparison finds a changed value.
      const changed = readFileSync(join(folder.path, 'jobs.ndjson'), 'utf8').replace('"size":', '"size":1')
      expect(figuresOf(tables.jobs.columns, changed)).not.toEqual(own['jobs'])
    },
  )
})

const types = {
  bool: 'BOOLEAN',
  int32: 'INTEGER',
  int64: 'BIGINT',
  float64: 'DOUBLE',
  utf8: 'VARCHAR',
  timestamp: 'TIMESTAMPTZ',
} as const

/** Returns a SQL expression for each file of a table. */
function readersOf(name: string, columns: ReadonlyArray<Column>): ReadonlyArray<string> {
  const typed = `columns = {${columns.map((column) => `${column.name}: '${types[column.type]}'`).join(', ')}}`
  return [
    `read_csv('${name}.csv', header = true, allow_quoted_nulls = false, ${typed})`,
    `read_json('${name}.ndjson', format = 'newline_delimited', ${typed})`,
    `'${name}.parquet'`,
  ]
}

/** Returns a query for the number of rows, and for a count and a sum of each column: of lengths for texts. */
function queryOf(columns: ReadonlyArray<Column>, reader: string): string {
  const sums = columns.map(({ name, type }) => {
    const value = { utf8: `length(${name})`, bool: `${name}::INTEGER`, timestamp: `epoch_ms(${name})` }[type as string]
    return `count(${name})::DOUBLE, round(coalesce(sum(${value ?? name}), 0)::DOUBLE, 3)`
  })
  return `SELECT count(*)::DOUBLE, ${sums.join(', ')} FROM ${reader}`
}

/** Returns the values of `queryOf` for a table in NDJSON. */
function figuresOf(columns: ReadonlyArray<Column>, ndjson: string): ReadonlyArray<number> {
  const rows = ndjson
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, number | string | boolean | null>)
  const figure = (value: number | string | boolean, type: string): number =>
    type === 'timestamp' ? Date.parse(value as string) : typeof value === 'string' ? value.length : Number(value)
  return [
    rows.length,
    ...columns.flatMap(({ name, type }) => {
      const values = rows.flatMap((row) => (row[name] === null ? [] : [figure(row[name], type)]))
      return [values.length, Math.round(values.reduce((sum, each) => sum + each, 0) * 1000) / 1000]
    }),
  ]
}
