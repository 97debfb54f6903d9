import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Folder, complaint } from './cloister.ts'

describe('export of a run', () => {
  it.each([
    ['chrome', 'run.json', '{"displayTimeUnit":"ms","traceEvents":['],
    ['paje', 'run.paje', '%EventDef PajeDefineContainerType 0'],
    ['swf', 'run.swf', '; Version: 2.2'],
    ['csv', 'jobs.csv', 'job,name,user,account,queue,outcome,'],
    ['ndjson', 'jobs.ndjson', '{"job":"1","name":null,'],
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

  it('export --to parquet prints the name of the missing package', async () => {
    const folder = new Folder()
    expect(
      complaint(await folder.cloister('export', await folder.log(), '--to', 'parquet', '--out', 'jobs.parquet')),
    ).toContain('npm install @duckdb/node-api')
  })

  // DuckDB has 70 MB, and is not installed everywhere. CLOISTER_DUCKDB names a folder with DuckDB in node_modules.
  const duckdb = join(process.env['CLOISTER_DUCKDB'] ?? '/none', 'node_modules')
  if (!existsSync(duckdb))
    console.warn('CLOISTER_DUCKDB names no folder with @duckdb/node-api: Parquet is not written and read back here')
  it.skipIf(!existsSync(duckdb))('export --to parquet writes a file from which DuckDB reads the jobs', async () => {
    const folder = new Folder()
    await folder.log()
    mkdirSync(join(folder.path, 'with'))
    symlinkSync(duckdb, join(folder.path, 'node_modules'))
    // Runs a process, because a process imports DuckDB from the working directory.
    expect(folder.process('export', 'run.ndjson', '--to', 'parquet', '--out', "it's.parquet").stderr).toBe('')
    const script = `
      import { DuckDBInstance } from '@duckdb/node-api'
      const connection = await (await DuckDBInstance.create(':memory:')).connect()
      const reader = await connection.runAndReadAll("SELECT count(*)::INTEGER AS jobs, sum(size)::INTEGER AS nodes, sum(wait)::DOUBLE AS waits FROM 'it''s.parquet'")
      console.log(JSON.stringify(reader.getRowObjects()[0]))`
    folder.write('read.mjs', script)
    const read = spawnSync(process.execPath, ['read.mjs'], { cwd: folder.path, encoding: 'utf8' })
    expect(read.stderr).toBe('')
    const found = JSON.parse(read.stdout) as { jobs: number; waits: number }
    const { wait } = (await folder.json('metrics', 'run.ndjson')) as { wait: { mean: number } }
    expect(found.jobs).toBe(300)
    expect(found.waits / 300).toBeCloseTo(wait.mean, 6)
  })
})
