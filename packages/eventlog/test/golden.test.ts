import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type Header, headerTopology, type LogRecord, LogState, LogWriter } from '../src/index.ts'
import { openLogFile, readLogFile, sha256 } from '../src/node/index.ts'
import { drain } from './reading.ts'
import { concat } from './sample-logs.ts'

/**
 * Logs of every version that was released: `golden/VERSION/{valid,warn,invalid}`, with what comes of each beside it. They
 * are never changed: somebody keeps such logs.
 */
const versions = ['1', '2']
const statuses = { valid: ['whole'], warn: ['unsealed', 'torn'], invalid: ['corrupt'] } as const

/** What stands beside a log. The wording of a reason may change, what it is about may not. */
interface Expected {
  readonly sha256: string
  readonly outcome: unknown
  /** The state after the last record that is accepted; null where none is. */
  readonly state: unknown
}

function stateAfter(records: ReadonlyArray<LogRecord>): Expected['state'] {
  if (records.length === 0) return null
  const state = new LogState(records[0] as Header)
  for (const record of records.slice(1)) state.apply(record)
  const { seq, t, freeNodes, downNodes, waiting, running, reservations, ended } = state
  return {
    seq,
    t,
    free: freeNodes.size,
    down: downNodes.size,
    waiting: [...waiting.keys()],
    running: [...running.keys()],
    reserved: [...reservations.keys()],
    ended,
  }
}

describe.each(
  versions.flatMap((version) => Object.entries(statuses).map(([kind, allowed]) => ({ version, kind, allowed }))),
)('logs of version $version that are $kind', ({ version, kind, allowed }) => {
  const folder = new URL(`golden/${version}/${kind}/`, import.meta.url)
  const files = readdirSync(folder)
  const logs = files.filter((name) => !name.endsWith('.json'))

  it('are several, each with what comes of it', () => {
    expect(logs.length).toBeGreaterThan(3)
    expect(files.filter((name) => name.endsWith('.json'))).toEqual(logs.map((name) => `${name}.json`))
  })

  it.each(logs)('%s is as it was, and is read as it was', (name) => {
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
  'capped.ndjson',
  'placed.ndjson',
  'jigsaw.ndjson.zst',
])('a valid log of the present version is what the writer makes of its records: %s', (name) => {
  const path = fileURLToPath(new URL(`golden/2/valid/${name}`, import.meta.url))
  const { records } = drain(readLogFile(path))
  const header = records[0] as Header
  const chunks: Uint8Array[] = []
  const writer = new LogWriter(header, headerTopology(header), (chunk) => chunks.push(chunk), sha256)
  for (const record of records)
    if (record.type !== 'header' && record.type !== 'seal' && record.type !== 'unknown') writer.append(record)
  expect(concat(chunks)).toEqual(concat([...openLogFile(path)]))
})
