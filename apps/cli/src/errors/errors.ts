import type { LogOutcome } from '@cloister/eventlog'
import type { ExperimentError, PolicyFailedError, TaggedProblem } from '@cloister/run'
import { Data } from 'effect'
import type { SlurmCommandError } from '@cloister/slurm'
import type { FailedRun } from '../sweep/failed-runs.ts'

// Reasons why a command cannot run, with the place of the problem. The file message.ts has the messages for users.

/** Options that conflict with each other or with the input. */
export class OptionConflictError extends Data.TaggedError('OptionConflictError')<{
  /** Flags of the options, such as `--at`. */
  readonly options: ReadonlyArray<string>
  readonly reason: string
}> {}

/** Error of the operating system. */
export class SystemError extends Data.TaggedError('SystemError')<{
  /** Code of the error, such as `ENOENT` or `ENOSPC`. */
  readonly code: string
  readonly path: string | undefined
  readonly cause: Error
}> {}

/** Existing file in the place of an output. */
export class FileExistsError extends Data.TaggedError('FileExistsError')<{
  readonly path: string
  /** Advice for the user, such as `--force overwrites it`. */
  readonly remedy: string
}> {}

/** Output of a command that is also an input of the command. */
export class OutputIsInputError extends Data.TaggedError('OutputIsInputError')<{
  readonly path: string
  /** Path of the input, as the user gave the path. An input can be the same file through a link. */
  readonly input: string
}> {}

/** Fault of a run, not reproduced by a trace of the jobs alone. */
export class FaultLostError extends Data.TaggedError('FaultLostError')<{ readonly problem: string }> {}

/** Two outputs of a command with the same file. */
export class OutputTwiceError extends Data.TaggedError('OutputTwiceError')<{
  readonly path: string
  /** Path of the other output, as the user gave the path. Two outputs can be the same file through a link. */
  readonly other: string
}> {}

/** Log that is corrupt or holds no record. */
export class UnreadableLogError extends Data.TaggedError('UnreadableLogError')<{
  readonly path: string
  readonly outcome: LogOutcome
}> {}

/** Readable log with impossible content. */
export class LogContentError extends Data.TaggedError('LogContentError')<{
  readonly path: string
  readonly cause: TaggedProblem
}> {}

/** Field of a log's header with a value that this program does not know. */
export class HeaderFieldError extends Data.TaggedError('HeaderFieldError')<{
  readonly field: string
  readonly reason: string
}> {}

/** Moment or record missing in a log. */
export class NoRecordError extends Data.TaggedError('NoRecordError')<{
  readonly path: string
  /** Flag with the moment or record, and the flag's value. */
  readonly option: '--at' | '--seq' | '--until' | '--record'
  readonly value: number
  /** Number of the last record. Undefined if the moment is before the first record. */
  readonly last?: number
}> {}

/** Moment outside of the part of a run that a log holds. Jobs are missing outside of the part. */
export class OutsidePartError extends Data.TaggedError('OutsidePartError')<{
  readonly path: string
  /** Flag with the moment, and the flag's value. */
  readonly option: '--at' | '--seq'
  readonly value: number
  /** First time covered by the log, in seconds. */
  readonly from: number
  readonly until: number
  /** Number of the first record whose state is a complete state of the run. */
  readonly first: number
}> {}

/** Job without a submit record in a log. */
export class NoJobError extends Data.TaggedError('NoJobError')<{ readonly path: string; readonly job: string }> {}

/** Machine, or job on a machine, without forwarding tables. */
export class UnroutableError extends Data.TaggedError('UnroutableError')<{
  /** Name of the job or machine, such as `job 17` or `my-tree`. */
  readonly subject: string
  readonly reason: string
}> {}

/** Log that was not written to its end. */
export class InterruptedLogError extends Data.TaggedError('InterruptedLogError')<{
  readonly path: string
  readonly cause: TaggedProblem
}> {}

/** Log with a policy failure at its last request. */
export class PolicyFailedInLogError extends Data.TaggedError('PolicyFailedInLogError')<{
  readonly path: string
  /** Policy as the user named the policy: a name or a file. */
  readonly asked: string
  readonly cause: PolicyFailedError
}> {}

/** Trace without a job after its filter. */
export class NoJobLeftError extends Data.TaggedError('NoJobLeftError')<{
  readonly trace: string
  /** Number of jobs in the trace. */
  readonly read: number
  readonly filter: string
}> {}

/** Invalid file of an experiment. */
export class ExperimentFileError extends Data.TaggedError('ExperimentFileError')<{
  readonly path: string
  readonly cause: ExperimentError
}> {}

/** File with other content than results of an experiment. */
export class ResultsFileError extends Data.TaggedError('ResultsFileError')<{
  readonly path: string
  /** Number of the line, from 1. Undefined for text after the last complete line. */
  readonly line: number | undefined
  readonly found: string
}> {}

/** Folder without results of workers. */
export class NoSweepError extends Data.TaggedError('NoSweepError')<{ readonly path: string }> {}

/** Sweep without a result of any run. */
export class NoResultsError extends Data.TaggedError('NoResultsError')<{
  readonly failed: ReadonlyArray<FailedRun>
  /** Command that runs the cells again. */
  readonly remedy: string
}> {}

/** Unknown name of a reproduction. */
export class NoReproductionError extends Data.TaggedError('NoReproductionError')<{
  readonly name: string
  readonly known: ReadonlyArray<string>
}> {}

/** Options that reproductions without event logs would ignore. */
export class WithoutLogsError extends Data.TaggedError('WithoutLogsError')<{
  /** Flags such as `--audit`. */
  readonly options: ReadonlyArray<string>
  readonly reproductions: ReadonlyArray<{ readonly name: string; readonly reason: string }>
}> {}

/** Failed run in a separate process. */
export class FreshProcessError extends Data.TaggedError('FreshProcessError')<{
  readonly args: ReadonlyArray<string>
  /** Path of another Cloister's cloister.js. Undefined for this program. */
  readonly program?: string | undefined
  /** Standard error of the process, the reason why the process did not start, or the unexpected output. */
  readonly reason: string
  /** Exit code; undefined if the process could not be started or a signal ended it. */
  readonly code?: number | undefined
  /** Standard output of a process that ended with an exit code. */
  readonly stdout?: string | undefined
}> {}

/** File beside a log with other content than notes on the log. */
export class NotesFileError extends Data.TaggedError('NotesFileError')<{
  readonly path: string
  readonly reason: string
}> {}

/** Part of a run too large for a page. */
export class PageTooLargeError extends Data.TaggedError('PageTooLargeError')<{
  readonly path: string
  /** Limit in bytes. */
  readonly limit: number
}> {}

/** Export larger than its log allows. */
export class OutputTooLargeError extends Data.TaggedError('OutputTooLargeError')<{
  readonly path: string
  /** Limit in bytes. */
  readonly limit: number
  /** Number of records read from the log. */
  readonly records: number
}> {}

/** Name without a policy. */
export class NoPolicyError extends Data.TaggedError('NoPolicyError')<{
  readonly name: string
  /** Built-in policy with a similar name. Undefined if no name is similar. */
  readonly suggestion: string | undefined
}> {}

/** Policy of a log, not built in. */
export class NoBuiltInPolicyError extends Data.TaggedError('NoBuiltInPolicyError')<{ readonly name: string }> {}

/** Path that a user gave as a policy, without a file of code. */
export class PolicyFileError extends Data.TaggedError('PolicyFileError')<{
  readonly path: string
  /** Noun phrase for the file, such as `a .py file` or `a folder`. */
  readonly found: string
}> {}

/** Package or file with an error during import. */
export class ImportError extends Data.TaggedError('ImportError')<{
  readonly specifier: string
  readonly cause: unknown
}> {}

/** Module with a default export that is no policy. */
export class InvalidPolicyError extends Data.TaggedError('InvalidPolicyError')<{
  readonly specifier: string
  /** Problems of the policy's members. Empty if the module has no default export. */
  readonly problems: ReadonlyArray<string>
  /** Names that the module exports. */
  readonly exported: ReadonlyArray<string>
}> {}

/** Package missing for a command. */
export class MissingPackageError extends Data.TaggedError('MissingPackageError')<{
  /** Need of the command, such as `--to parquet needs DuckDB`. */
  readonly need: string
  readonly specifier: string
}> {}

/** Error of the database with a sweep's queue, or of the package that accesses the database. */
export class CellQueueError extends Data.TaggedError('CellQueueError')<{ readonly reason: string }> {}

/** Error of another program that writes a file for Cloister. */
export class ConversionError extends Data.TaggedError('ConversionError')<{
  readonly option: string
  readonly program: string
  readonly path: string
  readonly cause: unknown
}> {}

/** Log without a seal, so that there is nothing to sign. */
export class NoSealError extends Data.TaggedError('NoSealError')<{ readonly path: string }> {}

/** File without an Ed25519 key of the expected kind. */
export class KeyFileError extends Data.TaggedError('KeyFileError')<{
  readonly path: string
  readonly kind: 'private' | 'public'
  readonly found: string
}> {}

/** File without a signature of a log. */
export class SignatureFileError extends Data.TaggedError('SignatureFileError')<{
  readonly path: string
  readonly reason: string
}> {}

export type CommandError =
  | SystemError
  | OptionConflictError
  | FileExistsError
  | OutputIsInputError
  | OutputTwiceError
  | FaultLostError
  | UnreadableLogError
  | LogContentError
  | HeaderFieldError
  | NoRecordError
  | OutsidePartError
  | NoJobError
  | UnroutableError
  | InterruptedLogError
  | PolicyFailedInLogError
  | NoJobLeftError
  | ExperimentFileError
  | ResultsFileError
  | NoSweepError
  | NoResultsError
  | NoReproductionError
  | WithoutLogsError
  | FreshProcessError
  | NotesFileError
  | PageTooLargeError
  | OutputTooLargeError
  | NoPolicyError
  | NoBuiltInPolicyError
  | ImportError
  | PolicyFileError
  | InvalidPolicyError
  | MissingPackageError
  | ConversionError
  | CellQueueError
  | NoSealError
  | KeyFileError
  | SignatureFileError
  | SlurmCommandError
