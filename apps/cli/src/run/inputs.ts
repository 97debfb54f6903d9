import { Hash, OtherOrders, OtherRouters, Policies, type RunFiles, type Traces } from '@cloister/run'
import { nodeInputs, parseYaml, readText } from '@cloister/run/node'
import { Effect, Layer } from 'effect'
import { utcOffsetIn } from '../trace/time-zone.ts'
import { orderOfModule } from '../policy/order-lookup.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { routerOfModule } from '../policy/router-lookup.ts'

/** Functions that read the files of a run's description. */
export const runFiles: RunFiles['Service'] = { readText, parseYaml }

/**
 * Returns the services that a simulation needs: files, traces (folder `traceDir`), policies, routers, queue
 * orders and the hash function.
 */
export function runInputs(
  traceDir: string | undefined,
): Layer.Layer<RunFiles | Traces | Policies | Hash, never, PolicyLookup> {
  return Layer.mergeAll(
    nodeInputs(traceDir === undefined ? [] : [traceDir], utcOffsetIn),
    Layer.effect(
      Policies,
      Effect.map(PolicyLookup, ({ find }) => ({ find })),
    ),
    Layer.succeed(OtherRouters, routerOfModule),
    Layer.succeed(OtherOrders, orderOfModule),
  )
}

/** Lookup of policies by names in a log: finds only built-in policies. */
export const policiesOfLogs: Layer.Layer<Policies, never, PolicyLookup> = Layer.effect(
  Policies,
  Effect.map(PolicyLookup, ({ findOfLog }) => ({ find: findOfLog })),
)
