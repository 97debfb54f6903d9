import { Hash, Policies, type RunFiles, type Traces } from '@cloister/run'
import { nodeInputs } from '@cloister/run/node'
import { Effect, Layer } from 'effect'
import { utcOffsetIn } from '../trace/time-zone.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'

/** Services for a run of the command line: the file system, the folder of traces, and the lookup of policies. */
export function runInputs(
  traceDir: string | undefined,
): Layer.Layer<RunFiles | Traces | Policies | Hash, never, PolicyLookup> {
  return Layer.merge(
    nodeInputs(traceDir === undefined ? [] : [traceDir], utcOffsetIn),
    Layer.effect(
      Policies,
      Effect.map(PolicyLookup, ({ find }) => ({ find })),
    ),
  )
}

/** Lookup of policies by names in a log: finds only built-in policies. */
export const policiesOfLogs: Layer.Layer<Policies, never, PolicyLookup> = Layer.effect(
  Policies,
  Effect.map(PolicyLookup, ({ findOfLog }) => ({ find: findOfLog })),
)
