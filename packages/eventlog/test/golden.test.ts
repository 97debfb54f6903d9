import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type Header, headerTopology, LogWriter } from '../src/index.ts'
import { openLogFile, readLogFile, sha256 } from '../src/node/index.ts'
import { stateAfter } from './golden-state.ts'
import { drain } from './reading.ts'
import { concat } from './sample-logs.ts'

/**
 * Logs of every released version: `golden/VERSION/{valid,warn,invalid}`, each with the expected result beside the log.
 * The logs of a released version are never changed, because users keep logs of every version. Until the release of
 * version 3, `pnpm run golden` makes the golden logs of version 3 again.
 */
const versions = ['3']
const statuses = { valid: ['whole'], warn: ['unsealed', 'torn'], invalid: ['corrupt'] } as const

/** Expected result beside a log. The words of a log's `reason` may change, but not its subject. */
interface Expected {
  readonly sha256: string
  readonly outcome: unknown
  /** State after the last accepted record; null if no record is accepted. */
  readonly state: unknown
}

describe.each(
  versions.flatMap((version) => Object.entries(statuses).map(([kind, allowed]) => ({ version, kind, allowed }))),
)('golden logs of version $version in the folder $kind', ({ version, kind, allowed }) => {
  const folder = new URL(`golden/${version}/${kind}/`, import.meta.url)
  const files = readdirSync(folder)
  const logs = files.filter((name) => !name.endsWith('.json'))

  it('each golden log has a file with its expected result', () => {
    expect(logs.length).toBeGreaterThan(3)
    expect(files.filter((name) => name.endsWith('.json'))).toEqual(logs.map((name) => `${name}.json`))
  })

  it.each(logs)('the golden log %s is unchanged, and gives the expected result', (name) => {
    const path = fileURLToPath(new URL(name, folder))
    const expected: Expected = JSON.parse(readFileSync(`${path}.json`, 'utf8'))
    expect(createHash('sha256').update(readFileSync(path)).digest('hex')).toBe(expected.sha256)
    const { records, outcome } = drain(readLogFile(path))
    expect(allowed).toContain(outcome.status)
    expect({ ...outcome, reason: undefined }).toEqual(expected.outcome)
    expect(stateAfter(records)).toEqual(expected.state)
  })
})

it.each([
  'every-record.ndjson',
  'observed.ndjson',
  'two-jobs.ndjson',
  'routed.ndjson',
  'capped.ndjson',
  'placed.ndjson',
  'jigsaw.ndjson.zst',
])('LogWriter.append makes the same bytes from the records of the golden log %s', (name) => {
  const path = fileURLToPath(new URL(`golden/3/valid/${name}`, import.meta.url))
  const { records } = drain(readLogFile(path))
  const header = records[0] as Header
  const chunks: Uint8Array[] = []
  const writer = new LogWriter(header, headerTopology(header), (chunk) => chunks.push(chunk), sha256)
  for (const record of records)
    if (record.type !== 'header' && record.type !== 'seal' && record.type !== 'unknown') writer.append(record)
  expect(concat(chunks)).toEqual(concat([...openLogFile(path)]))
})
