import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Existing, NewFile } from '../files/files.ts'
import { withPath } from '../files/with-path.ts'
import { partName, removeLeftParts } from './part-files.ts'

/**
 * Begins a file under a temporary name in the folder of the final path, and removes partial files of ended processes
 * from this folder. If the final path is a link, the target of the link is replaced. A pipe or a device is written
 * directly.
 */
export function createFile(path: string, existing: Existing): NewFile {
  return withPath(path, () => {
    if (existing === 'refuse' && lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw existsError(path)
    const there = statSync(path, { throwIfNoEntry: false })
    // Paths in /dev and /proc may be standard streams of a process. Such a stream is written directly even if it is a
    // file.
    const isStream = (there !== undefined && !there.isFile()) || /^\/(dev|proc)\//.test(resolve(path))
    if (isStream) return streamTo(path)
    const target = targetOf(path)
    removeLeftParts(dirname(target))
    const temporary = join(dirname(target), partName())
    const file = openSync(temporary, 'wx')
    if (there !== undefined) fchmodSync(file, there.mode & 0o7777)
    return fileBeside({ path, target, temporary, file, existing })
  })
}

interface Begun {
  readonly path: string
  readonly target: string
  readonly temporary: string
  readonly file: number
  readonly existing: Existing
}

function fileBeside({ path, target, temporary, file, existing }: Begun): NewFile {
  let isOpen = true
  const close = (): void => {
    if (!isOpen) return
    isOpen = false
    closeSync(file)
  }
  return {
    temporary,
    write: (text) => withPath(path, () => writeWhole(file, text)),
    commit: () =>
      withPath(path, () => {
        close()
        const size = syncFile(temporary)
        place(temporary, target, existing)
        syncFolder(dirname(target))
        return size
      }),
    discard: () =>
      withPath(path, () => {
        try {
          close()
        } finally {
          rmSync(temporary, { force: true })
        }
      }),
  }
}

function streamTo(path: string): NewFile {
  const file = openSync(path, 'w')
  let isOpen = true
  const close = (): void => {
    if (!isOpen) return
    isOpen = false
    closeSync(file)
  }
  return {
    temporary: path,
    write: (text) => withPath(path, () => writeWhole(file, text)),
    commit: () =>
      withPath(path, () => {
        const { size } = fstatSync(file)
        close()
        return size
      }),
    discard: () => withPath(path, close),
  }
}

/** Returns the path of the file to which a path leads through links, even if the file is missing. */
function targetOf(path: string): string {
  const own = lstatSync(path, { throwIfNoEntry: false })
  if (own?.isSymbolicLink() !== true) return path
  return statSync(path, { throwIfNoEntry: false }) === undefined
    ? targetOf(resolve(dirname(path), readlinkSync(path)))
    : realpathSync(path)
}

/** Opens the file by name, because another program may have written the file. */
function syncFile(path: string): number {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
    return fstatSync(file).size
  } finally {
    closeSync(file)
  }
}

/** With `refuse`, fails if a file has appeared at `target` since the check in `createFile`. */
function place(temporary: string, target: string, existing: Existing): void {
  if (existing === 'overwrite') return renameSync(temporary, target)
  try {
    linkSync(temporary, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    // Without hard links in the file system, a rename must do, which could overwrite a file that appears just now.
    if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw existsError(target)
    return renameSync(temporary, target)
  }
  rmSync(temporary)
}

/** Flushes a folder to the disk, because the folder has the name of the new file. Some systems cannot flush folders. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  } catch {
    // Without a flush of the folder only the name of the file may get lost; the file itself is on the disk.
  }
}

function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
}

function existsError(path: string): Error {
  return Object.assign(new Error(`EEXIST: file already exists, '${path}'`), { code: 'EEXIST', syscall: 'open', path })
}
