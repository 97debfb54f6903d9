// Tries packages from a registry like users: installs all in empty folders with npm, pnpm and bun, and compiles code
// that imports every entry, with TypeScript 5.9, 6 and 7.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandIn, isThere } from './command.mjs'

const typescripts = { 'typescript-5.9': '~5.9.0', 'typescript-6': '~6.0.0', 'typescript-7': '~7.0.0' }
const resolutions = {
  nodenext: { module: 'NodeNext', moduleResolution: 'NodeNext' },
  bundler: { module: 'ESNext', moduleResolution: 'bundler' },
}

/**
 * Returns npm, pnpm and, if installed, bun, each with its commands to install packages, to make a package from a
 * template, to run a script, and to run an installed program.
 */
export function clientsHere() {
  const bun = process.env.CLOISTER_BUN ?? 'bun'
  return [
    {
      name: 'npm',
      install: 'npm install --no-audit --no-fund --loglevel=error',
      create: 'npm create --yes',
      run: 'npm run',
      exec: 'npx --no-install',
    },
    {
      name: 'pnpm',
      install: 'pnpm install --ignore-workspace --reporter=silent',
      create: 'pnpm create',
      run: 'pnpm run',
      exec: 'pnpm exec',
    },
    ...(isThere(bun)
      ? [
          {
            name: 'bun',
            install: `${bun} install --silent`,
            create: `${bun} create`,
            run: `${bun} run`,
            exec: `${bun} x --no-install`,
          },
        ]
      : []),
  ]
}

/** Installs packages from a registry into a new folder. @param others version ranges of further packages, by name */
export function installInto(folder, client, registry, packages, others) {
  mkdirSync(folder, { recursive: true })
  const dependencies = Object.fromEntries(packages.map(({ name, version }) => [name, version]))
  const manifest = { name: 'a-user', version: '1.0.0', private: true, type: 'module', dependencies }
  write(folder, 'package.json', { ...manifest, devDependencies: others })
  writeFileSync(join(folder, '.npmrc'), `registry=${registry}\n`)
  writeFileSync(join(folder, 'bunfig.toml'), `[install]\nregistry = "${registry}"\n`)
  commandIn(folder, client.install)
}

/** Packages that `compileIn` needs: each version of TypeScript under a separate name. */
export const compilers = Object.fromEntries(
  Object.entries(typescripts).map(([name, range]) => [name, `npm:typescript@${range}`]),
)

/**
 * Compiles a file that imports every entry of packages, with each TypeScript and each module resolution. Returns for
 * each pair the errors in our files (`ours`) and the number of errors in files of others (`others`).
 */
export function compileIn(folder, packages) {
  const entries = packages.flatMap(({ name, exports = {} }) =>
    Object.entries(exports)
      .filter(([, target]) => target.types !== undefined)
      .map(([entry]) => name + entry.slice(1)),
  )
  const imports = entries.map((entry, at) => `import * as entry${at} from '${entry}'`)
  writeFileSync(
    join(folder, 'uses.ts'),
    `${imports.join('\n')}\n// @ts-expect-error: a missing export has no type\nexport const none = entry0.nothing\nexport const all: ReadonlyArray<object> = [${entries.map((_, at) => `entry${at}`).join(', ')}]\n`,
  )
  const ran = []
  for (const typescript of Object.keys(typescripts)) {
    for (const [resolution, options] of Object.entries(resolutions)) {
      const compilerOptions = {
        ...options,
        target: 'ES2024',
        lib: ['ES2024', 'DOM'],
        types: ['node'],
        strict: true,
        skipLibCheck: false,
        noEmit: true,
      }
      write(folder, `tsconfig.${resolution}.json`, { compilerOptions, files: ['uses.ts'] })
      const compile = `node node_modules/${typescript}/bin/tsc -p tsconfig.${resolution}.json --pretty false`
      const errors = errorsOf(() => commandIn(folder, compile))
      const ours = errors.filter(
        (error) => !error.startsWith('node_modules/') || /^node_modules\/(\.pnpm\/)?@?cloister/.test(error),
      )
      ran.push({ typescript, resolution, ours, others: errors.length - ours.length })
    }
  }
  return ran
}

/** Returns the error lines of tsc. @throws Error if tsc fails without an error line */
function errorsOf(compile) {
  try {
    compile()
    return []
  } catch (error) {
    const found = error.message.match(/^\S.*: error TS.*$/gm)
    if (found === null) throw error
    return found
  }
}

function write(folder, name, value) {
  writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`)
}
