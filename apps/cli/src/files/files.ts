import { Context } from 'effect'

/**
 * Files that commands read and write whole, and folders that they make. What is written piece by piece has a writer of its
 * own: event logs, results of experiments, exports. Every function throws what the operating system says.
 */
export class Files extends Context.Service<
  Files,
  {
    readonly readText: (path: string) => string
    /** @param existing what to do with a file that is there */
    readonly writeText: (path: string, text: string, existing: 'refuse' | 'overwrite') => void
    readonly exists: (path: string) => boolean
    /** In bytes. */
    readonly size: (path: string) => number
    /** Those that it is in too; one that is there stays as it is. */
    readonly makeFolder: (path: string) => void
    /** A new, empty folder, for the caller to remove. */
    readonly makeTemporaryFolder: (purpose: string) => string
    readonly removeFolder: (path: string) => void
  }
>()('cloister/Files') {}
