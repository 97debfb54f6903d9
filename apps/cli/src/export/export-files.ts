import { closeSync, existsSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FileExistsError } from '../errors/errors.ts'

/** A file to be written piece by piece; with an empty name it is the output path itself. */
export interface OutputFile {
  readonly name: string
  readonly pieces: Iterable<string>
}

export interface Written {
  readonly file: string
  readonly bytes: number
}

/** Pieces are gathered to about this many characters for each write. */
const CHUNK = 1 << 18

/** @throws FileExistsError where one of them exists, before any is written */
export function writeFiles(files: ReadonlyArray<OutputFile>, out: string, force: boolean): ReadonlyArray<Written> {
  const paths = files.map(({ name }) => (name === '' ? out : join(out, name)))
  for (const path of paths) refuseToOverwrite(path, force)
  return files.map(({ pieces }, at) => {
    mkdirSync(dirname(paths[at]), { recursive: true })
    const file = openSync(paths[at], 'w')
    try {
      writePieces(file, pieces)
    } finally {
      closeSync(file)
    }
    return { file: paths[at], bytes: statSync(paths[at]).size }
  })
}

export function refuseToOverwrite(path: string, force: boolean): void {
  if (existsSync(path) && !force) throw new FileExistsError({ path, remedy: '--force overwrites it' })
}

function writePieces(file: number, pieces: Iterable<string>): void {
  let chunk = ''
  for (const piece of pieces) {
    chunk += piece
    if (chunk.length < CHUNK) continue
    writeWhole(file, chunk)
    chunk = ''
  }
  writeWhole(file, chunk)
}

function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
}
