import { exitCode, isUnnoticed } from '@cloister/audit'
import type { Header, LogRecord } from '@cloister/eventlog'
import { withRerun } from '@cloister/evidence'
import { MetricsFold } from '@cloister/metrics'
import { optionOf, prepare, record, type Run } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { uniformIntegers } from '@cloister/workload'
import { Effect, Exit } from 'effect'
import * as fc from 'fast-check'
import { type SearchOptions, usedUp } from './campaign.ts'
import { fuzzCases, smallMachines, specOf, type Subject } from './cases.ts'
import { changedDecisions, changedJobs } from './forged-decisions.ts'
import { changedFields, forgedPairs, type Lie } from './forged-fields.ts'
import { sealedAgain } from './forged-seals.ts'
import { auditForged, readAll, rerunForged } from './misreading.ts'

/** Largest number of jobs in a log, and numbers of decisions and jobs of each log about which the forger lies. */
const MOST = { jobs: 30, decisions: 12, jobsChanged: 6 }
/** Number of random runs from which the forger takes the first run that the policy serves. */
const TRIES = 6

/** Forged logs that `audit --rerun` accepts although their metrics differ from the metrics of the sound log. */
export interface AcceptedLie {
  readonly change: string
  readonly count: number
  /** True if `unnoticedChanges` of the auditor lists the change. */
  readonly isKnown: boolean
  /** Policy, configuration and queue of the first of the logs, and its bytes. */
  readonly run: string
  readonly bytes: Uint8Array
}

/** Outcome of the forger: numbers of forged logs. */
export interface ForgerOutcome {
  /** Number of sound logs that were forged. */
  readonly logs: number
  readonly mutants: number
  /** Number of changes that no log can hold, because the writer of logs refuses the records. */
  readonly unwritable: number
  /** Number of forged logs that `audit` alone refuses. */
  readonly byAudit: number
  /** Number of forged logs that `audit` accepts and `audit --rerun` refuses. */
  readonly byRerun: number
  /** Number of forged logs that `audit --rerun` accepts, and whose metrics are the metrics of the sound log. */
  readonly harmless: number
  /** Number of forged logs that `audit --rerun` accepts, and whose metrics differ. */
  readonly acceptedLies: number
  /** The accepted logs with other metrics, by kind of change. */
  readonly accepted: ReadonlyArray<AcceptedLie>
  /** Pairs of a record type and a field that the forger did not change. */
  readonly unchanged: ReadonlyArray<string>
}

/**
 * Forges sound logs of each policy and queue: changes one thing at a time, makes the seals again, and asks the auditor
 * and a rerun of the policy with the jobs of the run.
 */
export const forgeLogs = Effect.fnUntraced(function* (options: SearchOptions) {
  const files = yield* Files
  return yield* Effect.acquireUseRelease(
    Effect.sync(() => files.makeTemporaryFolder('forge')),
    (folder) => forgeIn(options, folder, files),
    (folder) => Effect.sync(() => files.removeFolder(folder)),
  )
})

const forgeIn = Effect.fnUntraced(function* (options: SearchOptions, folder: string, files: Files['Service']) {
  const began = performance.now()
  const totals = { byAudit: 0, byRerun: 0, harmless: 0, accepted: 0 }
  const accepted = new Map<string, AcceptedLie>()
  const unchanged = new Set(forgedPairs)
  let [logs, mutants, unwritable] = [0, 0, 0]
  for (const [at, { subject, queue }] of pairsOf(options).entries()) {
    if (usedUp(options, at, began) >= 1) break
    options.onProgress(usedUp(options, at, began), at)
    const run = yield* runOf(subject, queue, options.seed + at, folder, files)
    if (run === undefined) continue
    logs++
    const { metrics, lies } = liesAbout(run, options.seed + at, options.tester.program)
    for (const lie of lies) {
      mutants++
      unchanged.delete(lie.change)
      const bytes = sealedAgain(lie)
      if (bytes === undefined) unwritable++
      if (bytes === undefined) continue
      const verdict = yield* verdictOf(bytes, run, metrics)
      totals[verdict]++
      if (verdict !== 'accepted') continue
      const { change } = lie
      const isKnown = isUnnoticed(change, lie.records)
      const kind = `${change} ${isKnown}`
      const { count = 0, ...first } = accepted.get(kind) ?? {}
      const name = `${subject.policy} ${subject.policyConfig} ${queue}`
      accepted.set(kind, { change, isKnown, run: name, bytes, ...first, count: count + 1 })
    }
  }
  const { accepted: acceptedLies, ...refused } = totals
  const outcome: ForgerOutcome = {
    logs,
    mutants,
    unwritable,
    ...refused,
    acceptedLies,
    accepted: [...accepted.values()],
    unchanged: [...unchanged],
  }
  return outcome
})

/** Returns each policy with each queue discipline, in an order that begins with different policies and queues. */
function pairsOf({ subjects }: SearchOptions) {
  const queues = optionOf('queue').samples as ReadonlyArray<string>
  return queues.flatMap((_, shift) =>
    subjects.map((subject, at) => ({ subject, queue: queues[(at + shift) % queues.length] })),
  )
}

/** Returns a random run that the policy serves, if there is one among the first runs. */
const runOf = Effect.fnUntraced(function* (
  subject: Subject,
  queue: string,
  seed: number,
  folder: string,
  files: Files['Service'],
) {
  for (const one of fc.sample(fuzzCases([subject], smallMachines), { seed, numRuns: TRIES })) {
    const asked = { ...one, jobs: one.jobs.slice(0, MOST.jobs), options: { ...one.options, queue } }
    const prepared = yield* Effect.exit(prepare(specOf(asked, folder, files)))
    if (Exit.isSuccess(prepared)) return prepared.value
  }
  return undefined
})

/** Returns the metrics of a run's log, and forged variants of the log. */
function liesAbout(run: Run, seed: number, program: string) {
  const chunks: Array<Uint8Array> = []
  record(run, (chunk) => chunks.push(chunk), { program })
  const { records: all } = readAll(new Uint8Array(Buffer.concat(chunks)))
  const [header, ...rest] = all as unknown as readonly [Header, ...ReadonlyArray<LogRecord>]
  const records = rest.filter(({ type }) => type !== 'seal')
  const next = uniformIntegers(seed)
  const draw = (count: number): number => next() % count
  function* lies(): Generator<Lie> {
    yield* changedFields(header, records, draw)
    yield* changedDecisions(header, records, draw, MOST.decisions)
    yield* changedJobs(header, records, draw, MOST.jobsChanged)
  }
  return { metrics: metricsOf(all), lies: lies() }
}

/** Returns the metrics as JSON; undefined if the records contradict each other. */
function metricsOf(records: ReadonlyArray<LogRecord>): string | undefined {
  try {
    const fold = new MetricsFold()
    for (const each of records) fold.add(each)
    return JSON.stringify(fold.result())
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

/** @param metrics metrics of the sound log */
const verdictOf = Effect.fnUntraced(function* (bytes: Uint8Array, run: Run, metrics: string | undefined) {
  const { records, outcome } = readAll(bytes)
  const [header] = records
  if (header?.type !== 'header') return 'byAudit'
  const report = auditForged({ bytes, path: '', records, outcome, original: records, run })
  if (exitCode(report) !== 0) return 'byAudit'
  // The command finds the policy by the name in the header.
  if (header.policy.name !== run.found.policy.name) return 'byRerun'
  const repeated = yield* Effect.exit(
    Effect.gen(function* () {
      const rerun = yield* Effect.try(() => rerunForged({ records, run })!)
      return yield* withRerun(report, { header, records: () => records }, run.found, rerun, run.workload)
    }),
  )
  if (Exit.isFailure(repeated) || exitCode(repeated.value) !== 0) return 'byRerun'
  const found = metricsOf(records)
  return found === undefined || found === metrics ? 'harmless' : 'accepted'
})
