import { resolve } from 'node:path'
import type { SlurmCommandError } from '@cloister/cluster'
import { describeOutcome } from '@cloister/eventlog'
import type { FaultLostError } from '@cloister/fuzz'
import { type PolicyFaultError, requestAsJson, type TooManyQuestionsError } from '@cloister/kernel'
import {
  builtIn,
  describeSpec,
  type ExperimentError,
  type OptionError,
  type PolicyFailedError,
  flagOf,
  quoteWord,
  runOptions,
  type TaggedProblem,
} from '@cloister/run'
import type { SystemError } from '@cloister/run/node'
import {
  byReason,
  type CellQueueError,
  type FailedRun,
  type NoSweepError,
  type ResultsFileError,
} from '@cloister/sweep'
import type { TraceError, TraceNotFoundError } from '@cloister/trace-io'
import { lookupRule, policyFiles } from '../policy/policy-lookup.ts'
import { visibleOnOneLine } from '../terminal/output.ts'
import { nearest } from '../terminal/nearest.ts'
import { bytes, count } from '../terminal/quantities.ts'
import type * as errors from './errors.ts'
import { describeThrown, placeThrown } from './thrown.ts'

type Known =
  | InstanceType<(typeof errors)[keyof typeof errors]>
  | SystemError
  | FaultLostError
  | ResultsFileError
  | NoSweepError
  | CellQueueError
  | SlurmCommandError
  | OptionError
  | PolicyFailedError
  | TraceError
  | TraceNotFoundError
  | TooManyQuestionsError
  | (TaggedProblem & { readonly _tag: 'FoldError' })

const messages: { readonly [Tag in Known['_tag']]: (error: Extract<Known, { readonly _tag: Tag }>) => string } = {
  OptionError: ({ option, reason }) => `--${isRunOption(option) ? flagOf(option) : option}: ${reason}`,
  OptionConflictError: ({ options, reason }) => `${options.join(' and ')} ${reason}`,
  SystemError: ({ code, path, cause }) =>
    path === undefined ? cause.message : `${path}: ${systemReasons[code] ?? cause.message}`,
  FileExistsError: ({ path, remedy }) => `${path} exists; ${remedy}`,
  OutputIsInputError: ({ path, input }) =>
    `${path} cannot be written, because the command reads ${path === input ? 'this file' : `the same file as ${input}`}; give the output another name`,
  OutputTwiceError: ({ path, other }) =>
    `${path} cannot be written, because ${resolve(path) === resolve(other) ? 'two outputs have this name' : `another output, ${other}, is the same file`}; give one of the outputs another name`,
  FaultLostError: ({ problem }) =>
    `the run is at fault (${problem}), but the fault is gone if the jobs come from an SWF file; SWF has no field for the communication of jobs`,
  UnreadableLogError: ({ path, outcome }) => `${path}: ${visibleOnOneLine(describeOutcome(outcome))}`,
  LogContentError: ({ path, cause }) => `${path}: ${visibleOnOneLine(messageOf(cause))}`,
  // Messages of a FoldError quote text of the log, such as the names of jobs.
  FoldError: ({ message }) => visibleOnOneLine(message),
  HeaderFieldError: ({ field, reason }) => `the field ${field} of the log's header: ${reason}`,
  NoRecordError: ({ path, option, value, last }) =>
    last === undefined
      ? `${path}: the log has no record at or before ${option} ${value}`
      : `${path}: the log has no record ${value} (${option}); the last record is ${last}`,
  OutsidePartError: ({ path, option, value, from, until, first }) =>
    `${path}: ${option} ${value} is outside of the part of a run in this log, and the log lacks jobs there; ${option === '--at' ? `expected --at ${from} to ${until} (seconds)` : `expected --seq ${first} or later`}`,
  NoJobError: ({ path, job }) => `${path}: the log has no submit record of a job ${JSON.stringify(job)}`,
  UnroutableError: ({ subject, reason }) => `${subject} cannot be routed: ${reason}`,
  InterruptedLogError: ({ cause }) =>
    `${messageOf(cause)}\n  the log keeps all sealed records; --resume completes the log`,
  TraceError: ({ message, canBeSkipped }) =>
    `${visibleOnOneLine(message)}${canBeSkipped ? '\n  --skip-bad-lines skips lines without a valid job, and counts the skipped lines' : ''}`,
  TraceNotFoundError: ({ message }) =>
    `${message}\n  --trace-dir DIR or the variable CLOISTER_TRACE_DIR sets the folder of the traces`,
  NoJobLeftError: ({ trace, read, filter }) =>
    `${trace}: no job of ${count(read)} passes the filter (${filter || 'none'}); give a weaker --filter`,
  ExperimentFileError: ({ path, cause }) => `${path}: ${cause.message}${knownFields(cause)}`,
  ResultsFileError: ({ path, line, found }) =>
    line === undefined
      ? `${path}: found ${JSON.stringify(found)} at the end, expected results of cells; the file may not be a file of results`
      : `${path}, line ${line}: found ${JSON.stringify(found)}…, expected the result of a cell; after removal of the line the cell runs again`,
  NoSweepError: ({ path }) =>
    `${path}: the folder has no results of shards; cloister sweep EXPERIMENT --shard I/N writes results, --from DIR names their folder`,
  NoResultsError: ({ failed, remedy }) =>
    [`none of the ${count(failed.length)} runs has a result`, ...reasonLines(failed), `  ${remedy}`].join('\n'),
  NoReproductionError: ({ name, known }) => `there is no reproduction ${JSON.stringify(name)}${meant(name, known)}`,
  WithoutLogsError: ({ options, reproductions }) =>
    [
      `${options.join(' and ')} cannot be used here:`,
      ...reproductions.map(({ name, reason }) => `  ${name} writes no event log: ${reason}`),
      `  remove ${options.length === 1 ? 'the option' : 'the options'} for ${reproductions.length === 1 ? 'this reproduction' : 'these reproductions'}`,
    ].join('\n'),
  FreshProcessError: ({ args, program = 'cloister', reason }) =>
    `${program} ${args.join(' ')}: the command failed in a separate process: ${reason}`,
  NotesFileError: ({ path, reason }) => `${path} is no file of notes: ${reason}`,
  PageTooLargeError: ({ path, limit }) =>
    `${path}: the log is larger than ${bytes(limit)}, the most that a page can hold; --from and --until export a part of the run`,
  TooManyQuestionsError: ({ most }) =>
    `the log leads to more than ${count(most)} requests to the policy, the limit for this number of records and nodes; --max-questions N sets another limit`,
  OutputTooLargeError: ({ path, limit, records }) =>
    `${path}: the export of the log is larger than ${count(limit)} bytes, the limit ${records === 0 ? 'before the first record' : `up to record ${records - 1}`}; --max-bytes N sets another limit`,
  NoPolicyError: ({ name, suggestion }) =>
    `there is no policy ${JSON.stringify(name)}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}\n${lookupRule}`,
  NoBuiltInPolicyError: ({ name }) =>
    `there is no built-in policy ${JSON.stringify(name)}, and the name in a log never loads other code; --policy names the policy as a file or a package`,
  PolicyFileError: ({ path, found }) =>
    `${path}: found ${found}, expected ${policyFiles} that exports the policy by default`,
  ImportError: ({ specifier, cause }) => `${specifier} cannot be imported: ${reasonNotToLoad(cause)}`,
  InvalidPolicyError: ({ specifier, problems, exported }) =>
    problems.length === 0
      ? `${specifier} has no default export, expected the policy (found exports: ${exported.join(', ') || 'none'})`
      : `the default export of ${specifier} is no placement policy:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
  PolicyFailedError: ({ policy, origin, calling, cause, fault }) =>
    fault === undefined
      ? `policy ${policy} (${origin}) failed in ${calling}: ${describeThrown(cause)}`
      : `policy ${policy} (${origin}) failed${describeFault(fault)}`,
  PolicyFailedInLogError: ({ path, asked, cause }) => describeLogOfFault(path, asked, cause),
  SlurmCommandError: ({ command, reason }) => `${command}: ${visibleOnOneLine(reason)}`,
  NoSealError: ({ path }) => `${path}: the log has no seal yet, and a signature covers a seal; sign the log later`,
  KeyFileError: ({ path, kind, found }) =>
    `${path}: found ${found}, expected ${kind === 'private' ? 'a private' : 'a public'} Ed25519 key in PEM; cloister sign --new-key or openssl genpkey -algorithm ed25519 makes a key`,
  SignatureFileError: ({ path, reason }) => `${path} is no signature of a log: ${reason}`,
  MissingPackageError: ({ need, specifier }) =>
    `${need}, and the package is not installed in the working directory: npm install ${specifier}`,
  CellQueueError: ({ reason }) => `--postgres: ${visibleOnOneLine(reason)}`,
  ConversionError: ({ option, program, path, cause }) =>
    `${option}: ${program} could not write ${path}: ${cause instanceof Error ? cause.message : String(cause)}`,
}

function describeFault({ recorded, reason, cause, request }: PolicyFaultError): string {
  const when = recorded === undefined ? '' : ` at t = ${recorded.time / 1000} s`
  const question =
    request === undefined ? '' : `\n  request: ${visibleOnOneLine(JSON.stringify(requestAsJson(request)))}`
  return `${when}: ${visibleOnOneLine(reason)}${placeThrown(cause)}${question}`
}

function describeLogOfFault(path: string, asked: string, failed: PolicyFailedError): string {
  const { recorded } = failed.fault!
  const policy = failed.origin === builtIn ? '' : ` --policy ${quoteWord(asked)}`
  const rerun = `cloister rerun ${quoteWord(path)}${policy}`
  if (recorded === undefined)
    return `${messageOf(failed)}\n  the policy failed before the first request, so that ${path} has no request to repeat; ${rerun} fails in the same way`
  const command = `${rerun} --until ${recorded.seq}`
  return `${messageOf(failed)}\n  ${path} holds all records before the failure, up to record ${recorded.seq}; ${command} repeats the request`
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

/** Returns a line for each reason of failed runs: number of runs, first run, reason. */
export function reasonLines(failed: ReadonlyArray<FailedRun>): ReadonlyArray<string> {
  return byReason(failed).map(
    ({ reason, cells, first }) =>
      `  ${cells === 1 ? '1 run' : `${count(cells)} runs, first`} ${describeSpec(first)}: ${reason}`,
  )
}

/** Ends a message about an unknown name: with the nearest known name, or with all known names if none is near. */
function meant(name: string, known: ReadonlyArray<string>): string {
  const close = nearest(name, known)
  return close === undefined ? `; expected one of ${known.join(', ')}` : `; did you mean ${close}?`
}

function knownFields({ field, known }: ExperimentError): string {
  return known === undefined ? '' : meant(field.slice(field.lastIndexOf('.') + 1), known)
}

function isRunOption(name: string): name is keyof typeof runOptions {
  return Object.hasOwn(runOptions, name)
}

function reasonNotToLoad(cause: unknown): string {
  const isTypeScript =
    cause instanceof Error &&
    'code' in cause &&
    cause.code === 'ERR_UNKNOWN_FILE_EXTENSION' &&
    /extension "\.[cm]?ts"/.test(cause.message)
  return isTypeScript
    ? `Node ${process.versions.node} cannot import TypeScript; Node 22.18 and newer can`
    : describeThrown(cause)
}
