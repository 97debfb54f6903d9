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
 * Steps of a protocol. A step yields a call of the file system, and the runner of the steps returns the answer. After a
 * failed call the runner ends the steps. One protocol thus serves synchronous programs, asynchronous programs and the
 * model test.
 */
export type Steps<A> = Generator<() => Answer<unknown>, A, unknown>

/** Runs steps with synchronous calls. @throws the error of the operating system */
export function runSync<A>(steps: Steps<A>): A {
  let step = steps.next()
  while (step.done !== true) step = steps.next(step.value())
  return step.value
}

/** Runs steps with calls that return promises. Fails with the error of the operating system. */
export async function runAsync<A>(steps: Steps<A>): Promise<A> {
  let step = steps.next()
  while (step.done !== true) step = steps.next(await step.value())
  return step.value
}

/** Makes a call. @param answers results in place of errors, by error code; `*` for every other code */
function* ask<A, B = never>(call: () => Answer<A>, answers: Readonly<Record<string, B>> = {}): Steps<A | B> {
  const recover = (error: unknown): B => {
    const { code = '' } = error as NodeJS.ErrnoException
    for (const each of [code, '*']) if (Object.hasOwn(answers, each)) return answers[each]
    throw error
  }
  const recovering = (): Answer<A | B> => {
    try {
      const answer = call()
      return answer instanceof Promise ? answer.catch(recover) : answer
    } catch (error) {
      return recover(error)
    }
  }
  return (yield recovering) as A | B
}

/** Returns the names in a folder; empty if the folder does not exist. */
export function names(calls: FileCalls, folder: string): Steps<ReadonlyArray<string>> {
  return ask(() => calls.readdir(folder), { ENOENT: [] })
}

/** Returns the text of a file; undefined if the file does not exist. The read of a pipe does not wait for a writer. */
export function read(calls: FileCalls, path: string): Steps<string | undefined> {
  const flag = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
  return ask(() => calls.readFile(path, { encoding: 'utf8', flag }), { ENOENT: undefined })
}

export function remove(calls: FileCalls, path: string): Steps<void> {
  return ask(() => calls.rm(path, { force: true }))
}

/** Removes a file that nobody reads again. Ignores errors. */
export function tryRemove(calls: FileCalls, path: string): Steps<void> {
  return ask(() => calls.rm(path, { force: true }), { '*': undefined })
}

/** Removes a folder unless the folder has files. */
export function removeEmpty(calls: FileCalls, folder: string): Steps<void> {
  return ask(() => calls.rmdir(folder), { ENOTEMPTY: undefined, EEXIST: undefined, ENOENT: undefined })
}

/** Path of a new file, its folder, and a path in the same folder for a temporary file that no other process uses. */
interface NewFile {
  readonly folder: string
  readonly path: string
  readonly draft: string
}

/** Most attempts to write into a folder that other processes remove whenever the folder is empty. */
const ATTEMPTS = 10
const exists = { EEXIST: 'exists' } as const
/** Errors of file systems that have no hard links. */
const withoutLinks = { EPERM: 'no links', ENOTSUP: 'no links', ENOSYS: 'no links', EMLINK: 'no links' } as const

/**
 * Makes a file with its whole text in one step, and returns true; returns false if the file exists. Makes the folder of
 * the file if the folder does not exist. After an error, the file and the draft may exist or not.
 */
export function* create(calls: FileCalls, { folder, path, draft }: NewFile, text: string): Steps<boolean> {
  const write = (): Answer<void> => calls.writeFile(draft, text, { flag: 'w' })
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
    if ((yield* ask(write, { ENOENT: 'no folder' })) !== 'no folder') break
    yield* ask(() => calls.mkdir(folder), { EEXIST: undefined })
  }
  let made: unknown = yield* ask(() => calls.link(draft, path), { ...exists, ...withoutLinks })
  // A crash of the host in this call may leave a file without its text.
  if (made === 'no links') made = yield* ask(() => calls.writeFile(path, text, { flag: 'wx' }), exists)
  yield* tryRemove(calls, draft)
  return made !== 'exists'
}
