import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type AnyContract, currentPolicy } from '@cloister/placement'
import { builtinPolicies } from 'cloister:builtin-policies'
import { Effect } from 'effect'
import { nearest } from '../terminal/nearest.ts'
import { type AnyPolicy, policyProblems } from './policy-shape.ts'
import { Problem } from '../errors/problem.ts'
import { describeThrown } from '../errors/thrown.ts'

/** A policy and where it comes from: `built in`, or the package or file that exports it. */
export interface FoundPolicy {
  readonly policy: AnyPolicy
  readonly origin: string
}

export const builtins: ReadonlyArray<AnyPolicy> = builtinPolicies

export const lookupRule = `A policy is named by
  - the name of a built-in one;
  - else NAME, where @cloister/policy-NAME or cloister-policy-NAME is installed in the working directory;
  - else any package installed there, or the path of a JavaScript or TypeScript file (types that can be erased).
The package or file exports the policy by default.`

/** Finds a policy as a user names it. The rule is `lookupRule`. */
export const findPolicy = Effect.fnUntraced(function* (name: string) {
  const builtin = builtins.find((policy) => policy.name === name)
  if (builtin !== undefined) return { policy: builtin, origin: 'built in' }
  for (const specifier of specifiers(name)) {
    const exports = yield* importFromWorkingDirectory(specifier)
    if (exports !== undefined) return yield* exportedPolicy(specifier, exports)
  }
  return yield* new Problem(`there is no policy ${JSON.stringify(name)}${suggestion(name)}\n${lookupRule}`)
})

/** Finds the policy that a log names. A log may come from anybody, so it never makes code run that is not built in. */
export function findPolicyOfLog(name: string): Effect.Effect<FoundPolicy, Problem> {
  const builtin = builtins.find((policy) => policy.name === name)
  if (builtin !== undefined) return Effect.succeed({ policy: builtin, origin: 'built in' })
  return Effect.fail(
    new Problem(
      `there is no policy ${JSON.stringify(name)} built in, and no log decides what other code is loaded: --policy says where the policy is`,
    ),
  )
}

function specifiers(name: string): ReadonlyArray<string> {
  return /^[a-z0-9-]+$/.test(name) ? [`@cloister/policy-${name}`, `cloister-policy-${name}`, name] : [name]
}

function suggestion(name: string): string {
  const close = nearest(
    name,
    builtins.map((policy) => policy.name),
  )
  return close === undefined ? '' : `; did you mean ${close}?`
}

/** What a module exports; undefined where there is no such package. */
export function importFromWorkingDirectory(
  specifier: string,
): Effect.Effect<Record<string, unknown> | undefined, Problem> {
  const isPath = /^(\.{0,2}\/|file:)|\.[cm]?[jt]s$/.test(specifier)
  const file = specifier.startsWith('file:') ? specifier : resolve(specifier)
  if (isPath && !specifier.startsWith('file:') && !existsSync(file)) {
    return Effect.fail(new Problem(`${specifier}: there is no such file, looked for ${file}`))
  }
  return Effect.tryPromise({
    try: () =>
      isPath ? import(specifier.startsWith('file:') ? specifier : pathToFileURL(file).href) : importPackage(specifier),
    catch: (error) => error,
  }).pipe(
    Effect.catch((error) =>
      isMissing(error, specifier)
        ? Effect.succeed(undefined)
        : Effect.fail(new Problem(`${specifier} does not load: ${loadProblem(error)}`)),
    ),
  )
}

/**
 * Imports a package as a module in the working directory would. A plain import would look from this file's folder;
 * require.resolve would miss packages that export to `import` only.
 */
async function importPackage(specifier: string): Promise<Record<string, unknown>> {
  const parentURL = pathToFileURL(`${process.cwd()}${sep}`).href
  const hooks = registerHooks({
    resolve: (asked, context, next) =>
      asked === specifier && context.parentURL === import.meta.url
        ? next(asked, { ...context, parentURL })
        : next(asked, context),
  })
  try {
    return await import(specifier)
  } finally {
    hooks.deregister()
  }
}

function isMissing(error: unknown, specifier: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes(`package '${specifier}'`)
  )
}

function loadProblem(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return `Node ${process.versions.node} imports no TypeScript; Node 22.18 and newer do`
  }
  return describeThrown(error)
}

function exportedPolicy(specifier: string, exports: Record<string, unknown>): Effect.Effect<FoundPolicy, Problem> {
  if (!('default' in exports)) {
    const names = Object.keys(exports).sort()
    return Effect.fail(
      new Problem(
        `${specifier} has no default export; it should be the policy (exported are: ${names.join(', ') || 'nothing'})`,
      ),
    )
  }
  const problems = policyProblems(exports['default'])
  if (problems.length > 0) {
    return Effect.fail(
      new Problem(
        `the default export of ${specifier} is no placement policy:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
      ),
    )
  }
  return Effect.succeed({ policy: currentPolicy(exports['default'] as AnyContract<any, any>), origin: specifier })
}
