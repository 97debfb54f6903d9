import { Context } from 'effect'

/** Action if a file exists already. */
export type Existing = 'refuse' | 'overwrite'

/** File written beside its final path, and moved there once complete. */
export interface NewFile {
  /** Temporary path of the file, for other programs that write the file by name. */
  readonly temporary: string
  readonly write: (text: string) => void
  /** Moves the file to its final path, saved on the disk. Returns the file's size in bytes. */
  readonly commit: () => number
  /** Removes the temporary file, unless the file is at its final path. */
  readonly discard: () => void
}

/**
 * Files that commands read and write, and folders that commands create. Files that grow for a long time have own
 * writers: event logs and results of experiments. Every function throws the error of the operating system, with the
 * path.
 */
export class Files extends Context.Service<
  Files,
  {
    readonly readText: (path: string) => string
    /** Writes a text completely or not at all. */
    readonly writeText: (path: string, text: string, existing: Existing) => void
    /** Writes a file that only this process uses. A crash may leave a partial file. */
    readonly writeScratch: (path: string, text: string) => void
    /** Begins a file that appears completely or not at all, even if the program is ended meanwhile. */
    readonly create: (path: string, existing: Existing) => NewFile
    readonly exists: (path: string) => boolean
    /** Returns true if two paths lead to one file, directly or through links. */
    readonly isSame: (one: string, other: string) => boolean
    /** Returns the size of a file in bytes. */
    readonly size: (path: string) => number
    /** Creates a folder and its parent folders. An existing folder stays unchanged. */
    readonly makeFolder: (path: string) => void
    /** Creates an empty folder, readable by the user only. The caller removes the folder. */
    readonly makeTemporaryFolder: (purpose: string) => string
    /** Creates a file in a new folder, readable by the user only. Returns the file's path. */
    readonly makePrivateFile: (purpose: string, name: string, text: string) => string
    readonly removeFolder: (path: string) => void
  }
>()('cloister/Files') {}
