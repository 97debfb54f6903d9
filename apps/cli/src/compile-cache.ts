import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

// Compiling takes half of a start, and Node can keep compiled code in the user's own cache. The path repeats
// user-cache.ts: an import of that file would make the bundle load every module of a start before the cache is known.
// If Node cannot write the cache, Node keeps nothing.
const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
module.enableCompileCache?.(join(cache, 'cloister'))
