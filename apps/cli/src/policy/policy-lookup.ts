import type { AnyPolicy, FoundPolicy, TaggedProblem } from '@cloister/run'
import { Context, type Effect } from 'effect'

/** A policy that comes with the program, loaded when it is used. */
export interface BuiltInPolicy {
  readonly name: string
  readonly version: string
  /** Description in its package.json. */
  readonly description: string
  readonly load: () => Promise<AnyPolicy>
  /** Its README's text. */
  readonly readme: () => Promise<string>
}

/** A package that is a policy by its name, installed where the command runs. */
export interface InstalledPolicy {
  /** The shortest name that finds it. */
  readonly name: string
  readonly version: string
  /** Description in its package.json; empty if it has none. */
  readonly description: string
  readonly package: string
}

/** Where policies come from. */
export class PolicyLookup extends Context.Service<
  PolicyLookup,
  {
    /** What comes with the program, by name. */
    readonly builtIn: ReadonlyArray<BuiltInPolicy>
    /** What is installed in the working directory; nothing of it is loaded. */
    readonly installed: Effect.Effect<ReadonlyArray<InstalledPolicy>>
    /** Finds a policy as a user names it, by `lookupRule`. */
    readonly find: (name: string) => Effect.Effect<FoundPolicy, TaggedProblem>
    /** Finds the policy that a log names. A log may come from anybody: it never makes code run that is not built in. */
    readonly findOfLog: (name: string) => Effect.Effect<FoundPolicy, TaggedProblem>
    /** The README of a policy's package; undefined where there is none, or it is not to be found. */
    readonly readme: (found: FoundPolicy) => Effect.Effect<string | undefined, TaggedProblem>
    /** What a package of the working directory, or a file, exports; undefined where there is no such package. */
    readonly importModule: (specifier: string) => Effect.Effect<Record<string, unknown> | undefined, TaggedProblem>
  }
>()('cloister/PolicyLookup') {}
