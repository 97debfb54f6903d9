import { Schema } from 'effect'
import manifestJson from '../../../traces/manifest.json' with { type: 'json' }

/** A public log: where it is from, how to know it, and which of its jobs the preset simulates. */
export interface PublicLog {
  /** What `--trace` calls it. */
  readonly preset: string
  /** The machine it comes from. */
  readonly machine: string
  readonly file: string
  /** Of the file as downloaded (compressed). */
  readonly bytes: number
  readonly sha256: string
  /** Of its contents decompressed: these are known even where somebody has compressed them anew. */
  readonly swfBytes: number
  readonly swfSha256: string
  /** The page of its publisher. */
  readonly page: string
  /** A public copy of exactly this file. */
  readonly copy: string
  /** What to say when using it. */
  readonly acknowledgement: string
  /** Lines of jobs in the file. */
  readonly records: number
  /** Canonical spec; see `Filter`. */
  readonly filter: string
  readonly arrivals: string
  /** Jobs that the filter keeps. */
  readonly jobs: number
  readonly note?: string
}

/** A trace that the project generates itself and keeps in `traces/`. */
export interface GeneratedTrace {
  readonly file: string
  /** What it is generated from, `synth:16`. */
  readonly trace: string
  readonly sha256: string
}

/** The traces that are known by name: public logs, and generated ones. */
export interface TraceManifest {
  readonly logs: ReadonlyArray<PublicLog>
  readonly generated: ReadonlyArray<GeneratedTrace>
}

const Sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))
const Address = Schema.String.check(Schema.isPattern(/^https?:\/\/\S+$/))
const Count = Schema.Number.check(Schema.isInt(), Schema.isGreaterThan(0))
const Manifest: Schema.Codec<TraceManifest> = Schema.Struct({
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

let decoded: TraceManifest | undefined

/** `traces/manifest.json`, checked. */
export function traceManifest(): TraceManifest {
  return (decoded ??= Schema.decodeUnknownSync(Manifest)(manifestJson, { onExcessProperty: 'error' }))
}

/** The public log of that preset name. */
export function publicLog(preset: string): PublicLog | undefined {
  return traceManifest().logs.find((log) => log.preset === preset)
}
