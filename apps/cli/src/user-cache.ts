import { homedir } from 'node:os'
import { join } from 'node:path'

/** Cache folder of the user. Only the user can write there, unlike in a temporary folder or in the folder of a log. */
export const userCache: string = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'cloister')
