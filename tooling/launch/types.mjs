// Checks the types of all packages: `npm run pnpm -- run types`. Packages with equal compiler options are checked as one
// program, because a program for each package checks the sources of the package's dependencies again and again. The
// compiler is the TypeScript of this repository with the rules for code that uses Effect, from the package @effect/tsgo.
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from './run.mjs'

/** Rules of Effect: errors and warnings fail the check; suggestions are left to editors. */
const plugins = [{ name: '@effect/language-service', includeSuggestionsInTsc: false }]

const FOLDERS = '{apps,packages,packages/policies,tooling}/*/tsconfig.json'

/** Returns the configuration of a compiler run for each set of packages with equal options. */
export function programsOf(root) {
  const programs = new Map()
  for (const file of globSync(FOLDERS, { cwd: root }).sort()) {
    const folder = join(root, dirname(file))
    const {
      extends: base,
      compilerOptions = {},
      include,
      ...others
    } = JSON.parse(readFileSync(join(root, file), 'utf8'))
    if (base === undefined || include === undefined || Object.keys(others).length > 0)
      throw new Error(
        `${file}: expected the fields extends, compilerOptions and include, because the options decide which packages are one program`,
      )
    const options = { extends: resolve(folder, base), compilerOptions }
    const key = JSON.stringify(options)
    if (!programs.has(key)) programs.set(key, { ...options, include: [] })
    programs.get(key).include.push(...include.map((pattern) => join(folder, pattern)))
  }
  return [...programs.values()]
}

/** Checks the types of the packages below `root`. Returns the exit code: 0 if no package has an error. */
export async function checkTypes(root) {
  const effect = createRequire(import.meta.url).resolve('@effect/tsgo/package.json')
  // The compiler of the version of `typescript` in this repository.
  const found = execFileSync(process.execPath, [join(dirname(effect), 'dist/effect-tsgo.cjs'), 'get-exe-path'])
  const tsc = found.toString().trim()
  // In node_modules, so that the compiler finds `@types`.
  const folder = join(root, 'node_modules/.cache/cloister-types')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  let failed = 0
  for (const [at, program] of programsOf(root).entries()) {
    const config = join(folder, `${at}.json`)
    writeFileSync(config, JSON.stringify({ ...program, compilerOptions: { ...program.compilerOptions, plugins } }))
    if ((await run(tsc, ['-p', config], { cwd: root, stdio: 'inherit' })) !== 0) failed = 1
  }
  return failed
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = await checkTypes(resolve(import.meta.dirname, '../..'))
