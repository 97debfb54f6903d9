import { resolve } from 'node:path'
import { FileExistsError, OutputIsInputError, OutputTwiceError } from '../errors/errors.ts'
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

/** The same for all that a command writes: two outputs of one name would leave only the second. @throws also OutputTwiceError */
export function checkOutputs(files: Files['Service'], paths: ReadonlyArray<string>, rule: OutputRule): void {
  checkDistinct(files, paths)
  for (const path of paths) checkOutput(files, path, rule)
}

/** @throws OutputTwiceError where two paths are one file, or would be */
export function checkDistinct(files: Files['Service'], paths: ReadonlyArray<string>): void {
  for (const [at, path] of paths.entries()) {
    const other = paths.slice(0, at).find((each) => resolve(each) === resolve(path) || files.isSame(each, path))
    if (other !== undefined) throw new OutputTwiceError({ path, other })
  }
}

/** @throws OutputIsInputError */
export function checkNotInput(files: Files['Service'], path: string, inputs: ReadonlyArray<string>): void {
  const input = inputs.find((each) => files.isSame(each, path))
  if (input !== undefined) throw new OutputIsInputError({ path, input })
}
