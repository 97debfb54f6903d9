import { readLog } from '@cloister/eventlog'
import { openLogFile, sha256 } from '@cloister/eventlog/node'
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tables, type Value } from '../src/index.ts'

const kits = join(import.meta.dirname, '../../eventlog/kits/python')
const golden = join(import.meta.dirname, '../../eventlog/test/golden/3')
const logs = (pattern: string): ReadonlyArray<string> =>
  globSync(pattern, { cwd: golden })
    .filter((name) => !name.endsWith('.json'))
    .sort()

const hasPython = spawnSync('python3', ['--version']).status === 0
if (!hasPython) console.warn('python3 is not installed: the reader of logs for Python is not tested here')

function python(code: string, ...args: ReadonlyArray<string>) {
  return spawnSync('python3', ['-c', code, ...args], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: kits, PYTHONDONTWRITEBYTECODE: '1' },
  })
}

describe.skipIf(!hasPython)('cloister_log.py', () => {
  it('jobs() of every golden log has the rows of the table `jobs`', { timeout: 60_000 }, () => {
    // The file `nothing.ndjson` has no header, so it has no tables.
    const names = logs('{valid,warn}/*.ndjson*').filter((name) => !name.endsWith('nothing.ndjson'))
    const code =
      'import json, sys, cloister_log; json.dump([cloister_log.jobs(each) for each in sys.argv[1:]], sys.stdout)'
    const { stdout, stderr } = python(code, ...names.map((name) => join(golden, name)))
    expect(stderr).toBe('')
    const found = JSON.parse(stdout) as ReadonlyArray<ReadonlyArray<Readonly<Record<string, Value>>>>
    expect(found.flat().length).toBeGreaterThan(100)
    for (const [at, name] of names.entries())
      expect(found[at], name).toEqual(jobsOf(name, Object.keys(found[at][0] ?? {})))
  })

  it('records() refuses golden logs of other formats with a ValueError', { timeout: 60_000 }, () => {
    const names = ['job-log', 'newer-version', 'not-json', 'unknown-feature', 'wrong-seq']
    const code = `
import sys, cloister_log
for path in sys.argv[1:]:
    try:
        list(cloister_log.records(path))
        print("accepted", path)
    except ValueError: pass`
    const { stdout, stderr } = python(code, ...names.map((name) => join(golden, `invalid/${name}.ndjson`)))
    expect([stdout, stderr]).toEqual(['', ''])
  })
})

/** Returns some columns of the table `jobs` of a golden log. A name that is no column of the table has no value. */
function jobsOf(log: string, names: ReadonlyArray<string>): ReadonlyArray<Readonly<Record<string, Value>>> {
  const { columns, batches } = tables.jobs
  const own = [...columns.entries()].filter(([, { name }]) => names.includes(name))
  return [...batches(readLog(openLogFile(join(golden, log)), sha256))].flatMap(({ rows, values }) =>
    Array.from({ length: rows }, (_, row) => Object.fromEntries(own.map(([at, { name }]) => [name, values(at)[row]]))),
  )
}
