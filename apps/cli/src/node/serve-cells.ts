import { serveCells as serve } from '@cloister/sweep'
import { Effect } from 'effect'
import type { PolicyLookup } from '../policy/policy-lookup.ts'
import { cellHost } from '../sweep/cell-host.ts'

/** Runs the cells of a sweep in this worker thread. */
export const serveCells: Effect.Effect<void, never, PolicyLookup> = Effect.map(cellHost, serve)
