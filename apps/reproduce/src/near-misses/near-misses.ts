import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { bestMakespan } from './best-makespan.ts'
import { laasSamples } from './laas-samples.ts'
import { laasUtilization } from './laas-utilization.ts'
import { llnlWaits } from './llnl-waits.ts'

/** What was varied of what the papers leave open, and how far it moved the values that are just outside of theirs. */
export const nearMisses: Experiment = Effect.gen(function* () {
  const tables = yield* Effect.all([laasUtilization, laasSamples, bestMakespan, llnlWaits])
  return { tables, comparisons: [], charts: [] }
})
