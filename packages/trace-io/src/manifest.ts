import manifestJson from '../../../traces/manifest.json' with { type: 'json' }

/** Public log of the manifest, with the filter and arrivals of the log's preset. */
export interface PublicLog {
  /** Name of the log for `--trace`. */
  readonly preset: string
  readonly machine: string
  readonly file: string
  /** Length in bytes and SHA-256 (hex) of the file as downloaded (compressed). */
  readonly bytes: number
  readonly sha256: string
  /** Length and SHA-256 (hex) of the decompressed contents, which identify a log that somebody compressed again. */
  readonly swfBytes: number
  readonly swfSha256: string
  /** Web address of the publisher's page. */
  readonly page: string
  /** Web address of a public copy of the same file. */
  readonly copy: string
  /** Acknowledgement that users of the log should print. */
  readonly acknowledgement: string
  /** Number of lines with jobs in the file. */
  readonly records: number
  /** Canonical spec of the preset's filter; see `Filter`. */
  readonly filter: string
  /** Canonical spec of the preset's submit times; see `Arrivals`. */
  readonly arrivals: string
  /** Number of jobs that the preset's filter keeps. */
  readonly jobs: number
  readonly note?: string
}

/** Trace that the project generates. The folder `traces/` has a copy. */
export interface GeneratedTrace {
  readonly file: string
  /** Spec of the generator, such as `synth:16`. */
  readonly trace: string
  readonly sha256: string
}

/** Contents of the manifest: the public logs with presets, and the generated traces. */
export interface TraceManifest {
  readonly logs: ReadonlyArray<PublicLog>
  readonly generated: ReadonlyArray<GeneratedTrace>
}

const manifest: TraceManifest = manifestJson

/** Returns the contents of `traces/manifest.json`. */
export function traceManifest(): TraceManifest {
  return manifest
}

/** Returns the public log of a preset; undefined if no preset has the name. */
export function publicLog(preset: string): PublicLog | undefined {
  return manifest.logs.find((log) => log.preset === preset)
}
