import type { LogRecord, Totals } from '@cloister/eventlog'
import type { Metrics } from '@cloister/metrics'
import type { GivenSpec, TaggedProblem } from '@cloister/run'
import type { Job } from '@cloister/workload'
import { Context, Effect } from 'effect'
import type { StoredOutput } from '../report/stored-output.ts'

/** Job log of an experiment, with the arrivals and the machine of our runs. */
export interface PaperTrace {
  readonly name: string
  /**
   * Source of the jobs. `trace`: a value of `simulate --trace`. `log`: the preset of a public log, with `filter`
   * instead of the preset's filter. `file`: the name of a file in the trace folder; `what` describes the file for
   * users.
   */
  readonly source:
    | { readonly trace: string }
    | { readonly log: string; readonly filter: string }
    | { readonly file: string; readonly filter: string; readonly what: string }
  readonly arrivals: string
  readonly topology: string
}

/** Values of the run options `trace`, `filter` and `arrivals` for a job log. */
export interface LocatedTrace {
  readonly trace: string
  readonly filter?: string | undefined
  readonly arrivals?: string | undefined
}

/** Service that finds and reads the job logs at hand. */
export class Traces extends Context.Service<
  Traces,
  {
    /** Returns a run's options for a job log. If the log is not at hand, reports this once, and returns undefined. */
    readonly locate: (
      trace: Pick<PaperTrace, 'name' | 'source' | 'arrivals'>,
    ) => Effect.Effect<LocatedTrace | undefined>
    /** Returns the text of a file in the trace folder; undefined if the trace folder has no file with this name. */
    readonly readText: (name: string) => Effect.Effect<string | undefined>
    /** Returns the jobs that the filter of a job log keeps, in submit order. */
    readonly jobs: (trace: LocatedTrace) => Effect.Effect<ReadonlyArray<Job>, TaggedProblem>
    /** Writes a list of jobs into the folder of the results. Returns the path of the list for the option `trace`. */
    readonly write: (name: string, text: string) => Effect.Effect<string>
  }
>()('@cloister/reproduce/Traces') {}

/** Result of a simulated run. */
export interface RunResult {
  readonly totals: Totals
  readonly metrics: Metrics
  /** Number of placement searches that the policy gave up at its bound on steps. */
  readonly searchBounds: number
  /** Numbers of samples by instantaneous utilization, 0 to 100 % (cut off), until the last start of a job. */
  readonly instantaneousPercents: ReadonlyArray<number>
}

/** Service that runs simulations for experiments. */
export class Runs extends Context.Service<
  Runs,
  {
    /** Returns a result for each run, in the order of `specs`; undefined for a run that failed. */
    readonly run: (
      specs: ReadonlyArray<GivenSpec>,
    ) => Effect.Effect<ReadonlyArray<RunResult | undefined>, TaggedProblem>
    /** Returns the median time in the scheduler per job, in seconds, over runs without logs in separate processes. */
    readonly time: (spec: GivenSpec) => Effect.Effect<number, TaggedProblem>
  }
>()('@cloister/reproduce/Runs') {}

/** Service that reads the logs of runs. A sweep keeps no logs, so an experiment on records is no plain sweep. */
export class Records extends Context.Service<
  Records,
  {
    /** Calls `visit` with every record of a run's log. */
    readonly watch: (spec: GivenSpec, visit: (record: LogRecord) => void) => Effect.Effect<void, TaggedProblem>
  }
>()('@cloister/reproduce/Records') {}

/** Service that reads the stored outputs of the experiments. */
export class StoredOutputs extends Context.Service<
  StoredOutputs,
  { readonly all: Effect.Effect<ReadonlyArray<StoredOutput>, TaggedProblem> }
>()('@cloister/reproduce/StoredOutputs') {}

/** Returns the job logs at hand, each with the options of a run for the log. */
export const locateAll = Effect.fnUntraced(function* <A extends PaperTrace>(traces: ReadonlyArray<A>) {
  const { locate } = yield* Traces
  const found = yield* Effect.forEach(traces, (trace) =>
    Effect.map(locate(trace), (located) => (located === undefined ? [] : [{ ...trace, located }])),
  )
  return found.flat()
})

/** Returns the job logs at hand like `locateAll`, each with its jobs. */
export const loadAll = Effect.fnUntraced(function* <A extends PaperTrace>(traces: ReadonlyArray<A>) {
  const service = yield* Traces
  return yield* Effect.forEach(yield* locateAll(traces), (log) =>
    Effect.map(service.jobs(log.located), (jobs) => ({ ...log, jobs })),
  )
})

/** Part of an experiment (some job logs, or the first jobs of each log), for an early first result. */
export interface Part {
  /** Names of job logs to run, spelled like in the tables of reports; undefined for all logs. */
  readonly traces?: ReadonlyArray<string> | undefined
  /** Number of jobs to run from the start of every log, in submit order; undefined for all jobs. */
  readonly firstJobs?: number | undefined
}

/** Limits a service to the job logs of a part. `asked`: the names of all logs that an experiment requested so far. */
export function partOf(
  traces: Traces['Service'],
  { traces: names, firstJobs }: Part,
): { readonly service: Traces['Service']; readonly asked: ReadonlySet<string> } {
  const asked = new Set<string>()
  const locate: Traces['Service']['locate'] = Effect.fnUntraced(function* (trace) {
    asked.add(trace.name)
    if (names?.includes(trace.name) === false) return undefined
    const located = yield* traces.locate(trace)
    return located === undefined || firstJobs === undefined
      ? located
      : { ...located, filter: shortened(located.filter, firstJobs) }
  })
  return { service: { ...traces, locate }, asked }
}

const LIMIT = 'first-jobs='

/** Returns a filter for the first `jobs` jobs; for fewer if the given filter already has a smaller `first-jobs=`. */
function shortened(filter: string | undefined, jobs: number): string {
  const terms = filter === undefined || filter === '' ? [] : filter.split(',')
  const limits = terms.filter((term) => term.startsWith(LIMIT)).map((term) => Number(term.slice(LIMIT.length)))
  return [...terms.filter((term) => !term.startsWith(LIMIT)), `${LIMIT}${Math.min(jobs, ...limits)}`].join(',')
}
