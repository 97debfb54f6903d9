import './compile-cache.ts'
import { workerData } from 'node:worker_threads'
import { builtInPolicies } from 'cloister:builtin-policies'
import { forPolicies } from '@cloister/viewer/server'
import { Effect } from 'effect'
import { nodePolicyLookup, PolicyLookup } from './policy/policy-lookup.ts'

// A worker thread loads only the module of its own task: answers of policies, or cells of an experiment.
const serve =
  workerData === forPolicies
    ? Effect.map(PolicyLookup, (await import('./view/serve-policies.ts')).servePolicies)
    : (await import('./commands/sweep/cells.ts')).serveCells
await Effect.runPromise(Effect.provide(serve, nodePolicyLookup(builtInPolicies)))
