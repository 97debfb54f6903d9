import { Data } from 'effect'

/**
 * What exit codes mean, for every command: 0 done; 1 it ran, and the answer is no (a violation, a failed check); 2 it
 * could not run: wrong option, unreadable or corrupt input; 3 done as far as the log goes, but the log is not whole;
 * 70 a defect of this program.
 */
export const exitCodes = { no: 1, unusable: 2, notWhole: 3, defect: 70 } as const

/** The command has said all there is to say; what is left is its exit code. */
export class ExitWith extends Data.TaggedError('ExitWith')<{ readonly code: number }> {
  constructor(code: number) {
    super({ code })
  }
}
