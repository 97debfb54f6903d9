import { dirname, join } from 'node:path'
import type { Files, NewFile } from '../files/files.ts'
import { checkOutputs, type OutputRule } from '../files/outputs.ts'

/** Output file of an export, as pieces of text. `name` is the path in the folder `--out`; empty for `--out` itself. */
export interface OutputFile {
  readonly name: string
  readonly pieces: Iterable<string>
}

export interface Written {
  readonly file: string
  readonly bytes: number
}

/** Least number of characters of a write to a file, except the last write. */
const CHUNK = 1 << 18

/**
 * Writes the output files of a command under temporary names, and then moves all files to their paths. If a write
 * fails, no file appears.
 * @throws OutputIsInputError, OutputTwiceError, FileExistsError, all before any file is written
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

/** Text of one write to a file. `isLast` is true if no pieces remain. */
export interface Chunk {
  readonly text: string
  readonly isLast: boolean
}

/** Joins pieces of text until the text is long enough for one write, or no piece remains. */
export function nextChunk(left: Iterator<string>): Chunk {
  let text = ''
  while (text.length < CHUNK) {
    const { value, done } = left.next()
    if (done === true) return { text, isLast: true }
    text += value
  }
  return { text, isLast: false }
}
