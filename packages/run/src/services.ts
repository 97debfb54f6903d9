import type { HashFunction } from '@cloister/eventlog'
import type { TimeLimit } from '@cloister/kernel'
import type { QueueOrder } from '@cloister/ordering'
import type { PlacementPolicy, Router } from '@cloister/placement'
import type { ParsedYaml } from '@cloister/topology'
import type { ConvertedWorkload } from '@cloister/trace-io'
import type { SizeRule } from '@cloister/workload'
import * as Context from 'effect/Context'
import type * as Effect from 'effect/Effect'
import type { TaggedProblem } from './errors.ts'
import type { RecordedMachine } from './recorded-jobs.ts'

/** Service that reads the small files of a run, such as switch graphs and outages. */
export class RunFiles extends Context.Service<
  RunFiles,
  {
    /** Returns the text of a file. @throws an error with a tag and a message for people if the file cannot be read */
    readonly readText: (path: string) => string
    /** Reads a YAML document; absent if there is no reader. @throws an error with a message for people, and a `line` */
    readonly parseYaml?: (text: string) => ParsedYaml
  }
>()('@cloister/run/RunFiles') {}

/** Options for the choice of jobs from a trace, and for their arrivals, as in `GivenSpec`. */
export interface TraceOptions {
  readonly filter: string
  readonly procsPerNode: number | undefined
  readonly sizes?: SizeRule['from'] | undefined
  /** Spec of the arrivals; undefined for the default of the trace. */
  readonly arrivals: string | undefined
  readonly skipBadLines: boolean
  readonly arrivesWhen?: 'eligible' | 'submit'
  readonly timeZone?: string
  /** Columns of a table of jobs. */
  readonly columns?: string
  /** True to count the jobs that shared nodes. Default: false. */
  readonly countsNodeSharing?: boolean
}

/** Workload, with the machine of the log if the jobs come from an event log. */
export interface LoadedTrace extends ConvertedWorkload {
  readonly machine?: RecordedMachine
}

/** Service that loads the jobs of a trace. */
export class Traces extends Context.Service<
  Traces,
  { readonly load: (trace: string, options: TraceOptions) => Effect.Effect<LoadedTrace, TaggedProblem> }
>()('@cloister/run/Traces') {}

/** Policy with any type of config and index. */
export type AnyPolicy = PlacementPolicy<any, any>

/** Policy with its origin: `built in`, the package or file that exports the policy, or the policy's name. */
export interface FoundPolicy {
  readonly policy: AnyPolicy
  readonly origin: string
}

/** Service that finds a policy by its name. */
export class Policies extends Context.Service<
  Policies,
  { readonly find: (name: string) => Effect.Effect<FoundPolicy, TaggedProblem> }
>()('@cloister/run/Policies') {}

/** Router with its origin: `built in`, or the package or file that exports the router. */
export interface FoundRouter {
  readonly router: Router
  readonly origin: string
}

/** Function that finds routers in packages and files; undefined by default: a browser has only the built-in routers. */
export const OtherRouters: Context.Reference<FindRouter> = Context.Reference<FindRouter>('@cloister/run/OtherRouters', {
  defaultValue: () => undefined,
})

type FindRouter = ((name: string) => Effect.Effect<FoundRouter, TaggedProblem>) | undefined

/** Function that finds queue orders in packages, files and programs; undefined by default, as for routers. */
export const OtherOrders: Context.Reference<FindOrder> = Context.Reference<FindOrder>('@cloister/run/OtherOrders', {
  defaultValue: () => undefined,
})

type FindOrder = ((name: string) => Effect.Effect<QueueOrder<any>, TaggedProblem>) | undefined

/** Service for SHA-256, for seals, the digests of routes and the checksums of matrices. */
export class Hash extends Context.Service<Hash, HashFunction>()('@cloister/run/Hash') {}

/** Function for time limits in milliseconds on a policy's answers; undefined by default: a browser cannot stop code. */
export const StopAfter: Context.Reference<MayStop> = Context.Reference<MayStop>('@cloister/run/StopAfter', {
  defaultValue: () => undefined,
})

type MayStop = ((milliseconds: number) => TimeLimit) | undefined
