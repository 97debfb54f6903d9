import type { HashFunction } from '@cloister/eventlog'
import type { TimeLimit } from '@cloister/kernel'
import type { PlacementPolicy } from '@cloister/placement'
import type { ConvertedWorkload } from '@cloister/trace-io'
import type { SizeRule } from '@cloister/workload'
import * as Context from 'effect/Context'
import type * as Effect from 'effect/Effect'
import type { ParsedYaml } from '@cloister/topology'
import type { TaggedProblem } from './errors.ts'
import type { RecordedMachine } from './recorded-jobs.ts'

/** Small files that a run names: switch graphs, outages. */
export class RunFiles extends Context.Service<
  RunFiles,
  {
    /** @throws an error that has a message for people, where there is no such file */
    readonly readText: (path: string) => string
    /** Reads a YAML document; absent where none can be read. @throws an error that has a message for people, and a `line` */
    readonly parseYaml?: (text: string) => ParsedYaml
  }
>()('@cloister/run/RunFiles') {}

/** Which jobs of a trace are taken, and when they arrive. */
export interface TraceOptions {
  readonly filter: string
  readonly procsPerNode: number | undefined
  /** Which processors of a job are its size. Undefined: as the filter says, else the requested ones. */
  readonly sizes?: SizeRule['from'] | undefined
  /** Undefined: as the trace has them by itself. */
  readonly arrivals: string | undefined
  /** Whether lines that are no jobs are passed over. */
  readonly skipBadLines: boolean
  /** Of Slurm's accounting: when a job arrives, and in which time zone times of day are. Default: when it could start; UTC. */
  readonly arrivesWhen?: 'eligible' | 'submit'
  readonly timeZone?: string
  /** Whether to find out which jobs shared nodes. Default: no. */
  readonly countsNodeSharing?: boolean
}

/** A workload; of an event log with the machine on which its jobs ran. */
export interface LoadedTrace extends ConvertedWorkload {
  readonly machine?: RecordedMachine
}

/** Where jobs come from. */
export class Traces extends Context.Service<
  Traces,
  { readonly load: (trace: string, options: TraceOptions) => Effect.Effect<LoadedTrace, TaggedProblem> }
>()('@cloister/run/Traces') {}

/** Any policy: its config and its index are its own affair. */
export type AnyPolicy = PlacementPolicy<any, any>

/** A policy and where it comes from: `built in`, or the package or file that exports it. */
export interface FoundPolicy {
  readonly policy: AnyPolicy
  readonly origin: string
}

/** Where policies come from. */
export class Policies extends Context.Service<
  Policies,
  { readonly find: (name: string) => Effect.Effect<FoundPolicy, TaggedProblem> }
>()('@cloister/run/Policies') {}

/** SHA-256, for seals and the digests of routes. */
export class Hash extends Context.Service<Hash, HashFunction>()('@cloister/run/Hash') {}

/**
 * Stops a policy that takes too long, after so many milliseconds. Not every platform can: a browser cannot, and there is
 * none by default.
 */
export const StopAfter: Context.Reference<MayStop> = Context.Reference<MayStop>('@cloister/run/StopAfter', {
  defaultValue: () => undefined,
})

type MayStop = ((milliseconds: number) => TimeLimit) | undefined
