// Reads the repository's files, and finds commands in workflows and documents that name a missing program or script.
import { accessSync, constants, existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'

export const root: string = resolve(import.meta.dirname, '../../..')
export const read = (path: string): string => readFileSync(join(root, path), 'utf8')
export const readJson = (path: string): any => JSON.parse(read(path))
export const readYaml = (path: string): any => parse(read(path))
export const { scripts } = readJson('package.json')

/** Manifest (package.json) of each package, by name. */
export const manifests: ReadonlyMap<string, any> = new Map(
  globSync('{packages,packages/policies,apps,tooling}/*/package.json', { cwd: root }).map((path) => {
    const manifest = readJson(path)
    return [manifest.name, manifest]
  }),
)

/** Returns faults of a command: a missing program, npm script, package, script of a package, or command of cloister. */
export function commandDefects(command: string): ReadonlyArray<string> {
  const defect = (text: string): ReadonlyArray<string> => [`${command}: ${text}`]
  const [program, ...words] = command.replace(/^([A-Z_]+=\S+ )+/, '').split(/\s+/)
  if (program.startsWith('.')) return isProgram(program) ? [] : defect(`${program} is no program`)
  if (program === 'node' && words[0].startsWith('tooling/'))
    return existsSync(join(root, words[0])) ? [] : defect(`${words[0]} does not exist`)
  if (program !== 'npm') return []
  if (words[0] !== 'run') return ['start', 'test'].includes(words[0]) ? [] : defect(`npm has no ${words[0]} here`)
  const [script, ...rest] = words.slice(1).filter((word) => word !== '--silent')
  if (scripts[script] === undefined) return defect(`package.json has no script ${script}`)
  const given = rest[0] === '--' ? rest.slice(1) : []
  if (script === 'cloister') return cloisterDefect(given).flatMap(defect)
  if (script === 'pnpm') return pnpmDefect(given).flatMap(defect)
  return []
}

function isProgram(path: string): boolean {
  try {
    accessSync(join(root, path), constants.X_OK)
    return true
  } catch {
    return false
  }
}

function cloisterDefect([name]: ReadonlyArray<string>): ReadonlyArray<string> {
  if ([undefined, '…', 'COMMAND'].includes(name)) return []
  return existsSync(join(root, `apps/cli/src/commands/${name}.ts`)) ? [] : [`cloister has no command ${name}`]
}

function pnpmDefect(words: ReadonlyArray<string>): ReadonlyArray<string> {
  if ([undefined, '…'].includes(words[0])) return []
  if (words[0] === '--filter' && words[2] === '--filter') {
    const asked = words.slice(words.lastIndexOf('--filter') + 2)
    return [...pnpmDefect([...words.slice(0, 2), ...asked]), ...pnpmDefect(words.slice(2))]
  }
  const [, filtered] = words[0] === '--filter' ? words : []
  const own = filtered === undefined ? { scripts } : manifests.get(filtered)
  const [verb, script] = filtered === undefined ? words : words.slice(2)
  if (own === undefined) return [`no package has the name ${filtered}`]
  if (verb === 'exec' || verb === 'install') return []
  const asked = verb === 'run' ? script : verb
  return own.scripts?.[asked] === undefined ? [`${filtered ?? 'package.json'} has no script ${asked}`] : []
}
