import { halos, MatrixError, parseHalo, parseMatrix, patternNames, patternParts } from '@cloister/communication'
import type { HashFunction } from '@cloister/eventlog'
import type { CommunicationMatrix } from '@cloister/placement'
import { drawCommunication, type Job, type Jobs, mapJobs } from '@cloister/workload'
import { OptionError } from './errors.ts'
import type { RunFiles } from './services.ts'

/**
 * Communication of the jobs. `drawn`: `jobs` of all jobs communicate, each for `share` of its run time; both numbers
 * are in 1/1000. `file`: the trace names the communicating jobs and their shares, and the option gives the pattern.
 */
export type Communication =
  | { readonly kind: 'drawn'; readonly jobs: number; readonly pattern: string; readonly share: number }
  | { readonly kind: 'file'; readonly pattern: string }

/** Accepted forms of the option `communication`, for help and errors. */
export const communicationForms = `none; JOBS%:PATTERN:TIME%, such as 90%:recursive-doubling:50%; or file:PATTERN for the shares in the trace. Patterns: ${patternNames.join(', ')}, and mixtures such as recursive-doubling*3+binomial-tree*7`

/** Former names for the job sets of Mishra et al. The error for a former name shows the present form. */
const formerSets: ReadonlyMap<string, string> = new Map([
  ['mishra-a', '90%:recursive-halving-vector-doubling:33%'],
  ['mishra-b', '90%:recursive-halving-vector-doubling:50%'],
  ['mishra-c', '90%:recursive-halving-vector-doubling:70%'],
  ['mishra-d', '90%:recursive-doubling*15+binomial-tree*35:50%'],
  ['mishra-e', '90%:recursive-doubling*21+binomial-tree*49:70%'],
])

/** Returns the meaning of the option `communication`; undefined for `none`. @throws OptionError for any other form */
export function parseCommunication(text: string): Communication | undefined {
  if (text === 'none') return undefined
  const [first, pattern, last, ...rest] = text.split(':')
  const [jobs, share] = [first, last].map(permille)
  if (rest.length === 0 && pattern !== undefined && patternParts(pattern) !== undefined) {
    if (first === 'file' && last === undefined) return { kind: 'file', pattern }
    if (jobs !== undefined && share !== undefined) return { kind: 'drawn', jobs, pattern, share }
  }
  throw new OptionError({
    option: 'communication',
    reason: `found ${JSON.stringify(text)}, expected ${formerSets.get(text) ?? communicationForms}`,
  })
}

/** Returns the canonical spelling of a communication; `none` for undefined. */
export function formatCommunication(communication: Communication | undefined): string {
  if (communication === undefined) return 'none'
  const { pattern } = communication
  return communication.kind === 'file'
    ? `file:${pattern}`
    : `${communication.jobs / 10}%:${pattern}:${communication.share / 10}%`
}

/** Returns jobs with drawn communication (`drawn`), another pattern (`file`), or no communication (undefined). */
export function withCommunication(jobs: Jobs, communication: Communication | undefined, seed: number): Jobs {
  if (communication?.kind === 'drawn') return drawCommunication(jobs, communication, seed)
  return mapJobs(jobs, (job) => {
    if (job.communication === undefined) return job
    const { communication: own, ...rest } = job
    return communication === undefined ? rest : { ...rest, communication: { ...own, pattern: communication.pattern } }
  })
}

function permille(text: string | undefined): number | undefined {
  const [, whole, decimal = '0'] = /^(\d{1,3})(?:\.(\d))?%$/.exec(text ?? '') ?? []
  const value = Number(whole) * 10 + Number(decimal)
  return whole === undefined || value > 1000 ? undefined : value
}

/** Communication matrix with the path and the text of its file, or with the rule and the text of such a file. */
export interface MatrixFile {
  readonly path: string
  readonly text: string
  readonly matrix: CommunicationMatrix
}

/** Returns the sorted paths of a list such as `halo-8.txt,halo-64.txt`. @throws OptionError if a path is empty */
export function matrixPaths(text: string): ReadonlyArray<string> {
  const paths = text.split(',').map((path) => path.trim())
  if (paths.includes(''))
    throw wrong(
      `found ${JSON.stringify(text)}, expected files with commas between them, such as halo-8.txt,halo-64.txt`,
    )
  return paths.sort()
}

/** Accepted forms of a matrix made by a rule, for help and errors. */
const haloForms = `halo:KIND:RANKS[:SEED] with KIND one of ${halos.join(', ')}`

/**
 * Reads communication matrices from files, or makes matrices by rules such as `halo:27-point:64`. The name of a matrix
 * is the file's name without folder and extension, or the rule with dashes.
 *
 * @throws OptionError with file, line and column if a file holds no matrix, or for an unknown rule; the error of `readText` for a missing file
 */
export function readMatrices(
  paths: ReadonlyArray<string>,
  { readText }: Pick<RunFiles['Service'], 'readText'>,
  hash: HashFunction,
): ReadonlyArray<MatrixFile> {
  return paths.map((path) => {
    const text = path.startsWith('halo:') ? textOfHalo(path) : readText(path)
    const name = path.startsWith('halo:')
      ? path.replaceAll(':', '-')
      : path.replace(/^.*[/\\]/, '').replace(/(?<=.)\.[^.]+$/, '')
    return { path, text, matrix: { name, sha256: sha256Of(text, hash), bytes: bytesOf(text, path) } }
  })
}

function textOfHalo(spec: string): string {
  const rows = parseHalo(spec)
  if (rows === undefined) throw wrong(`found ${JSON.stringify(spec)}, expected ${haloForms}`)
  return rows.map((row) => `${row.join(' ')}\n`).join('')
}

/**
 * Returns the jobs with matrices. A communicating job with as many nodes as a matrix has ranks gets the matrix instead
 * of its pattern. All other jobs stay unchanged.
 *
 * @throws OptionError for two matrices of one size or name, or if no communicating job has the size of a matrix
 */
export function giveMatrices(jobs: Jobs, files: ReadonlyArray<MatrixFile>): Jobs {
  const ofSize = matricesBySize(files)
  let count = 0
  const given = [...jobs].map((job): Job => {
    const matrix = job.communication && ofSize.get(job.size)
    if (matrix === undefined) return job
    count++
    return { ...job, communication: { ...job.communication!, pattern: `matrix:${matrix.name}`, matrix } }
  })
  if (count === 0)
    throw wrong(
      `no communicating job has as many nodes as a matrix has ranks: ${files.map(({ path, matrix }) => `${path} has ${matrix.bytes.length} ranks`).join(', ')}`,
    )
  return given
}

function matricesBySize(files: ReadonlyArray<MatrixFile>): ReadonlyMap<number, CommunicationMatrix> {
  const [bySize, byName] = [new Map<number, MatrixFile>(), new Map<string, MatrixFile>()]
  for (const file of files) {
    const { name, bytes } = file.matrix
    const [sameSize, sameName] = [bySize.get(bytes.length), byName.get(name)]
    if (sameSize !== undefined)
      throw wrong(
        `${sameSize.path} and ${file.path} are both of ${bytes.length} ranks, expected one matrix for each number of ranks, because the size of a job chooses its matrix`,
      )
    if (sameName !== undefined)
      throw wrong(
        `${sameName.path} and ${file.path} are both called ${name}, expected different names, because the log names matrices`,
      )
    bySize.set(bytes.length, file)
    byName.set(name, file)
  }
  return new Map(Array.from(bySize, ([size, { matrix }]) => [size, matrix]))
}

function bytesOf(text: string, path: string): CommunicationMatrix['bytes'] {
  try {
    return parseMatrix(text)
  } catch (error) {
    throw error instanceof MatrixError ? wrong(`${path}, ${error.message}`) : error
  }
}

/** A matrix is valid UTF-8, so the text has the bytes of the file. */
function sha256Of(text: string, hash: HashFunction): string {
  const sum = hash()
  sum.update(new TextEncoder().encode(text))
  return Array.from(sum.digest(), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function wrong(reason: string): OptionError {
  return new OptionError({ option: 'matrices', reason })
}
