import { policyDefects } from '@cloister/placement'
import { type AnyPolicy, attempt, builtIn as builtInOrigin, type FoundPolicy, type TaggedProblem } from '@cloister/run'
import { EXEC, Program } from '@cloister/run/node'
import { Context, Effect, Layer } from 'effect'
import { Problem } from '../errors/errors.ts'
import type { InstalledCode } from '../results/policies.ts'
import { nearest } from '../terminal/nearest.ts'
import { remark } from '../terminal/output.ts'
import { defaultExport, importModule, moduleFiles, noDefaultExport } from './import-module.ts'
import {
  checkoutOf,
  installedCode,
  installedPackage,
  packagesOf,
  readmeOf,
  specifiersOf,
} from './installed-packages.ts'
import { startProgram } from './start-program.ts'

/** Built-in policy. The code of the policy is loaded at the first use. */
export interface BuiltInPolicy {
  readonly name: string
  readonly version: string
  /** Field `description` of the policy's package.json. */
  readonly description: string
  readonly load: () => Promise<AnyPolicy>
  /** Loads the text of the policy's README. */
  readonly readme: () => Promise<string>
}

/** Service that finds policies: built-in policies, installed packages and files. */
export class PolicyLookup extends Context.Service<
  PolicyLookup,
  {
    /** Built-in policies, sorted by name. */
    readonly builtIn: ReadonlyArray<BuiltInPolicy>
    /** Lists the policies installed in the working directory, without loading their code. */
    readonly installed: Effect.Effect<ReadonlyArray<InstalledCode>>
    /** Finds a policy by the value of `--policy`, in the order of `lookupRule`. */
    readonly find: (name: string) => Effect.Effect<FoundPolicy, TaggedProblem>
    /** Finds the policy of a log among built-in policies only, because a stranger's log must not load other code. */
    readonly findOfLog: (name: string) => Effect.Effect<FoundPolicy, TaggedProblem>
    /** Returns the README of a policy's package, or undefined if no README is found. */
    readonly readme: (found: FoundPolicy) => Effect.Effect<string | undefined, TaggedProblem>
    /** Returns the exports of a package in the working directory or of a file, undefined if the package is missing. */
    readonly importModule: (specifier: string) => Effect.Effect<Record<string, unknown> | undefined, TaggedProblem>
  }
>()('cloister/PolicyLookup') {}

/** Returns the exports of a package that few users need. @param need first part of the message without the package */
export const importOptional = Effect.fnUntraced(function* <Exports>(specifier: string, need: string) {
  const exports = yield* (yield* PolicyLookup).importModule(specifier)
  if (exports !== undefined) return exports as Exports
  const checkout = checkoutOf(process.cwd())
  return yield* new Problem(
    `${need}, and the package is not installed in the working directory: ${
      checkout === undefined
        ? `npm install ${specifier}`
        : `npm cannot install packages in this checkout; in another folder, run npm install ${specifier}, and then npm run --silent --prefix ${checkout} cloister -- …, with paths seen from that folder`
    }`,
  )
})

/** Returns the error for the name of a policy in a log that is not the name of a built-in policy. */
export function noBuiltIn(name: string): Problem {
  return new Problem(
    `there is no built-in policy ${JSON.stringify(name)}, and the name in a log never loads other code; --policy names the policy as a file or a package`,
  )
}

/** Rule by which `--policy` finds a policy, for messages. */
export const lookupRule = `--policy takes, in this order:
  - the name of a built-in policy;
  - NAME, if @cloister/policy-NAME or cloister-policy-NAME is installed in the working directory;
  - the name of any package installed in the working directory;
  - the path of ${moduleFiles};
  - ${EXEC}COMMAND, a program in any language that speaks the protocol of policies.
The package or file exports the policy by default.`

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
    if (name.startsWith(EXEC)) return yield* attempt(() => programOf(name))
    for (const specifier of specifiersOf('policy', name)) {
      const exports = yield* importModule(specifier)
      if (exports !== undefined) return yield* exportedPolicy(specifier, exports)
    }
    const names = builtIn.map((policy) => policy.name)
    const close = nearest(name, names)
    return yield* new Problem(
      `there is no policy ${JSON.stringify(name)}${close === undefined ? '' : `; did you mean ${close}?`}\n${lookupRule}`,
    )
  })
  const programs = new Map<string, FoundPolicy>()
  /** Starts each program only once: an experiment finds its policies again for each cell. */
  const programOf = (origin: string): FoundPolicy => {
    const found = programs.get(origin) ?? {
      policy: startProgram(origin, (command) => new Program(command).policy),
      origin,
    }
    programs.set(origin, found)
    return found
  }
  const findOfLog = Effect.fnUntraced(function* (name: string) {
    return (yield* findBuiltIn(name)) ?? (yield* noBuiltIn(name))
  })
  const readme = ({ policy, origin }: FoundPolicy): Effect.Effect<string | undefined, TaggedProblem> => {
    if (origin.startsWith(EXEC)) return Effect.succeed(undefined)
    const found = origin === builtInOrigin ? builtIn.find(({ name }) => name === policy.name) : undefined
    return found === undefined ? attempt(() => readmeOf(origin, policy.name)) : Effect.promise(found.readme)
  }
  return Layer.succeed(PolicyLookup, {
    builtIn,
    installed: Effect.sync(() =>
      installedCode(
        'policy',
        builtIn.map(({ name }) => name),
      ),
    ),
    find,
    findOfLog,
    readme,
    importModule: (specifier) => importModule(specifier),
  })
}

/** Prints a remark on installed packages with the name of a built-in policy, because the built-in policy is used. */
function remarkOnHidden({ name, version }: AnyPolicy): Effect.Effect<void> {
  const others = packagesOf('policy', name).flatMap((specifier) => installedPackage(specifier) ?? [])
  return Effect.forEach(
    others,
    (other) =>
      remark(
        `${name} is the built-in policy ${name}@${version}; --policy ${other.name} uses the installed policy ${other.name}@${other.version}`,
      ),
    { discard: true },
  )
}

function exportedPolicy(specifier: string, exports: Record<string, unknown>): Effect.Effect<FoundPolicy, Problem> {
  if (!('default' in exports)) return Effect.fail(noDefaultExport(specifier, exports, 'policy'))
  const policy = defaultExport(exports)
  const problems = policyDefects(policy).map((problem) => `  - ${problem}`)
  if (problems.length > 0)
    return Effect.fail(
      new Problem(`the default export of ${specifier} is no placement policy:\n${problems.join('\n')}`),
    )
  return Effect.succeed({ policy: policy as AnyPolicy, origin: specifier })
}
