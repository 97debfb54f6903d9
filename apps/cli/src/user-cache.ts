import { homedir } from 'node:os'
import { join } from 'node:path'

/** The user's own: where others cannot put anything, unlike a folder of temporary files, or that of a log. */
export const userCache: string = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'cloister')
