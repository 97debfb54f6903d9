import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Cache folder of the user. Other users cannot write there, unlike in a folder for temporary files or in the folder of
 * a log.
 */
export const userCache: string = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'cloister')
