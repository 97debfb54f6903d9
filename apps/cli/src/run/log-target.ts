import { countingRecorder, type LogOutcome } from '@cloister/eventlog'
import { createLogFile, type LogFile, LogFileError, resumeLogFile, type Sync } from '@cloister/eventlog/node'
import type { PolicyFaultError, Summary } from '@cloister/kernel'
import {
  attempt,
  builtIn,
  execute,
  type OnProgress,
  PolicyFailedError,
  quoteWord,
  record,
  type Run,
  type Watching,
} from '@cloister/run'
import { Effect } from 'effect'
import { statSync } from 'node:fs'
import { FileExistsError, Problem } from '../errors/errors.ts'
import { messageOf } from '../errors/message.ts'
import { makeProgress } from '../terminal/progress.ts'
import { version } from '../version.ts'

export interface RunReport extends Summary {
  /** Time of the simulation in seconds, including the writing of the log. */
  readonly seconds: number
  /** State of the existing log at the begin of `--resume`, or undefined without `--resume`. */
  readonly continued?: LogOutcome
}

/** File for the log of a run, compressed if the name ends in .zst. */
export interface LogTarget {
  readonly path: string
  /** Action if the log exists: fail, replace it, or keep its valid part and append the missing records. */
  readonly existing: 'refuse' | 'overwrite' | 'continue'
  readonly sync: Sync
}

/** Name and version of this program, as `cloister@VERSION`. */
export const program: string = `cloister@${version}`

/** Simulates a run to the end, and shows the progress. Writes no log if `target` is undefined. */
export const simulateTo = Effect.fnUntraced(function* (run: Run, target: LogTarget | undefined) {
  const progress = yield* makeProgress
  const label = `${run.workload.name} under ${run.bound.policy.name}:`
  const onProgress: OnProgress = (ended, all) => progress.show(label, ended / all, ended, 'jobs')
  return yield* attempt(() => {
    try {
      return target === undefined
        ? timed(() => execute(run, countingRecorder(), { onProgress }))
        : intoFile(run, target, onProgress)
    } finally {
      progress.clear()
    }
  })
})

/** Simulates a run to the end, and passes the log's bytes to `sink`. @throws the errors of `record` in @cloister/run */
export function recordTimed(
  run: Run,
  sink: (chunk: Uint8Array) => void,
  watching: Pick<Watching, 'onProgress' | 'chunks' | 'lends'>,
): RunReport {
  return timed(() => record(run, sink, { program, ...watching }))
}

function timed(simulate: () => Summary): RunReport {
  const began = performance.now()
  const summary = simulate()
  return { ...summary, seconds: (performance.now() - began) / 1000 }
}

function intoFile(run: Run, target: LogTarget, onProgress: OnProgress): RunReport {
  const file = openLog(target)
  try {
    const chunks = target.sync === 'record' ? 'record' : 'seal'
    const report = recordTimed(run, file.write, { onProgress, chunks, lends: true })
    return 'found' in file ? { ...report, continued: file.found } : report
  } catch (error) {
    throw statSync(target.path, { throwIfNoEntry: false })?.isFile() === true ? keptIn(target.path, run, error) : error
  } finally {
    file.close()
  }
}

/** Adds the path of the incomplete log to an error of a run. */
function keptIn(path: string, { spec }: Run, error: unknown): unknown {
  if (error instanceof LogFileError)
    return new Problem(`${messageOf(error)}\n  the log keeps all sealed records; --resume completes the log`)
  if (error instanceof PolicyFailedError && error.fault !== undefined)
    return new Problem(describeLogOfFault(path, spec.policy, error, error.fault))
  return error
}

function describeLogOfFault(
  path: string,
  asked: string,
  failed: PolicyFailedError,
  { recorded }: PolicyFaultError,
): string {
  const policy = failed.origin === builtIn ? '' : ` --policy ${quoteWord(asked)}`
  const rerun = `cloister rerun ${quoteWord(path)}${policy}`
  const next =
    recorded === undefined
      ? `the policy failed before the first request, so that ${path} has no request to repeat; ${rerun} fails in the same way`
      : `${path} holds all records before the failure, up to record ${recorded.seq}; ${rerun} --until ${recorded.seq} repeats the request`
  return `${messageOf(failed)}\n  ${next}`
}

function openLog({ path, existing, sync }: LogTarget): LogFile | ReturnType<typeof resumeLogFile> {
  try {
    return existing === 'continue'
      ? resumeLogFile(path, { sync })
      : createLogFile(path, { force: existing === 'overwrite', sync })
  } catch (error) {
    if (error instanceof LogFileError && error.reason === 'exists') {
      const remedy = '--force overwrites the log, --resume completes an interrupted log'
      throw new FileExistsError({ path, remedy })
    }
    throw error
  }
}
