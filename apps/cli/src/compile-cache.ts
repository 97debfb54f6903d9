import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

// Half of a start is compiling what the last start compiled. The user's own cache holds it, as in user-cache.ts: that file is not
// asked, since the bundle would then load all that a start needs before it knows where compiled code is kept. Where the cache cannot
// be written, nothing is kept.
const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
module.enableCompileCache?.(join(cache, 'cloister'))
