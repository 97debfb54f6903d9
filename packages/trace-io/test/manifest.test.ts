import { formatArrivals, formatFilter, parseArrivals, parseFilter } from '@cloister/workload'
import { Schema } from 'effect'
import { expect, test } from 'vitest'
import { publicLog, traceManifest } from '../src/index.ts'

const Sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))
const Address = Schema.String.check(Schema.isPattern(/^https?:\/\/\S+$/))
const Count = Schema.Number.check(Schema.isInt(), Schema.isGreaterThan(0))
const Manifest = Schema.Struct({
  logs: Schema.Array(
    Schema.Struct({
      preset: Schema.String.check(Schema.isPattern(/^[a-z0-9-]+$/)),
      machine: Schema.NonEmptyString,
      file: Schema.NonEmptyString,
      bytes: Count,
      sha256: Sha256,
      swfBytes: Count,
      swfSha256: Sha256,
      page: Address,
      copy: Address,
      acknowledgement: Schema.NonEmptyString,
      records: Count,
      filter: Schema.String,
      arrivals: Schema.String,
      jobs: Count,
      note: Schema.optionalKey(Schema.NonEmptyString),
    }),
  ),
  generated: Schema.Array(Schema.Struct({ file: Schema.NonEmptyString, trace: Schema.NonEmptyString, sha256: Sha256 })),
})

const manifest = traceManifest()

test('traces/manifest.json has exactly the fields of its type', () => {
  expect(Schema.decodeUnknownSync(Manifest)(manifest, { onExcessProperty: 'error' })).toEqual(manifest)
})

test('traces/manifest.json spells filters and arrivals canonically, and has every preset once', () => {
  for (const log of manifest.logs) {
    expect(formatFilter(parseFilter(log.filter))).toBe(log.filter)
    expect(formatArrivals(parseArrivals(log.arrivals))).toBe(log.arrivals)
    expect(log.jobs).toBeLessThanOrEqual(log.records)
    expect(publicLog(log.preset)).toBe(log)
  }
  expect(new Set(manifest.logs.map((log) => log.sha256)).size).toBe(manifest.logs.length)
})
