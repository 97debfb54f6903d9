import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

// Half of a start is compiling what the last start compiled. The user's own cache holds it, never a folder of temporary
// files, where others could put code of theirs. Where it cannot be written, nothing is kept.
const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
module.enableCompileCache?.(join(cache, 'cloister'))
