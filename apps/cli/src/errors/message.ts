import { resolve } from 'node:path'
import { describeOutcome } from '@cloister/eventlog'
import { type PolicyFaultError, requestAsJson, type TooManyQuestionsError } from '@cloister/kernel'
import {
  builtIn,
  type ExperimentError,
  type OptionError,
  type PolicyFailedError,
  flagOf,
  quoteWord,
  runOptions,
  type TaggedProblem,
} from '@cloister/run'
import type { TraceError, TraceNotFoundError } from '@cloister/trace-io'
import { lookupRule, policyFiles } from '../policy/lookup-rule.ts'
import { reasonLines } from '../sweep/failed-runs.ts'
import { visibleOnOneLine } from '../terminal/output.ts'
import { nearest } from '../terminal/nearest.ts'
import { bytes, count } from '../terminal/quantities.ts'
import type { CommandError } from './errors.ts'
import { describeThrown, placeThrown } from './thrown.ts'

type Known =
  | CommandError
  | OptionError
  | PolicyFailedError
  | TraceError
  | TraceNotFoundError
  | TooManyQuestionsError
  | (TaggedProblem & { readonly _tag: 'FoldError' })

/** Messages of the errors, for users. */
const messages: { readonly [Tag in Known['_tag']]: (error: Extract<Known, { readonly _tag: Tag }>) => string } = {
  OptionError: ({ option, reason }) => `--${isRunOption(option) ? flagOf(option) : option}: ${reason}`,
  OptionConflictError: ({ options, reason }) => `${options.join(' and ')} ${reason}`,
  SystemError: ({ code, path, cause }) =>
    path === undefined ? cause.message : `${path}: ${systemReasons[code] ?? cause.message}`,
  FileExistsError: ({ path, remedy }) => `${path} exists; ${remedy}`,
  OutputIsInputError: ({ path, input }) =>
    `${path} cannot be written: it is ${path === input ? 'what is read' : `the same file as ${input}, which is read`}; another name keeps both`,
  OutputTwiceError: ({ path, other }) =>
    `${path} cannot be written: ${resolve(path) === resolve(other) ? 'two outputs have this name' : `it is the same file as ${other}, which is another output`}; another name keeps both`,
  FaultLostError: ({ problem }) =>
    `the run is at fault (${problem}), but not with its jobs in a trace in SWF, which says nothing of their communication`,
  UnreadableLogError: ({ path, outcome }) => `${path}: ${visibleOnOneLine(describeOutcome(outcome))}`,
  LogContentError: ({ path, cause }) => `${path}: ${visibleOnOneLine(messageOf(cause))}`,
  // Messages of this error quote text that a log holds about jobs.
  FoldError: ({ message }) => visibleOnOneLine(message),
  HeaderFieldError: ({ field, reason }) => `${field} in the log's header: ${reason}`,
  NoRecordError: ({ path, option, value, last }) =>
    last === undefined
      ? `${path}: no record is at or before ${option} ${value}`
      : `${path}: there is no record ${value} (${option}); the last one is ${last}`,
  OutsidePartError: ({ path, option, value, from, until, first }) =>
    `${path}: ${option} ${value} is outside of the part of a run that the log is, where its states lack jobs; ${option === '--at' ? `--at takes ${from} to ${until} (seconds)` : `--seq takes records from ${first} on`}`,
  NoJobError: ({ path, job }) => `${path}: no job ${JSON.stringify(job)} was submitted`,
  UnroutableError: ({ subject, reason }) => `${subject} cannot be routed: ${reason}`,
  InterruptedLogError: ({ cause }) => `${messageOf(cause)}\n  what was sealed before is kept; --resume continues it`,
  TraceError: ({ message, canBeSkipped }) =>
    `${visibleOnOneLine(message)}${canBeSkipped ? '\n  --skip-bad-lines passes over such lines, and counts them' : ''}`,
  TraceNotFoundError: ({ message }) => `${message}\n  --trace-dir DIR, or CLOISTER_TRACE_DIR, says which folder`,
  NoJobLeftError: ({ trace, read, filter }) =>
    `${trace}: no job is left of ${count(read)} (filter: ${filter || 'none'}); a weaker --filter would keep some`,
  ExperimentFileError: ({ path, cause }) => `${path}: ${cause.message}${knownFields(cause)}`,
  ResultsFileError: ({ path, line, found }) =>
    line === undefined
      ? `${path}: found ${JSON.stringify(found)} at the end, expected results of cells; is this another file?`
      : `${path}, line ${line}: found ${JSON.stringify(found)}…, expected the result of a cell; without that line its cell would run again`,
  NoSweepError: ({ path }) =>
    `${path}: there are no results of shards; cloister sweep EXPERIMENT --shard I/N makes some, --from DIR says where they are`,
  NoResultsError: ({ failed, remedy }) =>
    [`none of the ${count(failed.length)} runs has a result`, ...reasonLines(failed), `  ${remedy}`].join('\n'),
  NoReproductionError: ({ name, known }) =>
    `there is nothing to reproduce as ${JSON.stringify(name)}${meant(name, known)}`,
  WithoutLogsError: ({ options, reproductions }) =>
    [
      `${options.join(' and ')} cannot apply:`,
      ...reproductions.map(({ name, reason }) => `  ${name} writes no event log: ${reason}`),
      `  leave ${options.length === 1 ? 'the option' : 'the options'} out for ${reproductions.length === 1 ? 'this reproduction' : 'these reproductions'}`,
    ].join('\n'),
  FreshProcessError: ({ args, program = 'cloister', reason }) =>
    `${program} ${args.join(' ')}: it failed in a process of its own: ${reason}`,
  NotesFileError: ({ path, reason }) => `${path} holds no notes: ${reason}`,
  PageTooLargeError: ({ path, limit }) =>
    `${path}: a page holds at most ${bytes(limit)} of a log, this is more; --from and --until take a part of the run`,
  TooManyQuestionsError: ({ most }) =>
    `the log has a policy asked more than ${count(most)} questions, which is the limit for as many records on a machine of that size; --max-questions N sets another`,
  OutputTooLargeError: ({ path, limit, records }) =>
    `${path}: what the log asks for is larger than ${count(limit)} bytes, which is the limit ${records === 0 ? 'before its first record' : `up to its record ${records - 1}`}; --max-bytes N sets another`,
  NoPolicyError: ({ name, suggestion }) =>
    `there is no policy ${JSON.stringify(name)}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}\n${lookupRule}`,
  NoBuiltInPolicyError: ({ name }) =>
    `there is no policy ${JSON.stringify(name)} built in, and no log decides what other code is loaded: --policy says where the policy is`,
  PolicyFileError: ({ path, found }) =>
    `${path}: found ${found}, expected ${policyFiles} that exports the policy by default`,
  ImportError: ({ specifier, cause }) => `${specifier} does not load: ${reasonNotToLoad(cause)}`,
  InvalidPolicyError: ({ specifier, problems, exported }) =>
    problems.length === 0
      ? `${specifier} has no default export; it should be the policy (exported are: ${exported.join(', ') || 'nothing'})`
      : `the default export of ${specifier} is no placement policy:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
  PolicyFailedError: ({ policy, origin, calling, cause, fault }) =>
    fault === undefined
      ? `policy ${policy} (${origin}) failed in ${calling}: ${describeThrown(cause)}`
      : `policy ${policy} (${origin}) failed${describeFault(fault)}`,
  PolicyFailedInLogError: ({ path, asked, cause }) => describeLogOfFault(path, asked, cause),
  SlurmCommandError: ({ command, reason }) => `${command}: ${visibleOnOneLine(reason)}`,
  NoSealError: ({ path }) => `${path} has no seal yet: there is nothing to sign`,
  KeyFileError: ({ path, kind, found }) =>
    `${path}: found ${found}, expected ${kind === 'private' ? 'a private' : 'a public'} Ed25519 key in PEM, as cloister sign --new-key or openssl genpkey -algorithm ed25519 makes`,
  SignatureFileError: ({ path, reason }) => `${path} is no signature of a log: ${reason}`,
  MissingPackageError: ({ need, specifier }) =>
    `${need}, which is not installed in the working directory: npm install ${specifier}`,
  CellQueueError: ({ reason }) => `--postgres: ${visibleOnOneLine(reason)}`,
  ConversionError: ({ option, program, path, cause }) =>
    `${option}: ${program} could not write ${path}: ${cause instanceof Error ? cause.message : String(cause)}`,
}

/** Describes a policy's fault: the time, the reason, the place in the policy's code and the request. */
function describeFault({ recorded, reason, cause, request }: PolicyFaultError): string {
  const when = recorded === undefined ? '' : ` at t = ${recorded.time / 1000} s`
  const question =
    request === undefined ? '' : `\n  the question: ${visibleOnOneLine(JSON.stringify(requestAsJson(request)))}`
  return `${when}: ${visibleOnOneLine(reason)}${placeThrown(cause)}${question}`
}

function describeLogOfFault(path: string, asked: string, failed: PolicyFailedError): string {
  const { recorded } = failed.fault!
  const policy = failed.origin === builtIn ? '' : ` --policy ${quoteWord(asked)}`
  const rerun = `cloister rerun ${quoteWord(path)}${policy}`
  if (recorded === undefined)
    return `${messageOf(failed)}\n  it was asked nothing yet, so that ${path} has no question of it; ${rerun} comes to the same`
  const command = `${rerun} --until ${recorded.seq}`
  return `${messageOf(failed)}\n  ${path} holds all that led to it, up to record ${recorded.seq}; ${command} asks again`
}

const systemReasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EACCES: 'permission denied',
  EEXIST: 'exists already',
  ENOSPC: 'the disk is full',
  EIO: 'the disk reports an error',
}

/** Returns the message of an error for users. Errors of our packages bring their own messages. */
export function messageOf(error: TaggedProblem): string {
  const message = (messages as { readonly [tag: string]: (error: any) => string })[error._tag]
  // Messages of our packages have one line, but quoted text may contain line breaks.
  return message === undefined ? visibleOnOneLine(error.message) : message(error)
}

/** Suggests the nearest known name for an unknown name. Lists the known names if no name is near. */
function meant(name: string, known: ReadonlyArray<string>): string {
  const close = nearest(name, known)
  return close === undefined ? `; known are ${known.join(', ')}` : `; did you mean ${close}?`
}

/** Suggests a known field for an unknown field. Returns an empty text for other errors. */
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
    ? `Node ${process.versions.node} imports no TypeScript; Node 22.18 and newer do`
    : describeThrown(cause)
}
