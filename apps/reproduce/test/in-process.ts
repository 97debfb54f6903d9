import { readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import type { Summary } from '@cloister/kernel'
import { MetricsFold } from '@cloister/metrics'
import adaptive from '@cloister/policy-adaptive'
import balanced from '@cloister/policy-balanced'
import baseline from '@cloister/policy-baseline'
import combal from '@cloister/policy-combal'
import contiguous from '@cloister/policy-contiguous'
import greedy from '@cloister/policy-greedy'
import jigsaw from '@cloister/policy-jigsaw'
import kueueTas from '@cloister/policy-kueue-tas'
import laas from '@cloister/policy-laas'
import leastConstrained from '@cloister/policy-least-constrained'
import mosaic from '@cloister/policy-mosaic'
import slurmBlock from '@cloister/policy-slurm-block'
import slurmTree from '@cloister/policy-slurm-tree'
import ta from '@cloister/policy-ta'
import { type GivenSpec, run } from '@cloister/run'
import { nodeServices } from '@cloister/run/node'
import { Effect } from 'effect'
import { Records, type Report, reproductions, type RunResult, Runs, StoredOutputs, Traces } from '../src/index.ts'
import { tracesIn } from '../src/node/traces.ts'
import { stored } from './experiment-pages.ts'

const policies = [
  adaptive,
  balanced,
  baseline,
  combal,
  contiguous,
  greedy,
  jigsaw,
  kueueTas,
  laas,
  leastConstrained,
  mosaic,
  slurmBlock,
  slurmTree,
  ta,
] as const

export interface Made {
  /** Reports by the names of reproductions. */
  readonly reports: ReadonlyArray<Report>
  /** All runs of the reproductions; a run that several reproductions share is listed once. */
  readonly specs: ReadonlyArray<GivenSpec>
  /** Messages about job logs that were left out, with the reasons. */
  readonly remarks: ReadonlyArray<string>
}

/** Makes the named reproductions again with the job logs in a folder. */
export async function make(folder: string, ...names: ReadonlyArray<string>): Promise<Made> {
  const remarks: Array<string> = []
  const traces = tracesIn(folder, folder, (remark) => Effect.sync(() => remarks.push(remark)))
  return { ...(await makeWith(traces, folder, names)), remarks }
}

/** Makes the named reproductions again with any service of job logs. */
export async function makeWith(
  traces: Traces['Service'],
  folder: string,
  names: ReadonlyArray<string>,
): Promise<Omit<Made, 'remarks'>> {
  const experiments = names.map((name) => reproductions.find((each) => each.name === name)!.produce)
  const { result, runs } = await inProcess(Effect.all(experiments), traces, folder)
  return { reports: result, specs: runs.map(({ spec }) => spec) }
}

/** Runs a part of an experiment with any service of job logs. Returns the result and all runs, each once. */
export async function inProcess<A, E>(
  part: Effect.Effect<A, E, Records | Runs | StoredOutputs | Traces>,
  traces: Traces['Service'],
  folder: string,
): Promise<{ readonly result: A; readonly runs: ReadonlyArray<Run> }> {
  const runs = new Map<string, Run>()
  const runOnce = Effect.fnUntraced(function* (spec: GivenSpec) {
    const key = JSON.stringify(spec)
    const known = runs.get(key)
    if (known !== undefined) return known
    const log: Array<Uint8Array> = []
    const services = nodeServices({ policies, traceFolders: [folder] })
    const summary = yield* run(spec, { sink: (chunk) => log.push(chunk) }).pipe(Effect.provide(services), Effect.orDie)
    const made = { spec, log, summary }
    runs.set(key, made)
    return made
  })
  const service: Runs['Service'] = {
    run: (specs) => Effect.forEach(specs, (spec) => Effect.map(runOnce(spec), resultOf)),
    time: () => Effect.succeed(0.001),
  }
  const records: Records['Service'] = {
    watch: (spec, visit) =>
      Effect.map(runOnce(spec), ({ log }) => {
        for (const record of readLog(log, sha256)) visit(record)
      }),
  }
  const result = await Effect.runPromise(
    part.pipe(
      Effect.provideService(Traces, traces),
      Effect.provideService(Runs, service),
      Effect.provideService(Records, records),
      Effect.provideService(StoredOutputs, stored),
    ),
  )
  return { result, runs: [...runs.values()] }
}

export interface Run {
  readonly spec: GivenSpec
  readonly log: ReadonlyArray<Uint8Array>
  readonly summary: Summary
}

function resultOf({ log, summary }: Run): RunResult {
  const metrics = new MetricsFold()
  for (const record of readLog(log, sha256)) metrics.add(record)
  return { ...summary, metrics: metrics.result(), instantaneousPercents: [] }
}

/** Service of job logs with a single log: the first 110 jobs of the synthetic trace `synth:16`. */
export const fewJobs = {
  locate: ({ source }: { readonly source: object }) =>
    Effect.succeed(
      (source as { trace?: string }).trace === 'synth:16' ? { trace: 'synth:16:110', arrivals: 'zero' } : undefined,
    ),
  readText: () => Effect.succeed(undefined),
  write: () => Effect.succeed('jobs.txt'),
  jobs: () => Effect.succeed([]),
}
