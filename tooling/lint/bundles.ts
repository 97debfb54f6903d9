// Bundles of libraries for a browser, and the limits of their sizes.
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const root: string = resolve(import.meta.dirname, '../..')

/**
 * Bundles code for a browser.
 *
 * @param installed folder whose `node_modules` have the packages; by default the code imports sources by paths such as
 *   `./packages/run/src/index.ts`
 */
export const bundle = (code: string, installed?: string) =>
  build({
    stdin: { contents: code, resolveDir: installed ?? root },
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    platform: 'browser',
    format: 'esm',
    conditions: installed === undefined ? ['@cloister/source'] : [],
    logLevel: 'silent',
  })

/** Imports of a program, with the largest size of its bundle. */
export interface Entry {
  /** Folder of the package below packages/. */
  readonly folder: string
  /** Names that the program imports; absent for all names of the package. */
  readonly names?: ReadonlyArray<string>
  /** Largest size of the minified bundle in kB of 1000 bytes, about a tenth above the size when the limit was set. */
  readonly limit: number
  /** True if the bundle has modules of Effect. */
  readonly hasEffect: boolean
}

export const entries: ReadonlyArray<Entry> = [
  { folder: 'policies/jigsaw', limit: 57, hasEffect: false },
  { folder: 'policies/baseline', limit: 6, hasEffect: false },
  { folder: 'topology', limit: 93, hasEffect: false },
  { folder: 'placement', limit: 40, hasEffect: false },
  { folder: 'eventlog', names: ['readLog'], limit: 65, hasEffect: false },
  { folder: 'metrics', limit: 73, hasEffect: false },
  { folder: 'exports', limit: 236, hasEffect: false },
  { folder: 'run', names: ['plainServices', 'runPromise'], limit: 430, hasEffect: true },
]

/** Returns the imports of an entry as the table in docs/packages.md has them. */
export const entryName = ({ folder, names = ['*'] }: Entry): string => `${names.join(', ')} of ${folder}`

/** Size of a minified bundle, in kB of 1000 bytes. */
export interface Weight {
  readonly minified: number
  readonly gzipped: number
  /** Modules with their sizes in the bundle, largest first. */
  readonly modules: ReadonlyArray<readonly [path: string, size: number]>
}

/** Returns the size of the bundle of an entry, from the sources or from installed packages. */
export async function weigh({ folder, names }: Pick<Entry, 'folder' | 'names'>, installed?: string): Promise<Weight> {
  const from =
    installed === undefined
      ? `./packages/${folder}/src/index.ts`
      : `@cloister/${folder.replace('policies/', 'policy-')}`
  const list = names === undefined ? '*' : `{ ${names.join(', ')} }`
  const { outputFiles, metafile } = await bundle(`export ${list} from '${from}'`, installed)
  const [{ contents }] = outputFiles
  const modules = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).map(
      ([path, { bytesInOutput }]) => [path.replace(/^.*node_modules\//, ''), bytesInOutput / 1000] as const,
    ),
  )
  return {
    minified: contents.length / 1000,
    gzipped: gzipSync(contents).length / 1000,
    modules: modules.sort((a, b) => b[1] - a[1]),
  }
}

/** Returns a message about a bundle above its limit; undefined for a bundle within its limit. */
export function excessOf(entry: Entry, { minified, modules }: Weight): string | undefined {
  if (minified <= entry.limit) return undefined
  const largest = modules.slice(0, 8).map(([path, size]) => `${size.toFixed(1)} kB ${path}`)
  return `a bundle of ${entryName(entry)} has ${minified.toFixed(1)} kB, the limit in bundles.ts is ${entry.limit} kB; its largest modules are\n  ${largest.join('\n  ')}`
}
