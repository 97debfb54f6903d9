import { statSync } from 'node:fs'
import { BrokenChunksError, describeOutcome } from '@cloister/eventlog'
import { openLogFile, readLogFile } from '@cloister/eventlog/node'
import { TraceError, traceName, workloadFromSwf } from '@cloister/trace-io'
import { parseArrivals, parseFilter, withProcsPerNode, withSizes } from '@cloister/workload'
import { recordedJobs } from '../recorded-jobs.ts'
import { readProblem } from './read-text.ts'
import type { LoadedTrace, TraceOptions } from '../services.ts'

const BEGINNING = '{"seq":0,"type":"header","format":"cloister-log"'

/** Recognises an event log by its first bytes. @throws FileError or LogFileError if the file cannot be read */
export function isLogFile(path: string): boolean {
  try {
    // A pipe gives its bytes only once, so this function reads no bytes of a pipe.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
    for (const chunk of openLogFile(path))
      return Buffer.from(chunk).toString('latin1', 0, BEGINNING.length) === BEGINNING
  } catch (error) {
    if (!(error instanceof BrokenChunksError)) throw readProblem(path, error)
  }
  return false
}

/** Returns the jobs of a log that the filter keeps, as a workload. @throws TraceError if the log is corrupt */
export function loadRecorded(path: string, { filter, procsPerNode, sizes, arrivals }: TraceOptions): LoadedTrace {
  const { trace, machine } = recordedJobs(soundRecords(path), path)
  const converted = workloadFromSwf(trace, {
    filter: withSizes(withProcsPerNode(parseFilter(filter), procsPerNode), sizes),
    arrivals: parseArrivals(arrivals ?? 'trace'),
    name: traceName(path),
  })
  return { ...converted, machine }
}

function* soundRecords(path: string): ReturnType<typeof readLogFile> {
  const outcome = yield* readLogFile(path)
  if (outcome.status === 'corrupt')
    throw new TraceError({ file: path, found: describeOutcome(outcome), expected: 'a log that is not damaged' })
  return outcome
}
