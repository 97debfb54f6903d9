import { statSync } from 'node:fs'
import { countingRecorder, type LogOutcome } from '@cloister/eventlog'
import { createLogFile, type LogFile, LogFileError, resumeLogFile, type Sync } from '@cloister/eventlog/node'
import type { Summary } from '@cloister/kernel'
import { execute, type OnProgress, PolicyFailedError, record, type Run, type Watching } from '@cloister/run'
import { Effect } from 'effect'
import { makeProgress, share } from '../terminal/progress.ts'
import { FileExistsError, InterruptedLogError, PolicyFailedInLogError } from '../errors/errors.ts'
import { attempt } from '../errors/attempt.ts'
import { version } from '../version.ts'

export interface RunReport extends Summary {
  /** Time in the kernel, with recording, in seconds. */
  readonly seconds: number
  /** Outcome of reading the continued log; undefined without a continued log. */
  readonly continued?: LogOutcome
}

/** File for a run's log; compressed if the name ends in .zst. */
export interface LogTarget {
  readonly path: string
  /** Action for an existing log: fail, replace the log, or keep its valid part and append the rest. */
  readonly existing: 'refuse' | 'overwrite' | 'continue'
  readonly sync: Sync
}

/** Name and version of this program. */
export const program: string = `cloister@${version}`

/** Simulates to the end, and shows the progress. Without a target, only the totals are kept. */
export const simulateTo = Effect.fnUntraced(function* (run: Run, target: LogTarget | undefined) {
  const progress = yield* makeProgress
  const label = `${run.workload.name} under ${run.bound.policy.name}:`
  const onProgress: OnProgress = (ended, all) => progress.show(() => share(label, ended, all))
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

/** Simulates to the end, and passes the log's bytes to the sink. @throws the errors of `record` of @cloister/run */
export function recordTimed(
  run: Run,
  sink: (chunk: Uint8Array) => void,
  watching: Pick<Watching, 'onProgress' | 'chunks'>,
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
    const report = recordTimed(run, file.write, { onProgress, chunks })
    return 'found' in file ? { ...report, continued: file.found } : report
  } catch (error) {
    throw statSync(target.path, { throwIfNoEntry: false })?.isFile() === true ? keptIn(target.path, run, error) : error
  } finally {
    file.close()
  }
}

/** Adds the path of the partial log to an error. */
function keptIn(path: string, { spec }: Run, error: unknown): unknown {
  if (error instanceof LogFileError) return new InterruptedLogError({ path, cause: error })
  if (error instanceof PolicyFailedError && error.fault !== undefined)
    return new PolicyFailedInLogError({ path, asked: spec.policy, cause: error })
  return error
}

function openLog({ path, existing, sync }: LogTarget): LogFile | ReturnType<typeof resumeLogFile> {
  try {
    return existing === 'continue'
      ? resumeLogFile(path, { sync })
      : createLogFile(path, { force: existing === 'overwrite', sync })
  } catch (error) {
    if (error instanceof LogFileError && error.reason === 'exists') {
      const remedy = '--force overwrites it, --resume continues it where the run was cut off'
      throw new FileExistsError({ path, remedy })
    }
    throw error
  }
}
