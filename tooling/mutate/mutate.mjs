// Mutation testing with Stryker: changes a package's sources in one place after the other, and runs the tests.
//   npm run mutate -- PACKAGE [FILE…] [--lines N] [--seed S]
// Installs Stryker in a copy of the repository, so that `pnpm install` of the repository need not install Stryker.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { sampleLines } from './sample.mjs'

const STRYKER_VERSION = '10.1.1'
const root = resolve(import.meta.dirname, '../..')

function fail(message) {
  console.error(`mutate: ${message}`)
  process.exit(2)
}

function run(file, args, cwd) {
  const { status, error } = spawnSync(file, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' })
  if (error !== undefined || status !== 0)
    throw new Error(`${file} ${args[0]} failed${error === undefined ? ` (exit ${status})` : `: ${error.message}`}`)
}

/** Copies the files in git, and new files that git does not ignore. */
function copyRepository(to) {
  const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const file of stdout.split('\0')) {
    if (file === '' || !existsSync(join(root, file))) continue
    mkdirSync(dirname(join(to, file)), { recursive: true })
    cpSync(join(root, file), join(to, file))
  }
}

function options() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { lines: { type: 'string' }, seed: { type: 'string', default: '1' } },
    })
  } catch (error) {
    return fail(error.message)
  }
}

const {
  positionals: [name, ...files],
  values,
} = options()
const folder =
  name &&
  ['packages', 'packages/policies', 'apps']
    .map((parent) => `${parent}/${name}`)
    .find((each) => existsSync(join(root, each, 'src')))
if (!folder)
  fail(
    `found ${JSON.stringify(name ?? '')}, expected the name of a package: npm run mutate -- audit [src/machine.ts …] [--lines 100] [--seed 1]`,
  )
if (values.lines !== undefined && !/^[1-9]\d*$/.test(values.lines))
  fail(`--lines: found ${JSON.stringify(values.lines)}, expected the number of lines to draw`)
if (!/^\d+$/.test(values.seed)) fail(`--seed: found ${JSON.stringify(values.seed)}, expected a whole number`)
for (const file of files) if (!existsSync(join(root, folder, file))) fail(`${folder} has no ${file}`)

function targets() {
  const known =
    files.length > 0
      ? files
      : spawnSync('git', ['ls-files', 'src'], { cwd: join(root, folder), encoding: 'utf8' })
          .stdout.split('\n')
          .filter((file) => file.endsWith('.ts') && !/index\.ts$|version\.ts$/.test(file))
  if (values.lines === undefined) return known
  return sampleLines(
    known.map((file) => ({ file, text: readFileSync(join(root, folder, file), 'utf8') })),
    Number(values.lines),
    Number(values.seed),
  )
}

const copy = mkdtempSync(join(tmpdir(), 'cloister-mutate-'))
try {
  copyRepository(copy)
  run('pnpm', ['install', '--frozen-lockfile', '--prefer-offline', '--reporter=silent'], copy)
  run(
    'pnpm',
    [
      'add',
      '-D',
      '--reporter=silent',
      `@stryker-mutator/core@${STRYKER_VERSION}`,
      `@stryker-mutator/vitest-runner@${STRYKER_VERSION}`,
    ],
    join(copy, 'tooling/mutate'),
  )
  const runner = join(copy, 'tooling/mutate/stryker.mjs')
  run(process.execPath, [runner, join(root, folder, 'mutation.json'), ...targets()], join(copy, folder))
} catch (error) {
  console.error(`mutate: ${error.message}`)
  process.exitCode = 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}
