import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'

export const root: string = resolve(import.meta.dirname, '../../..')
export const siteFolder: string = join(import.meta.dirname, '../dist/site')

let isBuilt = false

/**
 * Builds the site once. All test files share one process (`test` in package.json), because two builds would write
 * into the same folder.
 */
export function buildOnce(): void {
  if (isBuilt) return
  const program = join(import.meta.dirname, '../src/main.ts')
  const run = spawnSync(process.execPath, ['--conditions=@cloister/source', program], { encoding: 'utf8' })
  expect(run, run.stderr).toMatchObject({ status: 0, stdout: expect.stringContaining('pages in apps/site/dist/site') })
  isBuilt = true
}

/** Returns the text of a file of the site. */
export const siteFile = (file: string): string => readFileSync(join(siteFolder, file), 'utf8')
