import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { bestMakespan } from './best-makespan.ts'
import { laasSamples } from './laas-samples.ts'
import { laasUtilization } from './laas-utilization.ts'
import { llnlWaits } from './llnl-waits.ts'

/** Experiment that varies points that papers leave open, for our values that are just outside of a paper's values. */
export const nearMisses: Experiment = Effect.gen(function* () {
  const tables = yield* Effect.all([laasUtilization, laasSamples, bestMakespan, llnlWaits])
  return { tables, comparisons: [], charts: [] }
})
