import { contractDefect } from '@cloister/placement'
import type { AnyPolicy, FoundPolicy, TaggedProblem } from '@cloister/run'
import { Context, Effect } from 'effect'
import { Problem } from '../errors/errors.ts'

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

/** Installed package whose name is that of a policy: `@cloister/policy-NAME` or `cloister-policy-NAME`. */
export interface InstalledPolicy {
  /** Shortest name by which `--policy` finds the policy. */
  readonly name: string
  readonly version: string
  /** Field `description` of the package.json, or an empty text without the field. */
  readonly description: string
  readonly package: string
}

/** Service that finds policies: built-in policies, installed packages and files. */
export class PolicyLookup extends Context.Service<
  PolicyLookup,
  {
    /** Built-in policies, sorted by name. */
    readonly builtIn: ReadonlyArray<BuiltInPolicy>
    /** Lists the policies installed in the working directory, without loading their code. */
    readonly installed: Effect.Effect<ReadonlyArray<InstalledPolicy>>
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
  return yield* new Problem(
    `${need}, and the package is not installed in the working directory: npm install ${specifier}`,
  )
})

/** Returns the error for the name of a policy in a log that is not the name of a built-in policy. */
export function noBuiltIn(name: string): Problem {
  return new Problem(
    `there is no built-in policy ${JSON.stringify(name)}, and the name in a log never loads other code; --policy names the policy as a file or a package`,
  )
}

/** Description of the files that can hold a policy, for messages. */
export const policyFiles =
  'a JavaScript file (.js, .mjs, .cjs) or a TypeScript file (.ts, .mts, .cts; with types that can be erased)'

/** Rule by which `--policy` finds a policy, for messages. */
export const lookupRule = `--policy takes, in this order:
  - the name of a built-in policy;
  - NAME, if @cloister/policy-NAME or cloister-policy-NAME is installed in the working directory;
  - the name of any package installed in the working directory;
  - the path of ${policyFiles}.
The package or file exports the policy by default.`

/**
 * Returns the problems that keep a value from being a placement policy, a sentence for each member; empty for a policy.
 * The function compares no identities of values, because a policy may use a separate copy of Cloister's packages.
 */
export function policyProblems(value: unknown): ReadonlyArray<string> {
  if (typeof value !== 'object' || value === null) return [`the default export is ${kind(value)}, expected an object`]
  const policy = value as Record<string, unknown>
  const problems: string[] = []
  const expect = (member: string, isRight: boolean, right: string): void => {
    if (!isRight)
      problems.push(`${member} ${member in policy ? `is ${kind(policy[member])}` : 'is missing'}, expected ${right}`)
  }
  const defect = contractDefect(policy['contract'])
  if (defect !== undefined) problems.push(defect)
  expect(
    'name',
    typeof policy['name'] === 'string' && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(policy['name']),
    'a string of lower-case letters, digits and "-"',
  )
  expect('version', typeof policy['version'] === 'string', "a string, the package's version")
  expect('config', isStandardSchema(policy['config']), 'a Standard Schema (an object with "~standard")')
  expect(
    'make',
    typeof policy['make'] === 'function',
    'a function (topology, config) that returns a placer or { unsupported }',
  )
  return problems
}

function isStandardSchema(value: unknown): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || !('~standard' in value))
    return false
  const standard = value['~standard'] as { validate?: unknown } | null
  return typeof standard === 'object' && standard !== null && typeof standard.validate === 'function'
}

function kind(value: unknown): string {
  if (value === null || ['number', 'string', 'boolean', 'undefined'].includes(typeof value))
    return JSON.stringify(value) ?? 'undefined'
  return Array.isArray(value) ? 'an array' : typeof value === 'function' ? 'a function' : 'an object'
}
