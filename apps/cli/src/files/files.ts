import { Context } from 'effect'

/** What to do with a file that is there. */
export type Existing = 'refuse' | 'overwrite'

/** A file that is written beside its place, and put there when it is whole. */
export interface NewFile {
  /** Where it is until then, for other programs that write it by its name. */
  readonly temporary: string
  readonly write: (text: string) => void
  /** Puts it in its place, kept on the disk; gives its size in bytes. */
  readonly commit: () => number
  /** Removes what was written, unless it is in its place. */
  readonly discard: () => void
}

/**
 * Files that commands read and write, and folders that they make. What grows for a long time has a writer of its own:
 * event logs, results of experiments. Every function throws what the operating system says, with the path.
 */
export class Files extends Context.Service<
  Files,
  {
    readonly readText: (path: string) => string
    /** Whole or not at all. */
    readonly writeText: (path: string, text: string, existing: Existing) => void
    /** A file of this process alone: a crash may leave a part of it. */
    readonly writeScratch: (path: string, text: string) => void
    /** Begins a file that is there whole or not at all, whatever ends the program meanwhile. */
    readonly create: (path: string, existing: Existing) => NewFile
    readonly exists: (path: string) => boolean
    /** Whether two paths lead to one file, by links too. */
    readonly isSame: (one: string, other: string) => boolean
    /** In bytes. */
    readonly size: (path: string) => number
    /** Those that it is in too; one that is there stays as it is. */
    readonly makeFolder: (path: string) => void
    /** A new, empty folder that its user alone can read, for the caller to remove. */
    readonly makeTemporaryFolder: (purpose: string) => string
    /** A new file in a new folder, which its user alone can read; gives its path. */
    readonly makePrivateFile: (purpose: string, name: string, text: string) => string
    readonly removeFolder: (path: string) => void
  }
>()('cloister/Files') {}
