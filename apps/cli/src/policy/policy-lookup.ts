import type { AnyPolicy, FoundPolicy, TaggedProblem } from '@cloister/run'
import { Context, type Effect } from 'effect'

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
