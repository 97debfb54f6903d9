import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Daemons are outside of what users have in their PATH. */
export const programPath: string = [process.env['PATH'], '/usr/sbin', '/sbin'].join(delimiter)

export function isInstalled(program: string): boolean {
  return programPath.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
