import type { LogOutcome } from '@cloister/eventlog'
import type { ExperimentError, PolicyFailedError, TaggedProblem } from '@cloister/run'
import { Data } from 'effect'
import type { SlurmCommandError } from '@cloister/slurm'
import type { FailedRun } from '../sweep/failed-runs.ts'

// Why a command could not run: what was found, and where. What people read of it is in message.ts.

/** Options that do not go together, or not with what they are applied to. */
export class OptionConflictError extends Data.TaggedError('OptionConflictError')<{
  /** As flags: `--at`. */
  readonly options: ReadonlyArray<string>
  readonly reason: string
}> {}

/** What the operating system refuses. */
export class SystemError extends Data.TaggedError('SystemError')<{
  /** `ENOENT`, `ENOSPC`, … */
  readonly code: string
  readonly path: string | undefined
  readonly cause: Error
}> {}

/** A file that would have to be overwritten. */
export class FileExistsError extends Data.TaggedError('FileExistsError')<{
  readonly path: string
  /** What would help: `--force overwrites it`. */
  readonly remedy: string
}> {}

/** An output that is also what the command reads. */
export class OutputIsInputError extends Data.TaggedError('OutputIsInputError')<{
  readonly path: string
  /** As the command was given it: the same path, or a link. */
  readonly input: string
}> {}

/** A fault of a run that its jobs do not show in a trace of their own. */
export class FaultLostError extends Data.TaggedError('FaultLostError')<{ readonly problem: string }> {}

/** Two outputs of a command that are one file. */
export class OutputTwiceError extends Data.TaggedError('OutputTwiceError')<{
  readonly path: string
  /** As the command was given it: the same path, or a link. */
  readonly other: string
}> {}

/** A log that is corrupt, or holds no record. */
export class UnreadableLogError extends Data.TaggedError('UnreadableLogError')<{
  readonly path: string
  readonly outcome: LogOutcome
}> {}

/** A log that can be read, and says what cannot be. */
export class LogContentError extends Data.TaggedError('LogContentError')<{
  readonly path: string
  readonly cause: TaggedProblem
}> {}

/** What a log's header says of the run, and this program does not know. */
export class HeaderFieldError extends Data.TaggedError('HeaderFieldError')<{
  readonly field: string
  readonly reason: string
}> {}

/** A moment of which a log knows nothing. */
export class NoRecordError extends Data.TaggedError('NoRecordError')<{
  readonly path: string
  /** The flag by which the moment was named, and its value. */
  readonly option: '--at' | '--seq' | '--until' | '--record'
  readonly value: number
  /** The last record there is, where the moment is behind it. */
  readonly last?: number
}> {}

/** A moment outside of the part of a run that a log is: jobs are missing there. */
export class OutsidePartError extends Data.TaggedError('OutsidePartError')<{
  readonly path: string
  /** The flag by which the moment was named, and its value. */
  readonly option: '--at' | '--seq'
  readonly value: number
  /** The times that the log has, in seconds. */
  readonly from: number
  readonly until: number
  /** The first record whose state is one of the run. */
  readonly first: number
}> {}

/** A job that a log does not name. */
export class NoJobError extends Data.TaggedError('NoJobError')<{ readonly path: string; readonly job: string }> {}

/** A machine, or a job on it, for which no forwarding tables can be made. */
export class UnroutableError extends Data.TaggedError('UnroutableError')<{
  /** `job 17`, `my-tree`. */
  readonly subject: string
  readonly reason: string
}> {}

/** A log that was not written to its end. */
export class InterruptedLogError extends Data.TaggedError('InterruptedLogError')<{
  readonly path: string
  readonly cause: TaggedProblem
}> {}

/** A log that ends with the question at which the policy failed. */
export class PolicyFailedInLogError extends Data.TaggedError('PolicyFailedInLogError')<{
  readonly path: string
  /** As it was asked for: a name, a file. */
  readonly asked: string
  readonly cause: PolicyFailedError
}> {}

/** A trace of which the filter leaves no job. */
export class NoJobLeftError extends Data.TaggedError('NoJobLeftError')<{
  readonly trace: string
  /** Jobs of the trace. */
  readonly read: number
  readonly filter: string
}> {}

/** A flag by its former name. */
export class FormerFlagError extends Data.TaggedError('FormerFlagError')<{
  readonly former: string
  readonly flag: string
  /** What its value has to be; undefined for a flag without one. */
  readonly expected: string | undefined
}> {}

/** The file of an experiment that is not as it has to be. */
export class ExperimentFileError extends Data.TaggedError('ExperimentFileError')<{
  readonly path: string
  readonly cause: ExperimentError
}> {}

/** A file that holds something else than results of an experiment. */
export class ResultsFileError extends Data.TaggedError('ResultsFileError')<{
  readonly path: string
  /** The line's number, from 1; undefined for what stands behind the last whole line. */
  readonly line: number | undefined
  readonly found: string
}> {}

/** No workers have swept an experiment there. */
export class NoSweepError extends Data.TaggedError('NoSweepError')<{ readonly path: string }> {}

/** A sweep of which no run has a result. */
export class NoResultsError extends Data.TaggedError('NoResultsError')<{
  readonly failed: ReadonlyArray<FailedRun>
  /** Command that runs the cells again. */
  readonly remedy: string
}> {}

/** A name under which nothing of a paper can be made again. */
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

/** A run in a process of its own that failed. */
export class FreshProcessError extends Data.TaggedError('FreshProcessError')<{
  readonly args: ReadonlyArray<string>
  /** The cloister.js of another one, where it was that. */
  readonly program?: string | undefined
  /** What it said on standard error, why it could not be started, or what it printed in place of figures. */
  readonly reason: string
  /** Exit code; undefined if the process could not be started or a signal ended it. */
  readonly code?: number | undefined
  /** Standard output of a process that ended with that code. */
  readonly stdout?: string | undefined
}> {}

/** The file beside a log that should hold the notes on it holds something else. */
export class NotesFileError extends Data.TaggedError('NotesFileError')<{
  readonly path: string
  readonly reason: string
}> {}

/** A part of a run that is too large for a page. */
export class PageTooLargeError extends Data.TaggedError('PageTooLargeError')<{
  readonly path: string
  /** Bytes. */
  readonly limit: number
}> {}

/** An export that is larger than its log can mean. */
export class OutputTooLargeError extends Data.TaggedError('OutputTooLargeError')<{
  readonly path: string
  /** Bytes. */
  readonly limit: number
  /** Of the log, as far as they were read. */
  readonly records: number
}> {}

/** A name under which no policy is found. */
export class NoPolicyError extends Data.TaggedError('NoPolicyError')<{
  readonly name: string
  /** A built-in policy of nearly the same name. */
  readonly suggestion: string | undefined
}> {}

/** A log's policy that is not built in. */
export class NoBuiltInPolicyError extends Data.TaggedError('NoBuiltInPolicyError')<{ readonly name: string }> {}

/** A path that a user names as a policy, and that leads to no file of code. */
export class PolicyFileError extends Data.TaggedError('PolicyFileError')<{
  readonly path: string
  /** A noun phrase: `a .py file`, `a folder`. */
  readonly found: string
}> {}

/** A package or file that throws when it is imported. */
export class ImportError extends Data.TaggedError('ImportError')<{
  readonly specifier: string
  readonly cause: unknown
}> {}

/** A module whose default export is no policy. */
export class InvalidPolicyError extends Data.TaggedError('InvalidPolicyError')<{
  readonly specifier: string
  /** What is wrong, member by member; none where there is no default export. */
  readonly problems: ReadonlyArray<string>
  /** The names of what is exported. */
  readonly exported: ReadonlyArray<string>
}> {}

/** A package that has to be installed for what was asked. */
export class MissingPackageError extends Data.TaggedError('MissingPackageError')<{
  /** `--to parquet needs DuckDB`. */
  readonly need: string
  readonly specifier: string
}> {}

/** What a database says that has the queue of a sweep, or the package that asks it. */
export class CellQueueError extends Data.TaggedError('CellQueueError')<{ readonly reason: string }> {}

/** Another program's error while it wrote a file for us. */
export class ConversionError extends Data.TaggedError('ConversionError')<{
  readonly option: string
  readonly program: string
  readonly path: string
  readonly cause: unknown
}> {}

/** A log without a seal: there is nothing to sign. */
export class NoSealError extends Data.TaggedError('NoSealError')<{ readonly path: string }> {}

/** A file that holds no key that signs. */
export class KeyFileError extends Data.TaggedError('KeyFileError')<{
  readonly path: string
  readonly kind: 'private' | 'public'
  readonly found: string
}> {}

/** A file that is no signature of a log. */
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
  | FormerFlagError
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
