import { dirname, join } from 'node:path'
import type { Files, NewFile } from '../files/files.ts'
import { checkOutputs, type OutputRule } from '../files/outputs.ts'

/** File to write in pieces. An empty name stands for the output path itself. */
export interface OutputFile {
  readonly name: string
  readonly pieces: Iterable<string>
}

export interface Written {
  readonly file: string
  readonly bytes: number
}

/** Number of characters from which gathered pieces are written. */
const CHUNK = 1 << 18

/**
 * Writes either all files or none. A failure in the last file leaves nothing of the other files.
 *
 * @throws OutputIsInputError, OutputTwiceError, FileExistsError before any file is written
 */
export function writeFiles(
  disk: Files['Service'],
  files: ReadonlyArray<OutputFile>,
  out: string,
  rule: OutputRule,
): ReadonlyArray<Written> {
  const paths = files.map(({ name }) => (name === '' ? out : join(out, name)))
  checkOutputs(disk, paths, rule)
  const newFolders = [...new Set(paths.map((path) => dirname(path)))].filter((folder) => !disk.exists(folder))
  const begun: Array<NewFile> = []
  let committed = 0
  try {
    for (const [at, { pieces }] of files.entries()) {
      disk.makeFolder(dirname(paths[at]))
      const file = disk.create(paths[at], rule.force ? 'overwrite' : 'refuse')
      begun.push(file)
      writePieces(file, pieces)
    }
    return begun.map((file, at) => {
      const bytes = file.commit()
      committed++
      return { file: paths[at], bytes }
    })
  } finally {
    for (const file of begun) file.discard()
    if (committed === 0) for (const folder of newFolders) disk.removeFolder(folder)
  }
}

function writePieces(file: NewFile, pieces: Iterable<string>): void {
  const left = pieces[Symbol.iterator]()
  try {
    for (let isLast = false; !isLast;) {
      const chunk = nextChunk(left)
      file.write(chunk.text)
      isLast = chunk.isLast
    }
  } finally {
    left.return?.()
  }
}

/** Text for one write. */
export interface Chunk {
  readonly text: string
  readonly isLast: boolean
}

/** Takes pieces for one write. */
export function nextChunk(left: Iterator<string>): Chunk {
  let text = ''
  while (text.length < CHUNK) {
    const { value, done } = left.next()
    if (done === true) return { text, isLast: true }
    text += value
  }
  return { text, isLast: false }
}
