#!/usr/bin/env node
import './node-version.ts'
import './compile-cache.ts'

// The import of start.ts is dynamic, because an old Node could not link the modules of start.ts.
await import('./start.ts')
