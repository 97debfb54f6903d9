import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Path to programs, including the folders of daemons outside of users' PATH. */
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

/** Returns true if Slurm has a plugin of the name. Debian has some plugins in separate packages. */
export function hasPlugin(name: string): boolean {
  const libraries = ['/usr/lib', '/usr/lib64'].filter((folder) => existsSync(folder))
  // Debian's plugins are below the name of an architecture.
  const folders = libraries.flatMap((folder) => [folder, ...readdirSync(folder).map((under) => join(folder, under))])
  return folders.some((folder) => ['slurm', 'slurm-wlm'].some((under) => existsSync(join(folder, under, `${name}.so`))))
}
