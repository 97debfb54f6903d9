#!/usr/bin/env node
import './node-version.ts'
import './compile-cache.ts'

// Only now: an old Node could not link what follows.
await import('./start.ts')
