import { existsSync } from 'node:fs'
import { findPackageJSON, registerHooks } from 'node:module'
import { resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type AnyPolicy,
  builtIn as builtInOrigin,
  FileError,
  forbidExit,
  type FoundPolicy,
  type TaggedProblem,
} from '@cloister/run'
import { Effect, Layer } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { ImportError, InvalidPolicyError, NoBuiltInPolicyError, NoPolicyError } from '../errors/errors.ts'
import { type BuiltInPolicy, PolicyLookup } from '../policy/policy-lookup.ts'
import { policyProblems } from '../policy/policy-shape.ts'
import { nearest } from '../terminal/nearest.ts'
import { readmeOf } from './policy-readme.ts'

/** Policies that come with the program, packages of the working directory, and files. */
export function nodePolicyLookup(builtIn: ReadonlyArray<BuiltInPolicy>): Layer.Layer<PolicyLookup> {
  const findBuiltIn = (name: string): Effect.Effect<FoundPolicy | undefined> => {
    const found = builtIn.find((policy) => policy.name === name)
    if (found === undefined) return Effect.succeed(undefined)
    return Effect.map(Effect.promise(found.load), (policy) => ({ policy, origin: builtInOrigin }))
  }
  const find = Effect.fnUntraced(function* (name: string) {
    const found = yield* findBuiltIn(name)
    if (found !== undefined) return found
    for (const specifier of specifiers(name)) {
      const exports = yield* importModule(specifier)
      if (exports !== undefined) return yield* exportedPolicy(specifier, exports)
    }
    const names = builtIn.map((policy) => policy.name)
    return yield* new NoPolicyError({ name, suggestion: nearest(name, names) })
  })
  const findOfLog = Effect.fnUntraced(function* (name: string) {
    return (yield* findBuiltIn(name)) ?? (yield* new NoBuiltInPolicyError({ name }))
  })
  const readme = ({ policy, origin }: FoundPolicy): Effect.Effect<string | undefined, TaggedProblem> => {
    const found = origin === builtInOrigin ? builtIn.find(({ name }) => name === policy.name) : undefined
    return found === undefined ? attempt(() => readmeOf(origin, policy.name)) : Effect.promise(found.readme)
  }
  return Layer.succeed(PolicyLookup, { builtIn, find, findOfLog, readme, importModule })
}

function specifiers(name: string): ReadonlyArray<string> {
  return /^[a-z0-9-]+$/.test(name) ? [`@cloister/policy-${name}`, `cloister-policy-${name}`, name] : [name]
}

function importModule(specifier: string): Effect.Effect<Record<string, unknown> | undefined, FileError | ImportError> {
  const isUrl = specifier.startsWith('file:')
  if (!isUrl && !/^\.{0,2}\/|\.[cm]?[jt]s$/.test(specifier)) {
    return isInstalled(specifier) ? importing(specifier, importPackage) : Effect.succeed(undefined)
  }
  if (isUrl) return importing(specifier, (url) => import(url))
  const file = resolve(specifier)
  if (existsSync(file)) return importing(specifier, () => import(pathToFileURL(file).href))
  return Effect.fail(new FileError({ path: specifier, reason: `there is no such file, looked for ${file}` }))
}

function importing(
  specifier: string,
  load: (specifier: string) => Promise<Record<string, unknown>>,
): Effect.Effect<Record<string, unknown>, ImportError> {
  return Effect.acquireUseRelease(
    Effect.sync(forbidExit),
    () => Effect.tryPromise({ try: () => load(specifier), catch: (cause) => new ImportError({ specifier, cause }) }),
    (allowExit) => Effect.sync(allowExit),
  )
}

/** The working directory, as a module in it would be. */
function workingDirectory(): string {
  return pathToFileURL(`${process.cwd()}${sep}`).href
}

function isInstalled(specifier: string): boolean {
  try {
    return findPackageJSON(specifier, workingDirectory()) !== undefined
  } catch {
    return false
  }
}

/**
 * Imports a package as a module in the working directory would. A plain import would look from this file's folder;
 * require.resolve would miss packages that export to `import` only.
 */
async function importPackage(specifier: string): Promise<Record<string, unknown>> {
  const parentURL = workingDirectory()
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

function exportedPolicy(
  specifier: string,
  exports: Record<string, unknown>,
): Effect.Effect<FoundPolicy, InvalidPolicyError> {
  const exported = Object.keys(exports).sort()
  const problems = 'default' in exports ? policyProblems(exports['default']) : []
  if (!('default' in exports) || problems.length > 0)
    return Effect.fail(new InvalidPolicyError({ specifier, problems, exported }))
  return Effect.succeed({ policy: exports['default'] as AnyPolicy, origin: specifier })
}
