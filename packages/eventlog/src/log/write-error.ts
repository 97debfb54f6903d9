/** What cannot be written as a log: times or ids that are none, a record after the end. A mistake of the caller. */
export class LogWriteError extends Error {
  readonly _tag: 'LogWriteError' = 'LogWriteError'
  override readonly name: string = 'LogWriteError'
  readonly seq: number

  constructor(seq: number, problem: string) {
    super(`record ${seq}: ${problem}`)
    this.seq = seq
  }
}
