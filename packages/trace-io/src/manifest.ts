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

const manifest: TraceManifest = manifestJson

/** `traces/manifest.json`. */
export function traceManifest(): TraceManifest {
  return manifest
}

/** The public log of that preset name. */
export function publicLog(preset: string): PublicLog | undefined {
  return manifest.logs.find((log) => log.preset === preset)
}
