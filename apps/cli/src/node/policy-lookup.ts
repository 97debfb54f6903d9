import { type AnyPolicy, builtIn as builtInOrigin, type FoundPolicy, type TaggedProblem } from '@cloister/run'
import { attempt } from '@cloister/run/node'
import { Effect, Layer } from 'effect'
import { Problem } from '../errors/errors.ts'
import { type BuiltInPolicy, lookupRule, noBuiltIn, PolicyLookup, policyProblems } from '../policy/policy-lookup.ts'
import { nearest } from '../terminal/nearest.ts'
import { remark } from '../terminal/output.ts'
import { importModule } from './import-module.ts'
import { installedPackage, installedPolicies, readmeOf } from './installed-packages.ts'

/** Returns the lookup of policies among built-in policies, packages installed in the working directory, and files. */
export function nodePolicyLookup(builtIn: ReadonlyArray<BuiltInPolicy>): Layer.Layer<PolicyLookup> {
  const findBuiltIn = (name: string): Effect.Effect<FoundPolicy | undefined> => {
    const found = builtIn.find((policy) => policy.name === name)
    if (found === undefined) return Effect.succeed(undefined)
    return Effect.map(Effect.promise(found.load), (policy) => ({ policy, origin: builtInOrigin }))
  }
  const reported = new Set<string>()
  const find = Effect.fnUntraced(function* (name: string) {
    const found = yield* findBuiltIn(name)
    if (found !== undefined) {
      if (!reported.has(name)) yield* remarkOnHidden(found.policy)
      reported.add(name)
      return found
    }
    for (const specifier of specifiers(name)) {
      const exports = yield* importModule(specifier)
      if (exports !== undefined) return yield* exportedPolicy(specifier, exports)
    }
    const names = builtIn.map((policy) => policy.name)
    const close = nearest(name, names)
    return yield* new Problem(
      `there is no policy ${JSON.stringify(name)}${close === undefined ? '' : `; did you mean ${close}?`}\n${lookupRule}`,
    )
  })
  const findOfLog = Effect.fnUntraced(function* (name: string) {
    return (yield* findBuiltIn(name)) ?? (yield* noBuiltIn(name))
  })
  const readme = ({ policy, origin }: FoundPolicy): Effect.Effect<string | undefined, TaggedProblem> => {
    const found = origin === builtInOrigin ? builtIn.find(({ name }) => name === policy.name) : undefined
    return found === undefined ? attempt(() => readmeOf(origin, policy.name)) : Effect.promise(found.readme)
  }
  return Layer.succeed(PolicyLookup, {
    builtIn,
    installed: Effect.sync(() => policiesInstalled(builtIn)),
    find,
    findOfLog,
    readme,
    importModule,
  })
}

function packagesOf(name: string): ReadonlyArray<string> {
  return [`@cloister/policy-${name}`, `cloister-policy-${name}`]
}

function specifiers(name: string): ReadonlyArray<string> {
  return /^[a-z0-9-]+$/.test(name) ? [...packagesOf(name), name] : [name]
}

/** Prints a remark on installed packages with the name of a built-in policy, because the built-in policy is used. */
function remarkOnHidden({ name, version }: AnyPolicy): Effect.Effect<void> {
  const others = packagesOf(name).flatMap((specifier) => installedPackage(specifier) ?? [])
  return Effect.forEach(
    others,
    (other) =>
      remark(
        `${name} is the built-in policy ${name}@${version}; --policy ${other.name} uses the installed policy ${other.name}@${other.version}`,
      ),
    { discard: true },
  )
}

/** Lists the installed policies, each with the shortest name by which `--policy` finds the policy. */
function policiesInstalled(builtIn: ReadonlyArray<BuiltInPolicy>) {
  const known = new Set(builtIn.map(({ name }) => name))
  return installedPolicies().map(({ name, version, description }) => {
    const short = name.replace(/^(@cloister\/|cloister-)policy-/, '')
    const isFirst = !known.has(short)
    known.add(short)
    return { name: isFirst ? short : name, version, description, package: name }
  })
}

/** Compiled CommonJS has the default export in the member `default` of the default export. */
function defaultExport(exports: Record<string, unknown>): unknown {
  const exported = exports['default']
  const isCompiled =
    typeof exported === 'object' && exported !== null && '__esModule' in exported && 'default' in exported
  return isCompiled ? exported.default : exported
}

function exportedPolicy(specifier: string, exports: Record<string, unknown>): Effect.Effect<FoundPolicy, Problem> {
  if (!('default' in exports)) {
    const found = Object.keys(exports).sort().join(', ') || 'none'
    return Effect.fail(new Problem(`${specifier} has no default export, expected the policy (found exports: ${found})`))
  }
  const policy = defaultExport(exports)
  const problems = policyProblems(policy).map((problem) => `  - ${problem}`)
  if (problems.length > 0)
    return Effect.fail(
      new Problem(`the default export of ${specifier} is no placement policy:\n${problems.join('\n')}`),
    )
  return Effect.succeed({ policy: policy as AnyPolicy, origin: specifier })
}
