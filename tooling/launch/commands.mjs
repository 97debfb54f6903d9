// The commands of the workspace, under the pinned Node and pnpm:
//   npm start | npm test | npm run cloister -- … | npm run new-policy -- NAME | npm run mutate -- PACKAGE
//   npm run release -- --dry-run | npm run site | npm run pnpm -- … | npm run compare -- COMMIT [options of bench]
import { createHash, randomInt } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { inputStamp, isBuilt, rememberBuild } from './build-stamp.mjs'
import { repeatFailed } from './failed-again.mjs'
import { Failure, run, say } from './run.mjs'
import { announceResults, forgetResults, report } from './test-report.mjs'

const root = resolve(import.meta.dirname, '../..')
/** Folder in which the user called npm; npm itself runs this file in the root of the repository. */
const userFolder = process.env.INIT_CWD ?? process.cwd()
const [command, ...args] = process.argv.slice(2)

/** Runs a program; prints the step's name only if the program takes over 0.4 s, and its output only if it fails. */
async function step(name, file, words, options = {}) {
  const output = []
  const timer = setTimeout(() => say(name), 400)
  const code = await run(file, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options }, (chunk) =>
    output.push(chunk),
  )
  clearTimeout(timer)
  if (code === 0) return
  process.stderr.write(Buffer.concat(output))
  throw new Failure(`${name} failed (exit ${code}): see above`)
}

/** File with the stamp of the last `pnpm install`, in node_modules: without node_modules there is no stamp. */
const installed = join(root, 'node_modules/.cache/cloister-installed.json')

/** Returns a stamp that changes if `pnpm install` has work: with the lockfile, a manifest, or a lost node_modules. */
function installStamp() {
  const hash = createHash('sha256').update(process.versions.node)
  const folders = ['packages', 'packages/policies', 'apps', 'tooling'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .sort()
      .map((name) => join(folder, name, 'package.json')),
  )
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...folders])
    if (existsSync(join(root, file))) hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  for (const file of folders) hash.update(String(existsSync(join(root, dirname(file), 'node_modules'))))
  return hash.digest('hex')
}

async function install() {
  if (existsSync(installed) && readFileSync(installed, 'utf8') === installStamp()) return
  await step(
    'installing packages (about half a minute the first time)',
    `pnpm install${process.env.CI ? ' --frozen-lockfile' : ''}`,
    [],
    { shell: true },
  )
  mkdirSync(dirname(installed), { recursive: true })
  writeFileSync(installed, installStamp())
}

const turboIn = (folder, ...words) => [
  join(folder, 'node_modules/turbo/bin/turbo'),
  'run',
  ...words,
  '--ui=stream',
  '--output-logs=errors-only',
  '--log-order=grouped',
]
const turbo = (...words) => turboIn(root, ...words)

async function build() {
  const inputs = inputStamp(root)
  if (isBuilt(root, inputs)) return
  await step('building the command line', process.execPath, turbo('build', '--filter=cloister'))
  rememberBuild(root, inputs)
}

const cloister = (words) =>
  run(process.execPath, [join(root, 'apps/cli/dist/cloister.js'), ...words], { cwd: userFolder, stdio: 'inherit' })

/** Returns a stamp that changes with the real job logs, because turbo's cache knows no files outside the repository. */
function traceStamp(folder) {
  if (!existsSync(folder)) return ''
  const hash = createHash('sha256')
  for (const name of readdirSync(folder, { recursive: true }).map(String).sort()) {
    const { size, mtimeMs } = statSync(join(folder, name))
    hash.update(`${name} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

async function testAll(options) {
  if (options.includes('--draw')) drawSeed()
  const traces = process.env.CLOISTER_TRACE_DIR
    ? resolve(userFolder, process.env.CLOISTER_TRACE_DIR)
    : join(root, '../shared/traces')
  if (process.env.CLOISTER_TRACE_DIR) process.env.CLOISTER_TRACE_DIR = traces
  process.env.CLOISTER_TRACE_STAMP = traceStamp(traces)
  forgetResults(root)
  const turboOptions = options.filter((option) => option !== '--draw')
  // The task `types` checks all packages in a third of the time of the tasks `typecheck`.
  const isPart = turboOptions.some((option) => /^(--filter|-F|--affected)/.test(option))
  say(`building, type-checking, linting and testing ${isPart ? 'the chosen packages' : 'every package'}`)
  const tasks = ['build', isPart ? 'typecheck' : 'types', 'lint', 'unused', 'test', 'pkg']
  const words = turbo(
    ...tasks,
    '--continue=dependencies-successful',
    '--concurrency=100%',
    '--summarize',
    ...turboOptions,
  )
  const silence = announceResults(root, say)
  const turboExit = await run(process.execPath, words, { cwd: root, stdio: 'inherit' })
  silence()
  return report(root, turboExit, await repeatFailed(root, testsIn))
}

/** Draws a new seed for random tests (`npm test -- --draw`); otherwise vitest.seed.ts sets the seed. */
function drawSeed() {
  if (process.env.CLOISTER_SEED !== undefined)
    throw new Failure('test: --draw and CLOISTER_SEED both set the seed of random tests; omit --draw or CLOISTER_SEED')
  process.env.CLOISTER_SEED = String(randomInt(2 ** 31))
  say(
    `the seed of random tests is CLOISTER_SEED=${process.env.CLOISTER_SEED}; to repeat these draws, set this variable for npm test`,
  )
}

function testsIn(folder, file) {
  say(`running ${file ?? 'all tests'} of ${relative(root, folder)} once more, alone`)
  return pnpm(['run', 'test', ...(file === undefined ? [] : [file])], folder)
}

/** On Windows pnpm is a .cmd file, which only a shell starts. */
const pnpm = (words, cwd) => run('pnpm', words, { cwd, stdio: 'inherit', shell: process.platform === 'win32' })

/** Calls `use` with the path of cloister.js of another commit, built in a temporary worktree. */
async function withCommit(commit, use) {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-compare-'))
  const checkout = join(folder, 'cloister')
  const git = (...words) => ['-C', root, 'worktree', ...words]
  try {
    await step(`checking ${commit} out`, 'git', git('add', '--detach', checkout, commit))
    const there = { cwd: checkout }
    await step(`installing the packages of ${commit}`, 'pnpm install --frozen-lockfile --prefer-offline', [], {
      ...there,
      shell: true,
    })
    await step(`building ${commit}`, process.execPath, turboIn(checkout, 'build', '--filter=cloister'), there)
    return await use(join(checkout, 'apps/cli/dist/cloister.js'))
  } finally {
    await run('git', git('remove', '--force', checkout), { stdio: 'ignore' })
    rmSync(folder, { recursive: true, force: true })
  }
}

const commands = {
  async start() {
    await install()
    await build()
    return cloister(['demo', ...args])
  },
  async test() {
    await install()
    return testAll(args)
  },
  async cloister() {
    await install()
    await build()
    return cloister(args)
  },
  async compare() {
    const [commit, ...options] = args
    if (commit === undefined || commit.startsWith('-'))
      throw new Failure('compare: expected a commit, then options of bench, such as main~5 --runs 9')
    await install()
    await build()
    return withCommit(commit, (other) => cloister(['bench', '--compare', other, ...options]))
  },
  async 'new-policy'() {
    await install()
    return run(process.execPath, [join(root, 'tooling/new-policy/new-policy.mjs'), ...args], {
      cwd: root,
      stdio: 'inherit',
    })
  },
  async release() {
    await install()
    return run(process.execPath, [join(root, 'tooling/release/release.mjs'), ...args], { cwd: root, stdio: 'inherit' })
  },
  async mutate() {
    await install()
    const mutate = ['--conditions=@cloister/source', join(root, 'tooling/mutate/mutate.mjs')]
    return run(process.execPath, [...mutate, ...args], { cwd: root, stdio: 'inherit' })
  },
  async site() {
    await install()
    const site = ['--conditions=@cloister/source', join(root, 'apps/site/src/main.ts')]
    return run(process.execPath, [...site, ...args], { cwd: root, stdio: 'inherit' })
  },
  pnpm: () => pnpm(args, userFolder),
}

process.env.TURBO_TELEMETRY_DISABLED = '1'
try {
  if (!Object.hasOwn(commands, command))
    throw new Failure(`no command ${JSON.stringify(command)}: one of ${Object.keys(commands).join(', ')}`)
  process.exitCode = await commands[command]()
} catch (error) {
  say(error instanceof Failure ? error.message : error.stack)
  process.exitCode = 1
}
