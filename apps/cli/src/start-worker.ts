import './compile-cache.ts'
import { builtInPolicies } from 'cloister:builtin-policies'
import { Effect } from 'effect'
import { serveCells } from './node/serve-cells.ts'
import { nodePolicyLookup } from './node/policy-lookup.ts'

await Effect.runPromise(Effect.provide(serveCells, nodePolicyLookup(builtInPolicies)))
