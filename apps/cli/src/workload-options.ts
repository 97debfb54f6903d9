import { type ConvertedWorkload, TraceNotFoundError } from '@cloister/trace-io'
import { loadWorkload } from '@cloister/trace-io/node'
import { Config, Effect, Option } from 'effect'
import { Argument, Flag } from 'effect/cli'
import { remark } from './terminal/output.ts'
import { attempt, Problem } from './errors/problem.ts'
import { count } from './terminal/quantities.ts'

const traceHelp =
  'A job log in SWF or of Slurm as CSV (.gz, .zst too), a preset (thunder, atlas), or synth:MEAN[:COUNT[:SEED]]'

export const traceFlag = Flag.String('trace').pipe(Flag.withMetavar('TRACE'), Flag.withDescription(traceHelp))
export const traceArgument = Argument.String('trace').pipe(Argument.withDescription(traceHelp))

/** Which jobs of a trace are taken, and when they arrive. */
export const workloadFlags = {
  traceDir: Flag.String('trace-dir').pipe(
    Flag.withMetavar('DIR'),
    Flag.withFallbackConfig(Config.String('CLOISTER_TRACE_DIR')),
    Flag.withDescription('Where the files of presets are looked for; else $CLOISTER_TRACE_DIR'),
    Flag.optional,
  ),
  filter: Flag.String('filter').pipe(
    Flag.withMetavar('TERMS'),
    Flag.withDescription("Which jobs to keep: 'status!=5,runtime>0,nodes<=1024,first-days=7,first-jobs=1000'"),
    Flag.withDefault(''),
  ),
  procsPerNode: Flag.Int('procs-per-node').pipe(
    Flag.withMetavar('N'),
    Flag.withDescription('Processors of a node: SWF counts processors, jobs are placed on nodes'),
    Flag.optional,
  ),
  arrivals: Flag.String('arrivals').pipe(
    Flag.withMetavar('zero|trace|scale:F'),
    Flag.withDescription(
      'All jobs at time 0, as in the log, or its times multiplied; default: as the preset says, trace for files',
    ),
    Flag.optional,
  ),
}

export interface WorkloadOptions {
  readonly traceDir: Option.Option<string>
  readonly filter: string
  readonly procsPerNode: Option.Option<number>
  readonly arrivals: Option.Option<string>
}

/** Loads the jobs that the options name, and says on standard error which jobs of the trace were left out. */
export const loadJobs = Effect.fnUntraced(function* (trace: string, options: WorkloadOptions) {
  const loaded = yield* attempt(() => load(trace, options))
  yield* remarkOnLosses(loaded)
  if (loaded.workload.jobs.length === 0) {
    return yield* new Problem(
      `${trace}: no job is left of ${count(loaded.read)} (filter: ${loaded.workload.filter || 'none'}); a weaker --filter would keep some`,
    )
  }
  return loaded
})

function load(trace: string, { traceDir, filter, procsPerNode, arrivals }: WorkloadOptions): ConvertedWorkload {
  try {
    return loadWorkload(trace, {
      folders: Option.toArray(traceDir),
      filter,
      ...(Option.isSome(procsPerNode) ? { procsPerNode: procsPerNode.value } : {}),
      ...(Option.isSome(arrivals) ? { arrivals: arrivals.value } : {}),
    })
  } catch (error) {
    if (error instanceof TraceNotFoundError)
      throw new Problem(`${error.message}\n  --trace-dir DIR, or CLOISTER_TRACE_DIR, says which folder`)
    throw error
  }
}

function remarkOnLosses({ read, skipped, roundedSizes, workload }: ConvertedWorkload): Effect.Effect<void> {
  const reasons = Object.entries(skipped).map(([reason, jobs]) => `${count(jobs)} by ${reason}`)
  const rounded = roundedSizes === 0 ? '' : `; ${count(roundedSizes)} sizes rounded up to whole nodes`
  if (reasons.length === 0 && rounded === '') return Effect.void
  return remark(
    `${workload.name}: ${count(read)} jobs, ${count(workload.jobs.length)} kept${reasons.length === 0 ? '' : `, skipped ${reasons.join(', ')}`}${rounded}`,
  )
}
