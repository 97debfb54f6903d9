import { Data } from 'effect'

/**
 * Exit codes of every command, except 0 for success:
 * - 1: the command ran, and the answer is no, for example because of a violation or a failed check;
 * - 2: the command could not run, for example because of a wrong option, or an unreadable or corrupt input;
 * - 3: the command ran to its end, but a log is not whole, or some runs have no result;
 * - 70: a defect of this program.
 */
export const exitCodes = { no: 1, unusable: 2, notWhole: 3, defect: 70 } as const

/** End of a command with an exit code. The command has printed all messages before. */
export class ExitWith extends Data.TaggedError('ExitWith')<{ readonly code: number }> {
  constructor(code: number) {
    super({ code })
  }
}

/** Problem that ends a command with the exit code `unusable`. The message for users may have several lines. */
export class Problem extends Data.TaggedError('Problem')<{
  readonly message: string
  /** Path of the wrong file, or undefined if the problem is not about a file. */
  readonly file?: string | undefined
}> {
  constructor(message: string, file?: string) {
    super({ message, file })
  }
}

/** Output file that exists already. */
export class FileExistsError extends Problem {
  constructor({ path, remedy = '--force overwrites it' }: { readonly path: string; readonly remedy?: string }) {
    super(`${path} exists; ${remedy}`, path)
  }
}

/**
 * Returns the error for a moment or number of a record that a log does not have.
 * @param option flag with the value `value`
 * @param last number of the last record of the log, or undefined if the moment is before the first record
 */
export function noRecord(path: string, option: string, value: number, last?: number): Problem {
  return new Problem(
    last === undefined
      ? `${path}: the log has no record at or before ${option} ${value}`
      : `${path}: the log has no record ${value} (${option}); the last record is ${last}`,
    path,
  )
}

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
}> {
  override get message(): string {
    const { args, program = 'cloister', reason } = this
    return `${program} ${args.join(' ')}: the command failed in a separate process: ${reason}`
  }
}
