import { Context } from 'effect'

/** Action if the output file exists already: fail, or replace the file. */
export type Existing = 'refuse' | 'overwrite'

/** File that is written under a temporary name, and moved to the final path once complete. */
export interface NewFile {
  /** Temporary path of the file, for another program that writes the file instead of `write`. */
  readonly temporary: string
  readonly write: (text: string) => void
  /** Flushes the file to the disk, and moves the file to the final path. Returns the size of the file in bytes. */
  readonly commit: () => number
  /** Removes the temporary file. Does nothing after `commit`. */
  readonly discard: () => void
}

/**
 * File system of the commands. Event logs and results of experiments have separate writers, because these files grow
 * for a long time. Every function throws the error of the operating system, with the path.
 */
export class Files extends Context.Service<
  Files,
  {
    readonly readText: (path: string) => string
    /** Writes a text file that appears completely or not at all. */
    readonly writeText: (path: string, text: string, existing: Existing) => void
    /** Writes a file for use by this process only. A crash may leave a partial file. */
    readonly writeScratch: (path: string, text: string) => void
    /** Begins a file that appears completely or not at all, even if the program is killed before `commit`. */
    readonly create: (path: string, existing: Existing) => NewFile
    readonly exists: (path: string) => boolean
    /** Returns true if two paths lead to one file, directly or through links. */
    readonly isSame: (one: string, other: string) => boolean
    /** Returns the size of a file in bytes. */
    readonly size: (path: string) => number
    /** Creates a folder and its parent folders. An existing folder stays unchanged. */
    readonly makeFolder: (path: string) => void
    /** Creates an empty temporary folder, readable only by the user. The caller removes the folder. */
    readonly makeTemporaryFolder: (purpose: string) => string
    /** Creates a file in a new temporary folder, readable only by the user. Returns the path of the file. */
    readonly makePrivateFile: (purpose: string, name: string, text: string) => string
    readonly removeFolder: (path: string) => void
  }
>()('cloister/Files') {}
