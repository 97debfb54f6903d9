import { MatrixError, parseMatrix } from '@cloister/communication'
import type { HashFunction } from '@cloister/eventlog'
import type { CommunicationMatrix } from '@cloister/placement'
import type { Job } from '@cloister/workload'
import { OptionError } from './errors.ts'
import type { RunFiles } from './services.ts'

/** A communication matrix and the file that it was read from. */
export interface MatrixFile {
  readonly path: string
  readonly matrix: CommunicationMatrix
}

/** The files of `halo-8.txt,halo-64.txt`, in the order of their names. @throws OptionError */
export function matrixPaths(text: string): ReadonlyArray<string> {
  const paths = text.split(',').map((path) => path.trim())
  if (paths.includes(''))
    throw wrong(
      `found ${JSON.stringify(text)}, expected files with commas between them, such as halo-8.txt,halo-64.txt`,
    )
  return paths.sort()
}

/**
 * Reads communication matrices. Each is called as its file is, without folder and ending.
 *
 * @throws OptionError that names file, line and column, or what keeps the file from being read
 */
export function readMatrices(
  paths: ReadonlyArray<string>,
  { readText }: Pick<RunFiles['Service'], 'readText'>,
  hash: HashFunction,
): ReadonlyArray<MatrixFile> {
  return paths.map((path) => {
    const text = readText(path)
    const name = path.replace(/^.*[/\\]/, '').replace(/(?<=.)\.[^.]+$/, '')
    return { path, matrix: { name, sha256: sha256Of(text, hash), bytes: bytesOf(text, path) } }
  })
}

/**
 * The jobs, those that communicate with the matrix of as many ranks as they have nodes, where there is one: it takes the
 * place of their pattern.
 *
 * @throws OptionError where two matrices are of one size or name, or none is of the size of a job that communicates
 */
export function giveMatrices(jobs: ReadonlyArray<Job>, files: ReadonlyArray<MatrixFile>): ReadonlyArray<Job> {
  const ofSize = matricesBySize(files)
  const given = jobs.map((job) => {
    const matrix = job.communication && ofSize.get(job.size)
    return matrix === undefined
      ? job
      : { ...job, communication: { ...job.communication!, pattern: `matrix:${matrix.name}`, matrix } }
  })
  if (given.every((job, at) => job === jobs[at]))
    throw wrong(
      `no job that communicates has as many nodes as a matrix has ranks: ${files.map(({ path, matrix }) => `${path} is of ${matrix.bytes.length}`).join(', ')}`,
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
        `${sameSize.path} and ${file.path} are both of ${bytes.length} ranks, expected one matrix of each size: which of them a job has does not follow`,
      )
    if (sameName !== undefined)
      throw wrong(
        `${sameName.path} and ${file.path} are both called ${name}, expected names of their own: the log tells matrices apart by them`,
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

/** Of the file: whatever is not UTF-8 in it is no matrix either. */
function sha256Of(text: string, hash: HashFunction): string {
  const sum = hash()
  sum.update(new TextEncoder().encode(text))
  return Array.from(sum.digest(), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function wrong(reason: string): OptionError {
  return new OptionError({ option: 'matrices', reason })
}
