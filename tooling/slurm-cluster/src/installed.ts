import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Value of PATH with `/usr/sbin` and `/sbin`: daemons are there, but users' PATH lacks these folders. */
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

/** Returns true if a plugin of Slurm such as `auth_jwt` is installed: Debian has some plugins in separate packages. */
export function hasPlugin(name: string): boolean {
  const libraries = ['/usr/lib', '/usr/lib64'].filter((folder) => existsSync(folder))
  // On Debian the plugins are in a subfolder with the name of the processor architecture.
  const folders = libraries.flatMap((folder) => [folder, ...readdirSync(folder).map((under) => join(folder, under))])
  return folders.some((folder) => ['slurm', 'slurm-wlm'].some((under) => existsSync(join(folder, under, `${name}.so`))))
}
