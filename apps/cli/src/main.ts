#!/usr/bin/env node
import './node-version.ts'
import './compile-cache.ts'
import { isMainThread } from 'node:worker_threads'

// Only now: an old Node could not link what follows.
if (isMainThread) await import('./start.ts')
else await import('./start-worker.ts')
