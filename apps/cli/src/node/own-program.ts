import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Layer } from 'effect'
import { OwnProgram } from '../emit/own-program.ts'
import { attempt } from '../errors/attempt.ts'

/** What Node runs of the program's folder. */
const entry = 'cloister.js'

/** The folder that this program was started from. */
export const installedProgram: Layer.Layer<OwnProgram> = programIn(dirname(fileURLToPath(import.meta.url)))

/** A program as its bundle is: a folder that needs nothing beside it. */
export function programIn(source: string): Layer.Layer<OwnProgram> {
  return Layer.succeed(OwnProgram, {
    copyTo: (folder) =>
      attempt(() => {
        if (!existsSync(join(folder, entry))) copyWhole(source, folder)
        return join(folder, entry)
      }),
  })
}

/** Whole or not at all, though two copy at the same time. */
function copyWhole(source: string, folder: string): void {
  const part = join(dirname(folder), `.${process.pid}.part`)
  mkdirSync(dirname(folder), { recursive: true })
  rmSync(part, { recursive: true, force: true })
  cpSync(source, part, { recursive: true })
  // Its files are modules, wherever they stand.
  writeFileSync(join(part, 'package.json'), '{ "type": "module" }\n')
  try {
    renameSync(part, folder)
  } catch (error) {
    if (!existsSync(join(folder, entry))) throw error
    rmSync(part, { recursive: true, force: true })
  }
}
