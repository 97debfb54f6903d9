import type { AnyPolicy, FoundPolicy, TaggedProblem } from '@cloister/run'
import { Context, type Effect } from 'effect'

/** Built-in policy, loaded at its first use. */
export interface BuiltInPolicy {
  readonly name: string
  readonly version: string
  /** Description in the policy's package.json. */
  readonly description: string
  readonly load: () => Promise<AnyPolicy>
  /** Loads the text of the README. */
  readonly readme: () => Promise<string>
}

/** Installed package with the name of a policy. */
export interface InstalledPolicy {
  /** Shortest unique name of the policy. */
  readonly name: string
  readonly version: string
  /** Description in the package.json; empty without a description. */
  readonly description: string
  readonly package: string
}

/** Source of policies. */
export class PolicyLookup extends Context.Service<
  PolicyLookup,
  {
    /** Built-in policies, sorted by name. */
    readonly builtIn: ReadonlyArray<BuiltInPolicy>
    /** Lists the policies installed in the working directory, without loading a policy. */
    readonly installed: Effect.Effect<ReadonlyArray<InstalledPolicy>>
    /** Finds a policy by the name that a user gives, by `lookupRule`. */
    readonly find: (name: string) => Effect.Effect<FoundPolicy, TaggedProblem>
    /**
     * Finds a log's policy among the built-in policies. A log may come from a stranger, and must load no further code.
     */
    readonly findOfLog: (name: string) => Effect.Effect<FoundPolicy, TaggedProblem>
    /** Returns the README of a policy's package; undefined if no README is found. */
    readonly readme: (found: FoundPolicy) => Effect.Effect<string | undefined, TaggedProblem>
    /** Returns the exports of a package of the working directory, or of a file; undefined for a missing package. */
    readonly importModule: (specifier: string) => Effect.Effect<Record<string, unknown> | undefined, TaggedProblem>
  }
>()('cloister/PolicyLookup') {}
