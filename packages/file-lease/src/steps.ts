import { constants, linkSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'

type Answer<A> = A | Promise<A>

/**
 * Calls of the file system that a lease needs: those of `node:fs/promises`, or `syncCalls`. A call fails with the error
 * of the operating system, an `Error` with a `code`.
 */
export interface FileCalls {
  readonly readdir: (folder: string) => Answer<ReadonlyArray<string>>
  readonly readFile: (path: string, options: { readonly encoding: 'utf8'; readonly flag: number }) => Answer<string>
  readonly writeFile: (path: string, text: string, options: { readonly flag: 'w' | 'wx' }) => Answer<void>
  readonly link: (from: string, to: string) => Answer<void>
  readonly mkdir: (folder: string) => Answer<unknown>
  readonly rm: (path: string, options: { readonly force: true }) => Answer<void>
  readonly rmdir: (folder: string) => Answer<void>
}

/** Synchronous calls of the file system, for `runSync`. */
export const syncCalls: FileCalls = {
  readdir: (folder) => readdirSync(folder),
  readFile: readFileSync,
  writeFile: writeFileSync,
  link: linkSync,
  mkdir: (folder) => mkdirSync(folder),
  rm: rmSync,
  rmdir: (folder) => rmdirSync(folder),
}

/**
 * Steps of a protocol. A step yields a call of the file system, and the runner of the steps returns the answer or
 * throws the error of the call. One protocol thus serves synchronous programs, asynchronous programs and the model test.
 */
export type Steps<A> = Generator<() => Answer<unknown>, A, unknown>

/** Runs steps with synchronous calls. @throws the error of the operating system */
export function runSync<A>(steps: Steps<A>): A {
  let step = steps.next()
  while (step.done !== true) {
    let answer: unknown
    try {
      answer = step.value()
    } catch (error) {
      step = steps.throw(error)
      continue
    }
    step = steps.next(answer)
  }
  return step.value
}

/** Runs steps with calls that return promises. Fails with the error of the operating system. */
export async function runAsync<A>(steps: Steps<A>): Promise<A> {
  let step = steps.next()
  while (step.done !== true) {
    let answer: unknown
    try {
      answer = await step.value()
    } catch (error) {
      step = steps.throw(error)
      continue
    }
    step = steps.next(answer)
  }
  return step.value
}

function* ask<A>(call: () => Answer<A>): Steps<A> {
  return (yield call) as A
}

/** Makes a call, and returns `instead` if the call fails with one of the given error codes. */
function* askUnless<A, B>(call: () => Answer<A>, codes: ReadonlyArray<string>, instead: B): Steps<A | B> {
  try {
    return yield* ask(call)
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? '')) return instead
    throw error
  }
}

/** Returns the names in a folder; empty if the folder does not exist. */
export function names(calls: FileCalls, folder: string): Steps<ReadonlyArray<string>> {
  return askUnless(() => calls.readdir(folder), ['ENOENT'], [])
}

/** Returns the text of a file; undefined if the file does not exist. The read of a pipe does not wait for a writer. */
export function read(calls: FileCalls, path: string): Steps<string | undefined> {
  const flag = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
  return askUnless(() => calls.readFile(path, { encoding: 'utf8', flag }), ['ENOENT'], undefined)
}

export function* remove(calls: FileCalls, path: string): Steps<void> {
  yield* ask(() => calls.rm(path, { force: true }))
}

/** Removes a folder unless the folder has files. */
export function* removeEmpty(calls: FileCalls, folder: string): Steps<void> {
  yield* askUnless(() => calls.rmdir(folder), ['ENOTEMPTY', 'EEXIST', 'ENOENT'], undefined)
}

/** Path of a new file, its folder, and a path in the same folder for a temporary file that no other process uses. */
interface NewFile {
  readonly folder: string
  readonly path: string
  readonly draft: string
}

/**
 * Makes a file with its whole text in one step, and returns true; returns false if the file exists. Makes the folder of
 * the file if the folder does not exist. After an error, the file may exist or not.
 */
export function* create(calls: FileCalls, { folder, path, draft }: NewFile, text: string): Steps<boolean> {
  yield* writeDraft(calls, folder, draft, text)
  try {
    return (yield* askUnless(() => calls.link(draft, path), ['EEXIST'], EXISTS)) !== EXISTS
  } catch (error) {
    if (!WITHOUT_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    // A crash of the host in this call may leave a file without its text.
    return (yield* askUnless(() => calls.writeFile(path, text, { flag: 'wx' }), ['EEXIST'], EXISTS)) !== EXISTS
  } finally {
    yield* tryRemove(calls, draft)
  }
}

const EXISTS = 'exists'
/** Errors of file systems that have no hard links. */
const WITHOUT_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'])
/** Most attempts to write into a folder that other processes remove whenever the folder is empty. */
const ATTEMPTS = 10

function* writeDraft(calls: FileCalls, folder: string, draft: string, text: string): Steps<void> {
  for (let attempt = 1; ; attempt++)
    try {
      return yield* ask(() => calls.writeFile(draft, text, { flag: 'w' }))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === ATTEMPTS) throw error
      yield* askUnless(() => calls.mkdir(folder), ['EEXIST'], undefined)
    }
}

/** Removes a file, and ignores errors: the file does no harm. */
export function* tryRemove(calls: FileCalls, path: string): Steps<void> {
  try {
    yield* remove(calls, path)
  } catch {
    // Nobody reads the file again.
  }
}
