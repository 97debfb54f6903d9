import { OptionError } from '@cloister/run'
import { Effect, Option } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { parseJson } from '../run/spec-of-flags.ts'
import { subjectsOf } from './fuzz-case.ts'

/** The policies that were asked for, or all that are built in; each must be found, and a configuration must be of one. */
export const subjectsGiven = Effect.fnUntraced(function* (
  policy: ReadonlyArray<string>,
  policyConfig: Option.Option<string>,
) {
  if (Option.isSome(policyConfig)) {
    yield* attempt(() => parseJson('config', policyConfig.value))
    if (policy.length === 0)
      return yield* new OptionError({
        option: 'policy-config',
        reason: 'it needs --policy: say whose configuration it is',
      })
  }
  const { builtIn, find } = yield* PolicyLookup
  for (const name of policy) yield* find(name)
  const names = policy.length > 0 ? policy : builtIn.map(({ name }) => name)
  return subjectsOf(names, Option.getOrUndefined(policyConfig))
})
