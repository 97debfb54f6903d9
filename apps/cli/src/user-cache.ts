import { homedir } from 'node:os'
import { join } from 'node:path'

/** Cache folder of the user. Unlike in a temporary folder or a log's folder, other users cannot write there. */
export const userCache: string = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'cloister')
