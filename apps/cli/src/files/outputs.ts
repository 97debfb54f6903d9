import { FileExistsError, OutputIsInputError } from '../errors/errors.ts'
import type { Files } from './files.ts'

/** Where a command writes to, and what it reads meanwhile. */
export interface OutputRule {
  /** Overwrite what is there. */
  readonly force: boolean
  /** Files that the command reads: none of them is written, by whatever name. */
  readonly inputs: ReadonlyArray<string>
}

/** To be asked before any work is done. @throws OutputIsInputError, FileExistsError */
export function checkOutput(files: Files['Service'], path: string, { force, inputs }: OutputRule): void {
  checkNotInput(files, path, inputs)
  if (!force && files.exists(path)) throw new FileExistsError({ path, remedy: '--force overwrites it' })
}

/** @throws OutputIsInputError */
export function checkNotInput(files: Files['Service'], path: string, inputs: ReadonlyArray<string>): void {
  const input = inputs.find((each) => files.isSame(each, path))
  if (input !== undefined) throw new OutputIsInputError({ path, input })
}
