import { existsSync, readdirSync, type Stats, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { TraceError, TraceNotFoundError } from '../errors.ts'
import { isParquet, type LoadOptions, loadWorkloadFrom, type OpenTrace, type TraceFiles } from '../load-workload.ts'
import type { PublicLog } from '../manifest.ts'
import type { ConvertedWorkload } from '../swf/workload-from-swf.ts'
import { isLarge, openLargeTrace } from './large-file.ts'
import { firstBytes, readTraceFile, sha256, type TraceFile, traceText } from './trace-file.ts'

export { readTraceFile, traceText } from './trace-file.ts'
export type { TraceFile } from './trace-file.ts'

/**
 * Returns the workload of a trace: a preset of the manifest, a generated trace, or a file on disk, plain or compressed.
 * Put `./` before the name of a file that is also the name of a preset, such as `./thunder`.
 *
 * @param options `folders`: folders to search for the logs of presets
 * @throws SpecError for a wrong trace, filter, arrivals or number of processors per node
 * @throws TraceError for a file that cannot be read, is no job log or has no jobs
 * @throws TraceNotFoundError if the file of a preset is in none of the folders
 */
export function loadWorkload(trace: string, { folders = [], ...options }: FileOptions = {}): ConvertedWorkload {
  return loadWorkloadFrom(filesOf(folders), trace, options)
}

/** Returns the workload of a trace as `loadWorkload` does, and also of a table in Parquet with the option `columns`. */
export async function loadTrace(
  trace: string,
  { folders = [], ...options }: FileOptions = {},
): Promise<ConvertedWorkload> {
  const { columns } = options
  const files = filesOf(folders)
  if (columns === undefined || !isParquetFile(trace)) return loadWorkloadFrom(files, trace, options)
  const { readParquet } = await import('../parquet.ts')
  const file = opened(readTraceFile(trace))
  const table = await readParquet(file.text, file.file, columns)
  return loadWorkloadFrom({ ...files, open: () => ({ ...file, table }) }, trace, options)
}

type FileOptions = LoadOptions & { readonly folders?: ReadonlyArray<string> }

function filesOf(folders: ReadonlyArray<string>): TraceFiles {
  return {
    open: (path) => {
      if (isLarge(path)) return openLargeTrace(path)
      return existsSync(path) ? opened(readTraceFile(path)) : undefined
    },
    find: (log) => opened(findTrace(log, folders)),
  }
}

/** A pipe gives its bytes only once, so this function reads no bytes of a pipe. */
function isParquetFile(path: string): boolean {
  return kindOf(path)?.isFile() === true && isParquet(firstBytes(path, 4))
}

function opened(file: TraceFile): OpenTrace {
  return { file: file.path, text: traceText(file), sha256: file.sha256 }
}

/** Number of levels of subfolders that the search for a public log enters. */
const depth = 2

/**
 * Finds the file of a public log in folders and in their subfolders, up to two levels down. A file is the log if the
 * SHA-256 of the stored bytes or of the decompressed contents is as in the manifest. The search reads only files with
 * the name of the log, and files with the length of the log.
 *
 * @throws TraceNotFoundError with addresses to download the log, if no folder has the log
 */
export function findTrace(log: PublicLog, folders: ReadonlyArray<string>): TraceFile {
  const stem = log.file.replace(/\.gz$/, '')
  const names = new Set([stem, `${stem}.gz`, `${stem}.zst`])
  const paths = folders.flatMap((folder) => filesIn(folder, depth))
  const otherFiles: Array<string> = []
  for (const path of paths.filter((name) => names.has(basename(name)))) {
    const file = readTraceFile(path)
    if (isLog(file, log)) return file
    otherFiles.push(path)
  }
  const lengths = new Set([log.bytes, log.swfBytes])
  for (const path of paths.filter((name) => !names.has(basename(name)) && lengths.has(statSync(name).size))) {
    const file = readTraceFile(path)
    if (isLog(file, log)) return file
  }
  throw new TraceNotFoundError({
    preset: log.preset,
    file: log.file,
    sha256: log.sha256,
    folders,
    addresses: [log.page, log.copy],
    otherFiles,
  })
}

function isLog(file: TraceFile, log: PublicLog): boolean {
  if (file.sha256 === log.sha256) return true
  try {
    return sha256(traceText(file)) === log.swfSha256
  } catch (error) {
    if (error instanceof TraceError) return false
    throw error
  }
}

/** Returns the paths of files in a folder and in `levels` levels of subfolders; none if the folder is unreadable. */
function filesIn(folder: string, levels: number): Array<string> {
  let names: Array<string>
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  const entries = names
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => ({ path: join(folder, name), kind: kindOf(join(folder, name)) }))
  const files = entries.filter(({ kind }) => kind?.isFile()).map(({ path }) => path)
  const folders = levels === 0 ? [] : entries.filter(({ kind }) => kind?.isDirectory())
  return [...files, ...folders.flatMap(({ path }) => filesIn(path, levels - 1))]
}

function kindOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}
