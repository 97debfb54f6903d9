import { statSync } from 'node:fs'
import { countingRecorder, type LogOutcome } from '@cloister/eventlog'
import { createLogFile, type LogFile, LogFileError, resumeLogFile } from '@cloister/eventlog/node'
import type { Summary } from '@cloister/kernel'
import { execute, type OnProgress, record, type Run } from '@cloister/run'
import { Effect } from 'effect'
import { Problem } from '../errors/problem.ts'
import { Progress } from '../terminal/progress.ts'
import { attemptRun } from './problems.ts'

export interface RunReport extends Summary {
  /** Time in the kernel, recording included. */
  readonly seconds: number
  /** How the log ended that was continued. */
  readonly continued?: LogOutcome
}

/** Where a run's log goes; compressed where the name ends in .zst. */
export interface LogTarget {
  readonly path: string
  /** What to do with a log that is there: nothing, and fail; overwrite it; keep what is good of it, and append the rest. */
  readonly existing: 'refuse' | 'overwrite' | 'continue'
}

/** Name and version of this program. */
export const program: string = `cloister@${CLOISTER_VERSION}`

/** Simulates to the end, and shows how far it is. Without a target nothing is kept but the totals. */
export function simulateTo(run: Run, target: LogTarget | undefined): Effect.Effect<RunReport, Problem> {
  const progress = new Progress(`${run.workload.name} under ${run.bound.policy.name}:`)
  const onProgress: OnProgress = (ended, all) => progress.update(ended, all)
  return attemptRun(() => {
    try {
      return target === undefined
        ? timed(() => execute(run, countingRecorder(), { onProgress }))
        : intoFile(run, target, onProgress)
    } finally {
      progress.end()
    }
  })
}

/** Simulates to the end and gives the bytes of the log, as they come, to the sink. @throws as `record` of @cloister/run */
export function recordTimed(run: Run, sink: (chunk: Uint8Array) => void, onProgress: OnProgress): RunReport {
  return timed(() => record(run, sink, { program, onProgress }))
}

function timed(simulate: () => Summary): RunReport {
  const began = performance.now()
  const summary = simulate()
  return { ...summary, seconds: (performance.now() - began) / 1000 }
}

function intoFile(run: Run, target: LogTarget, onProgress: OnProgress): RunReport {
  const file = openLog(target)
  try {
    const report = recordTimed(run, file.write, onProgress)
    return 'found' in file ? { ...report, continued: file.found } : report
  } catch (error) {
    const isKept = error instanceof LogFileError && statSync(target.path, { throwIfNoEntry: false })?.isFile() === true
    throw isKept ? new Problem(`${error.message}\n  what was sealed before is kept; --resume continues it`) : error
  } finally {
    file.close()
  }
}

function openLog({ path, existing }: LogTarget): LogFile | ReturnType<typeof resumeLogFile> {
  try {
    return existing === 'continue' ? resumeLogFile(path) : createLogFile(path, { force: existing === 'overwrite' })
  } catch (error) {
    if (error instanceof LogFileError && error.code === 'EEXIST') {
      throw new Problem(`--out: ${path} exists; --force overwrites it, --resume continues it where the run was cut off`)
    }
    throw error
  }
}
