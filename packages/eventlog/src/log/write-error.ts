/**
 * Error for a call of `LogWriter` with a record that no log can hold: a wrong time, a wrong id, a record after the end
 * record. The caller of `LogWriter` made a mistake.
 */
export class LogWriteError extends Error {
  readonly _tag: 'LogWriteError' = 'LogWriteError'
  override readonly name: string = 'LogWriteError'
  readonly seq: number

  constructor(seq: number, problem: string) {
    super(`record ${seq}: ${problem}`)
    this.seq = seq
  }
}
