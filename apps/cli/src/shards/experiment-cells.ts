import { Effect } from 'effect'
import { program } from '../run/log-target.ts'
import { cellDigest } from '../sweep/cell-digest.ts'
import { readExperiment } from '../sweep/read-experiment.ts'
import { policyVersions } from '../sweep/run-experiment.ts'
import type { Cell } from './cells.ts'

/** Returns the cells of an experiment file in order, with digests for the present versions of program and policies. */
export const experimentCells = Effect.fnUntraced(function* (experiment: string, audit: boolean) {
  const specs = yield* readExperiment(experiment)
  const versions = yield* policyVersions(specs)
  return specs.map((cell): Cell => ({
    cell,
    digest: cellDigest({ cell, program, policy: versions.get(cell.policy)!, audit }),
  }))
})
