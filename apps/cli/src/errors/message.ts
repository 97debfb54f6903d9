import type { SlurmCommandError } from '@cloister/cluster'
import type { FaultLostError } from '@cloister/fuzz'
import { type PolicyFaultError, requestAsJson, type TooManyQuestionsError } from '@cloister/kernel'
import {
  flagOf,
  type OptionError,
  type PolicyFailedError,
  type RouterFailedError,
  runOptions,
  type SystemError,
  type TaggedProblem,
} from '@cloister/run'
import type { CellQueueError, NoSweepError, ResultsFileError } from '@cloister/sweep'
import type { TraceError, TraceNotFoundError } from '@cloister/trace-io'
import { visibleOnOneLine } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import type { NotesFileError } from '@cloister/viewer/server'
import type { FreshProcessError, Problem } from './errors.ts'
import { describeThrown, placeThrown } from './thrown.ts'

/** Errors whose messages for users of commands have several lines, or differ from the messages of the libraries. */
type Known =
  | Problem
  | FreshProcessError
  | NotesFileError
  | SystemError
  | FaultLostError
  | ResultsFileError
  | NoSweepError
  | CellQueueError
  | SlurmCommandError
  | OptionError
  | PolicyFailedError
  | RouterFailedError
  | TraceError
  | TraceNotFoundError
  | TooManyQuestionsError

const messages: { readonly [Tag in Known['_tag']]: (error: Extract<Known, { readonly _tag: Tag }>) => string } = {
  Problem: ({ message }) => message,
  FreshProcessError: ({ message }) => message,
  NotesFileError: ({ message }) => message,
  OptionError: ({ option, reason }) => `--${isRunOption(option) ? flagOf(option) : option}: ${reason}`,
  SystemError: ({ code, path, cause }) =>
    path === undefined ? cause.message : `${path}: ${systemReasons[code] ?? cause.message}`,
  FaultLostError: ({ problem }) =>
    `the run is at fault (${problem}), but the fault is gone if the jobs come from an SWF file; SWF has no field for the communication of jobs`,
  TraceError: ({ message, canBeSkipped }) =>
    `${visibleOnOneLine(message)}${canBeSkipped ? '\n  --skip-bad-lines skips lines without a valid job, and counts the skipped lines' : ''}`,
  TraceNotFoundError: ({ message }) =>
    `${message}\n  --trace-dir DIR or the variable CLOISTER_TRACE_DIR sets the folder of the traces`,
  ResultsFileError: ({ path, line, found }) =>
    line === undefined
      ? `${path}: found ${JSON.stringify(found)} at the end, expected results of cells; the file may not be a file of results`
      : `${path}, line ${line}: found ${JSON.stringify(found)}…, expected the result of a cell; after removal of the line the cell runs again`,
  NoSweepError: ({ path }) =>
    `${path}: the folder has no results of shards; cloister sweep EXPERIMENT --shard I/N writes results, --from DIR names their folder`,
  TooManyQuestionsError: ({ most }) =>
    `the log leads to more than ${count(most)} requests to the policy, the limit for this number of records and nodes; --max-questions N sets another limit`,
  PolicyFailedError: ({ policy, origin, calling, cause, fault }) =>
    fault === undefined
      ? `policy ${policy} (${origin}) failed in ${calling}: ${describeThrown(cause)}`
      : `policy ${policy} (${origin}) failed${describeFault(fault)}`,
  RouterFailedError: ({ router, origin, calling, cause, defect }) =>
    `router ${router} (${origin}) failed in ${calling}: ${defect === undefined ? describeThrown(cause) : visibleOnOneLine(defect)}`,
  SlurmCommandError: ({ command, reason }) => `${command}: ${visibleOnOneLine(reason)}`,
  CellQueueError: ({ reason }) => `--postgres: ${visibleOnOneLine(reason)}`,
}

function describeFault({ recorded, reason, cause, request }: PolicyFaultError): string {
  const when = recorded === undefined ? '' : ` at t = ${recorded.time / 1000} s`
  const question =
    request === undefined ? '' : `\n  request: ${visibleOnOneLine(JSON.stringify(requestAsJson(request)))}`
  return `${when}: ${visibleOnOneLine(reason)}${placeThrown(cause)}${question}`
}

const systemReasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'the path is a folder, not a file',
  ENOTDIR: 'a part of the path is a file instead of a folder',
  EACCES: 'permission denied',
  EEXIST: 'the file exists already',
  ENOSPC: 'the disk is full',
  EIO: 'the disk reports an error',
}

/** Returns the message of an error for users: the message in `messages`, or the error's own message on one line. */
export function messageOf(error: TaggedProblem): string {
  const message = (messages as { readonly [tag: string]: (error: any) => string })[error._tag]
  // Messages of Cloister's packages are one line, but a message may quote text with line breaks.
  return message === undefined ? visibleOnOneLine(error.message) : message(error)
}

function isRunOption(name: string): name is keyof typeof runOptions {
  return Object.hasOwn(runOptions, name)
}
