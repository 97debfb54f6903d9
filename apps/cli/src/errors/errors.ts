import type { LogOutcome } from '@cloister/eventlog'
import type { ExperimentError, PolicyFailedError, TaggedProblem } from '@cloister/run'
import { Data } from 'effect'
import type { FailedRun } from '@cloister/sweep'

// Errors that end a command, with the place of the problem. The file message.ts has the messages for users.

/** Options of a command that conflict with each other, or with the input of the command. */
export class OptionConflictError extends Data.TaggedError('OptionConflictError')<{
  /** Flags of the options that conflict, such as `--at`. */
  readonly options: ReadonlyArray<string>
  readonly reason: string
}> {}

/** Output file that exists already. */
export class FileExistsError extends Data.TaggedError('FileExistsError')<{
  readonly path: string
  /** Advice for the user, such as `--force overwrites it`. */
  readonly remedy: string
}> {}

/** Output file of a command that is also an input of the command. */
export class OutputIsInputError extends Data.TaggedError('OutputIsInputError')<{
  readonly path: string
  /** Input's path as the user gave it; another text than `path` if a link leads to the same file. */
  readonly input: string
}> {}

/** Two outputs of a command that would be the same file. */
export class OutputTwiceError extends Data.TaggedError('OutputTwiceError')<{
  readonly path: string
  /** Other output's path as the user gave it; another text than `path` if a link leads to the same file. */
  readonly other: string
}> {}

/** Log that is corrupt or holds no record. */
export class UnreadableLogError extends Data.TaggedError('UnreadableLogError')<{
  readonly path: string
  readonly outcome: LogOutcome
}> {}

/** Readable log with contradictory records. */
export class LogContentError extends Data.TaggedError('LogContentError')<{
  readonly path: string
  readonly cause: TaggedProblem
}> {}

/** Field of a log's header with a value that this program does not know. */
export class HeaderFieldError extends Data.TaggedError('HeaderFieldError')<{
  readonly field: string
  readonly reason: string
}> {}

/** Moment or number of a record that a log does not have. */
export class NoRecordError extends Data.TaggedError('NoRecordError')<{
  readonly path: string
  /** Flag with the moment or record, and with the value `value`: seconds for `--at`, else the number of a record. */
  readonly option: '--at' | '--seq' | '--until' | '--record'
  readonly value: number
  /** Number of the last record of the log, or undefined if the moment is before the first record. */
  readonly last?: number
}> {}

/** Moment outside of the times of a log of a part of a run. The log lacks jobs that ran only outside of these times. */
export class OutsidePartError extends Data.TaggedError('OutsidePartError')<{
  readonly path: string
  /** Flag with the moment, and with the value `value`: seconds for `--at`, the number of a record for `--seq`. */
  readonly option: '--at' | '--seq'
  readonly value: number
  /** First time covered by the log, in seconds (`until`: last time). */
  readonly from: number
  readonly until: number
  /** Number of the first record whose state is a complete state of the run. */
  readonly first: number
}> {}

/** Job without a submit record in a log. */
export class NoJobError extends Data.TaggedError('NoJobError')<{ readonly path: string; readonly job: string }> {}

/** Machine or job for which no forwarding tables can be computed. */
export class UnroutableError extends Data.TaggedError('UnroutableError')<{
  /** Name of the job or machine without forwarding tables, such as `job 17` or `my-tree`. */
  readonly subject: string
  readonly reason: string
}> {}

/** Log of a run that could not be written to its end, for example because the disk was full. */
export class InterruptedLogError extends Data.TaggedError('InterruptedLogError')<{
  readonly path: string
  readonly cause: TaggedProblem
}> {}

/** Log of a run that ended because the policy failed. The log holds everything before the failed request. */
export class PolicyFailedInLogError extends Data.TaggedError('PolicyFailedInLogError')<{
  readonly path: string
  /** Value of `--policy` in the run: a name or a file. */
  readonly asked: string
  readonly cause: PolicyFailedError
}> {}

/** Trace without a job that passes the filter. */
export class NoJobLeftError extends Data.TaggedError('NoJobLeftError')<{
  readonly trace: string
  /** Number of jobs in the trace before the filter. */
  readonly read: number
  readonly filter: string
}> {}

/** Invalid file of an experiment. */
export class ExperimentFileError extends Data.TaggedError('ExperimentFileError')<{
  readonly path: string
  readonly cause: ExperimentError
}> {}

/** Sweep in which every run failed. */
export class NoResultsError extends Data.TaggedError('NoResultsError')<{
  readonly failed: ReadonlyArray<FailedRun>
  /** Advice for the user, with the option that runs the failed cells again. */
  readonly remedy: string
}> {}

/** Name given to `cloister reproduce` that no reproduction has. */
export class NoReproductionError extends Data.TaggedError('NoReproductionError')<{
  readonly name: string
  readonly known: ReadonlyArray<string>
}> {}

/** Options that reproductions without event logs would ignore. */
export class WithoutLogsError extends Data.TaggedError('WithoutLogsError')<{
  /** Flags of the options without effect, such as `--audit`. */
  readonly options: ReadonlyArray<string>
  readonly reproductions: ReadonlyArray<{ readonly name: string; readonly reason: string }>
}> {}

/** Command of Cloister that failed in a separate process. */
export class FreshProcessError extends Data.TaggedError('FreshProcessError')<{
  readonly args: ReadonlyArray<string>
  /** Path of the cloister.js of another build of Cloister, or undefined for this program. */
  readonly program?: string | undefined
  /** Standard error of the process, the reason why the process did not start, or the unexpected output. */
  readonly reason: string
  /** Exit code of the process, or undefined if the process could not be started, or if a signal ended the process. */
  readonly code?: number | undefined
  /** Standard output of a process that ended with an exit code. */
  readonly stdout?: string | undefined
}> {}

/** Notes file of a log with content that is not in the format of notes. */
export class NotesFileError extends Data.TaggedError('NotesFileError')<{
  readonly path: string
  readonly reason: string
}> {}

/** Log, or part of a log, that is too large for an HTML page. */
export class PageTooLargeError extends Data.TaggedError('PageTooLargeError')<{
  readonly path: string
  /** Limit in bytes. */
  readonly limit: number
}> {}

/** Exported file larger than the limit, which depends on the number of records of the log. */
export class OutputTooLargeError extends Data.TaggedError('OutputTooLargeError')<{
  readonly path: string
  /** Limit in bytes. */
  readonly limit: number
  /** Number of records read from the log before the limit was exceeded. */
  readonly records: number
}> {}

/** Name of a policy that is neither built in nor installed. */
export class NoPolicyError extends Data.TaggedError('NoPolicyError')<{
  readonly name: string
  /** Built-in policy with a similar name, or undefined if no name is similar. */
  readonly suggestion: string | undefined
}> {}

/** Name of a policy in a log that is not the name of a built-in policy. */
export class NoBuiltInPolicyError extends Data.TaggedError('NoBuiltInPolicyError')<{ readonly name: string }> {}

/** Path given as a policy, without a file of JavaScript or TypeScript. */
export class PolicyFileError extends Data.TaggedError('PolicyFileError')<{
  readonly path: string
  /** Description of the object at the path, such as `a .py file` or `a folder`. */
  readonly found: string
}> {}

/** Package or file that throws an error while Node imports the package or file. */
export class ImportError extends Data.TaggedError('ImportError')<{
  readonly specifier: string
  readonly cause: unknown
}> {}

/** Module whose default export is missing, or is no policy. */
export class InvalidPolicyError extends Data.TaggedError('InvalidPolicyError')<{
  readonly specifier: string
  /** Problems of the members of the default export, a sentence each, or none without a default export. */
  readonly problems: ReadonlyArray<string>
  /** Names of all exports of the module. */
  readonly exported: ReadonlyArray<string>
}> {}

/** Optional package that a command needs, and that is not installed. */
export class MissingPackageError extends Data.TaggedError('MissingPackageError')<{
  /** First part of the message, such as `--to parquet needs DuckDB`. */
  readonly need: string
  readonly specifier: string
}> {}

/** Error of another program, such as DuckDB, that writes a file for Cloister. */
export class ConversionError extends Data.TaggedError('ConversionError')<{
  readonly option: string
  readonly program: string
  readonly path: string
  readonly cause: unknown
}> {}

/** Log for `cloister sign` that has no seal yet. A signature covers a seal. */
export class NoSealError extends Data.TaggedError('NoSealError')<{ readonly path: string }> {}

/** File given as a key that holds no Ed25519 key of the expected kind. */
export class KeyFileError extends Data.TaggedError('KeyFileError')<{
  readonly path: string
  readonly kind: 'private' | 'public'
  readonly found: string
}> {}

/** File given as a signature that holds no signature of a log. */
export class SignatureFileError extends Data.TaggedError('SignatureFileError')<{
  readonly path: string
  readonly reason: string
}> {}
