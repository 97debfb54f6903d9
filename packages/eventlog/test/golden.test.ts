import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Header, headerTopology, LogState, LogWriter } from '../src/index.ts'
import { sha256 } from '../src/node.ts'
import { read } from './reading.ts'
import { retell } from './retell.ts'
import { concat } from './sample-logs.ts'

// Logs of every version that was ever written. They are never changed: what they hold was written by somebody.
const folder = new URL('golden/', import.meta.url)
const digests: { readonly [name: string]: string } = {
  'v1.ndjson': '6358981f1a85f6fff963d6a9a155470935ecbb925581212fdf38756371ffd3be',
}

describe('logs written before', () => {
  it('are all known', () => {
    expect(readdirSync(folder)).toEqual(Object.keys(digests))
  })

  for (const [name, digest] of Object.entries(digests)) {
    const bytes = new Uint8Array(readFileSync(new URL(name, folder)))

    it(`${name} is as it was, and can be read and replayed`, () => {
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(digest)
      const { records, outcome } = read(bytes)
      expect(outcome.status).toBe('whole')
      const state = new LogState(records[0] as Header)
      for (const record of records.slice(1)) state.apply(record)
      expect(state.ended).toBe(true)
    })
  }

  it('v1.ndjson is what the writer makes of its records', () => {
    const bytes = new Uint8Array(readFileSync(new URL('v1.ndjson', folder)))
    const { records } = read(bytes)
    const header = records[0] as Header
    const chunks: Uint8Array[] = []
    const writer = new LogWriter(header, headerTopology(header), (chunk) => chunks.push(chunk), sha256)
    for (const record of records) retell(record, writer)
    expect(concat(chunks)).toEqual(bytes)
  })
})
