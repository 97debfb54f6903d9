import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Traces as RunTraces } from '@cloister/run'
import { nodeInputs } from '@cloister/run/node'
import { TraceNotFoundError, publicLog } from '@cloister/trace-io'
import { findTrace } from '@cloister/trace-io/node'
import { Effect } from 'effect'
import type { LocatedTrace, PaperTrace, Traces } from '../experiment/services.ts'

/**
 * Returns the service of the job logs in a trace folder.
 *
 * @param traceDir path of the trace folder; undefined for no folder
 * @param out folder for lists of jobs that experiments write
 * @param say receives a remark about each trace that is left out because its log is not at hand
 */
export function tracesIn(
  traceDir: string | undefined,
  out: string,
  say: (remark: string) => Effect.Effect<void>,
): Traces['Service'] {
  const missing = new Set<string>()
  return {
    locate: Effect.fnUntraced(function* (trace) {
      const located = locateTrace(trace, traceDir)
      if (!('missing' in located)) return located
      if (!missing.has(trace.name)) yield* say(`${trace.name} is left out: ${located.missing}`)
      missing.add(trace.name)
      return undefined
    }),
    readText: (name) =>
      Effect.sync(() => {
        const path = findFile(traceDir, name)
        return path === undefined ? undefined : readFileSync(path, 'utf8')
      }),
    jobs: ({ trace, filter = '', arrivals }) =>
      RunTraces.pipe(
        Effect.flatMap(({ load }) => load(trace, { filter, procsPerNode: undefined, arrivals, skipBadLines: false })),
        Effect.map(({ workload }) => [...workload.jobs]),
        Effect.provide(nodeInputs(traceDir === undefined ? [] : [traceDir])),
      ),
    write: (name, text) =>
      Effect.sync(() => {
        const path = join(out, name)
        if (existsSync(path) && readFileSync(path, 'utf8') === text) return path
        mkdirSync(out, { recursive: true })
        // Another shard may read the list, so the list appears as a whole.
        writeFileSync(`${path}.${process.pid}`, text)
        renameSync(`${path}.${process.pid}`, path)
        return path
      }),
  }
}

/** Returns the run options for a paper's trace, or in `missing` a text with the absent log and the searched folders. */
function locateTrace(
  { source, arrivals }: Pick<PaperTrace, 'source' | 'arrivals'>,
  traceDir: string | undefined,
): LocatedTrace | { readonly missing: string } {
  if (!('file' in source)) {
    const log = publicLog('trace' in source ? source.trace : source.log)
    try {
      const path = log === undefined ? undefined : findTrace(log, traceDir === undefined ? [] : [traceDir]).path
      // A preset has its own filter. The path of the preset's file instead of the preset's name avoids this filter.
      return 'trace' in source
        ? { trace: source.trace, arrivals }
        : { trace: path ?? source.log, filter: source.filter, arrivals }
    } catch (error) {
      if (error instanceof TraceNotFoundError) return { missing: error.message }
      throw error
    }
  }
  const path = findFile(traceDir, source.file)
  if (path !== undefined) return { trace: path, filter: source.filter, arrivals }
  return {
    missing: `there is no ${source.file} in ${traceDir ?? 'any folder: --trace-dir, or CLOISTER_TRACE_DIR, names one'}; it would be ${source.what}`,
  }
}

/** Finds a file, plain or compressed (`.gz`, `.zst`), in the trace folder or in a folder directly below. */
function findFile(traceDir: string | undefined, file: string): string | undefined {
  const folders = traceDir === undefined ? [] : [traceDir, ...foldersIn(traceDir)]
  return folders
    .flatMap((folder) => ['', '.gz', '.zst'].map((ending) => join(folder, `${file}${ending}`)))
    .find((each) => existsSync(each))
}

function foldersIn(folder: string): ReadonlyArray<string> {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
    .sort()
}
