import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { decodeRecord, describeOutcome, encodeRecord, type LogRecord } from '../src/index.ts'
import { read } from './reading.ts'
import { example, stateDigest } from './spec-digest.ts'
import { schemaKeys } from './schema-keys.ts'
import { withFields } from './spec-fields.ts'
import { tinyLog } from './tiny-log.ts'

const spec = readFileSync(new URL('../SPEC.md', import.meta.url), 'utf8')
const blocks = [...spec.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(([, language, text]) => ({ language, text }))
const logs = blocks.filter(({ language }) => language === 'ndjson')
const examples: ReadonlyArray<LogRecord> = logs.flatMap(({ text }) => text.trimEnd().split('\n').map(decodeRecord))

/** Yields every key in a value, as paths that begin with `path`. */
function keysOf(path: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => keysOf(path, each))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [`${path}.${key}`, ...keysOf(`${path}.${key}`, inner)])
}

describe('SPEC.md', () => {
  it('SPEC.md has the present table of records; `pnpm run spec` updates the table', () => {
    expect(spec).toBe(withFields(spec))
  })

  it('SPEC.md has only valid records as examples', () => {
    for (const { text } of logs)
      expect(text).toBe(
        text
          .trimEnd()
          .split('\n')
          .map((line) => `${encodeRecord(decodeRecord(line))}\n`)
          .join(''),
      )
  })

  it('SPEC.md shows every type of record, with every possible key', () => {
    const shown = new Set(examples.flatMap((record) => keysOf(record.type, record)))
    expect(schemaKeys.filter((key) => !shown.has(key))).toEqual([])
  })

  it('SPEC.md computes the state of the first seal in its complete log', () => {
    expect(blocks.map(({ language }) => language).filter((language) => language !== 'ndjson')).toEqual(['js'])
    expect(blocks.at(-1)!.text).toContain(`{"seq":4,"t":0,"type":"seal","state":"${example}"`)
  })

  it('SPEC.md has another state digest if two of a thousand nodes exchange their owners', () => {
    const owners = Array.from({ length: 1000 }, (_, node) => Math.floor(node / 10))
    const digests = new Set<string>()
    for (let node = 1; node < 1000; node++)
      digests.add(stateDigest(owners.with(node, owners[node - 1]).with(node - 1, owners[node])))
    // The neighbours of 900 nodes have the same owner.
    expect(digests.size).toBe(100)
  })

  it('SPEC.md ends with a complete log, equal to the log of LogWriter', () => {
    const text = blocks.at(-1)!.text
    expect(text).toBe(Buffer.from(tinyLog()).toString())
    expect(describeOutcome(read(Buffer.from(text)).outcome)).toBe('whole: 15 records, sealed to the end')
  })
})
