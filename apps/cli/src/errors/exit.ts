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
