#!/usr/bin/env node
import './node-version.ts'
import './compile-cache.ts'

// A dynamic import, because an old Node could not link the modules of start.ts.
await import('./start.ts')
