import { OptionError } from '@cloister/run'
import { Effect, Option } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { parseJson } from '../run/spec-of-flags.ts'
import { subjectsOf } from './fuzz-case.ts'

/**
 * Returns each policy of `--policy`, by default each built-in policy, with each configuration to test. Fails if a
 * policy does not exist, or if `--policy-config` is given without `--policy`.
 */
export const subjectsGiven = Effect.fnUntraced(function* (
  policy: ReadonlyArray<string>,
  policyConfig: Option.Option<string>,
) {
  if (Option.isSome(policyConfig)) {
    yield* attempt(() => parseJson('config', policyConfig.value))
    if (policy.length === 0)
      return yield* new OptionError({
        option: 'policy-config',
        reason: 'needs --policy: the policy with this configuration',
      })
  }
  const { builtIn, find } = yield* PolicyLookup
  for (const name of policy) yield* find(name)
  const names = policy.length > 0 ? policy : builtIn.map(({ name }) => name)
  return subjectsOf(names, Option.getOrUndefined(policyConfig))
})
