import type { Files } from '@cloister/run/node'
import { resolve } from 'node:path'
import { FileExistsError, Problem } from '../errors/errors.ts'

/** Rules for the output files of a command. */
export interface OutputRule {
  /** True if the command may overwrite existing files. */
  readonly force: boolean
  /** Input files of the command. No output may be one of these files, not even through a link. */
  readonly inputs: ReadonlyArray<string>
}

/** Checks one output path before the command does any work. @throws Problem */
export function checkOutput(files: Files['Service'], path: string, { force, inputs }: OutputRule): void {
  checkNotInput(files, path, inputs)
  if (!force && files.exists(path)) throw new FileExistsError({ path })
}

/**
 * Checks all output paths of a command before any work. Two outputs must not be the same file, because the second
 * output would replace the first. @throws Problem
 */
export function checkOutputs(files: Files['Service'], paths: ReadonlyArray<string>, rule: OutputRule): void {
  checkDistinct(files, paths)
  for (const path of paths) checkOutput(files, path, rule)
}

/** Checks that no two output paths are equal or lead to the same file through a link. @throws Problem */
export function checkDistinct(files: Files['Service'], paths: ReadonlyArray<string>): void {
  for (const [at, path] of paths.entries()) {
    const other = paths.slice(0, at).find((each) => resolve(each) === resolve(path) || files.isSame(each, path))
    if (other === undefined) continue
    const why =
      resolve(path) === resolve(other) ? 'two outputs have this name' : `another output, ${other}, is the same file`
    throw new Problem(`${path} cannot be written, because ${why}; give one of the outputs another name`)
  }
}

/** Checks that an output path leads to none of the input files. @throws Problem */
export function checkNotInput(files: Files['Service'], path: string, inputs: ReadonlyArray<string>): void {
  const input = inputs.find((each) => files.isSame(each, path))
  if (input === undefined) return
  const file = path === input ? 'this file' : `the same file as ${input}`
  throw new Problem(`${path} cannot be written, because the command reads ${file}; give the output another name`)
}
