import { attempt, type TaggedProblem } from '@cloister/run'
import { Context, type Effect, Layer } from 'effect'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Service with access to the files of the running Cloister. */
export class OwnProgram extends Context.Service<
  OwnProgram,
  {
    /** Copies the program into a folder, unless the folder has a copy. Returns the path of the copied cloister.js. */
    readonly copyTo: (folder: string) => Effect.Effect<string, TaggedProblem>
  }
>()('cloister/OwnProgram') {}

const entry = 'cloister.js'

/** Service that copies the folder of the running program. */
export const installedProgram: Layer.Layer<OwnProgram> = programIn(dirname(fileURLToPath(import.meta.url)))

/** Returns a service that copies the folder of a program. The program must need no file outside of the folder. */
export function programIn(source: string): Layer.Layer<OwnProgram> {
  return Layer.succeed(OwnProgram, {
    copyTo: (folder) =>
      attempt(() => {
        if (!existsSync(join(folder, entry))) copyWhole(source, folder)
        return join(folder, entry)
      }),
  })
}

/** Copies a folder completely or not at all, even if two processes copy at the same time. */
function copyWhole(source: string, folder: string): void {
  const part = join(dirname(folder), `.${process.pid}.part`)
  mkdirSync(dirname(folder), { recursive: true })
  rmSync(part, { recursive: true, force: true })
  cpSync(source, part, { recursive: true })
  // This package.json makes Node treat the copied files as modules in any folder.
  writeFileSync(join(part, 'package.json'), '{ "type": "module" }\n')
  try {
    renameSync(part, folder)
  } catch (error) {
    if (!existsSync(join(folder, entry))) throw error
    rmSync(part, { recursive: true, force: true })
  }
}
