import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

// Compiling takes half of the time in which the program starts, and Node can keep compiled code in the cache of the
// user. The path below repeats user-cache.ts. An import of user-cache.ts would make the bundle load all modules before
// Node knows the cache. If Node cannot write the cache, Node keeps nothing.
const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
module.enableCompileCache?.(join(cache, 'cloister'))
