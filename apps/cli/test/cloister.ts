import { installedSlurm, localOpensm, type SlurmCommands, type SubnetManager } from '@cloister/cluster'
import { Files, fileSystem } from '@cloister/run/node'
import { answer, CellWorkers } from '@cloister/sweep'
import { buildPage } from '@cloister/viewer/build'
import { StoredRuns, threadOfPolicies } from '@cloister/viewer/server'
import { ConfigProvider, Console, Effect, Layer } from 'effect'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import { FreshProcess } from '../src/bench/fresh-process.ts'
import { runCloister } from '../src/cloister.ts'
import { FreshProcessError } from '../src/errors/errors.ts'
import { programIn } from '../src/commands/sweep/own-program.ts'
import { nodePolicyLookup } from '../src/policy/policy-lookup.ts'
import type { BuiltInPolicy } from '../src/policy/policy-lookup.ts'
import { cellHost } from '../src/commands/sweep/cells.ts'
import { Terminal } from '../src/terminal/terminal.ts'
import { Browser, ViewerPage } from '../src/view/services.ts'
import { checkResult } from './result-check.ts'

export interface Answer {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const policiesFolder = resolve(import.meta.dirname, '../../../packages/policies')

/** Built-in policies for the tests, loaded from the sources of the workspace. */
const builtInPolicies: ReadonlyArray<BuiltInPolicy> = readdirSync(policiesFolder)
  .sort()
  .map((folder) => {
    const { version, description } = JSON.parse(readFileSync(join(policiesFolder, folder, 'package.json'), 'utf8'))
    const entry = pathToFileURL(join(policiesFolder, folder, 'src/index.ts')).href
    const readme = async (): Promise<string> => readFileSync(join(policiesFolder, folder, 'README.md'), 'utf8')
    return { name: folder, version, description, load: () => import(entry).then((exports) => exports.default), readme }
  })

let page: Promise<string> | undefined

/** Services of the commands for tests: `output` gets the output; cells and other command lines run in this process. */
function services(output: (text: string) => void, cluster: Layer.Layer<SlurmCommands | SubnetManager>) {
  const policies = nodePolicyLookup(builtInPolicies)
  const workers = Layer.effect(
    CellWorkers,
    Effect.map(cellHost, (host) => ({
      pool: () => Effect.succeed({ run: (task, onShare) => answer(task, onShare, host) }),
    })),
  )
  return Layer.mergeAll(
    policies,
    fileSystem,
    cluster,
    Layer.provide(workers, policies),
    Layer.succeed(Terminal, {
      write: output,
      isOutput: () => false,
      isWatched: false,
      columns: 80,
      showStatus: () => {},
    }),
    programIn(dirname(bundle)),
    threadOfPolicies(new URL('./start-worker.js', import.meta.url)),
    Layer.succeed(Browser, { open: () => {} }),
    Layer.succeed(StoredRuns, { read: () => Promise.resolve(undefined), write: () => {} }),
    Layer.succeed(ViewerPage, { read: Effect.promise(() => (page ??= buildPage())) }),
    Layer.succeed(FreshProcess, {
      run: Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
        const { code, stdout, stderr } = yield* Effect.promise(() => runHere(args, {}))
        return code === 0
          ? stdout
          : yield* new FreshProcessError({ args, reason: stderr, code: code ?? undefined, stdout })
      }),
      watch: (args) => Effect.fail(new FreshProcessError({ args, reason: 'no test waits for a change in here' })),
    }),
  )
}

/**
 * Runs a command line of cloister in this process and working directory. Returns exit code and output.
 *
 * @throws Error if the command line has `--json`, and the output does not match the schema of the command's result
 */
async function runHere(
  args: ReadonlyArray<string>,
  env: Record<string, string>,
  files: Layer.Layer<Files> = fileSystem,
  cluster: Layer.Layer<SlurmCommands | SubnetManager> = Layer.merge(installedSlurm, localOpensm),
): Promise<Answer> {
  const said = { stdout: '', stderr: '' }
  const print = (text: string): void => {
    said.stdout += text
  }
  const recorded: Console.Console = Object.assign(Object.create(console), {
    log: (text: string) => print(`${text}\n`),
    error: (text: string) => {
      said.stderr += `${text}\n`
    },
  })
  const code = await Effect.runPromise(
    runCloister(args).pipe(
      Effect.provide([services(print, cluster), files]),
      Effect.provideService(Console.Console, recorded),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    ),
  )
  checkResult(args, said.stdout)
  return { code, ...said }
}

/** Runs a command line of cloister whose file system consists of the given files in memory. */
export function runInMemory(files: Map<string, string>, ...args: ReadonlyArray<string>): Promise<Answer> {
  const systemError = (code: string, path: string): Error =>
    Object.assign(new Error(`${code}: ${path}`), { code, path, syscall: 'open' })
  const inMemory = Layer.succeed(Files, {
    readText: (path) => {
      const text = files.get(path)
      if (text === undefined) throw systemError('ENOENT', path)
      return text
    },
    writeText: (path, text, existing) => {
      if (existing === 'refuse' && files.has(path)) throw systemError('EEXIST', path)
      files.set(path, text)
    },
    writeScratch: (path, text) => void files.set(path, text),
    create: (path, existing) => {
      if (existing === 'refuse' && files.has(path)) throw systemError('EEXIST', path)
      let whole = ''
      return {
        temporary: `${path}.part`,
        write: (text) => {
          whole += text
        },
        commit: () => {
          files.set(path, whole)
          return whole.length
        },
        discard: () => {},
      }
    },
    isSame: (one, other) => one === other && files.has(one),
    exists: (path) => files.has(path),
    size: (path) => files.get(path)?.length ?? 0,
    makeFolder: () => {},
    makeTemporaryFolder: (purpose) => purpose,
    makePrivateFile: (purpose, name, text) => {
      files.set(`${purpose}/${name}`, text)
      return `${purpose}/${name}`
    },
    removeFolder: () => {},
  })
  return runHere(args, {}, inMemory)
}

/** Path of the built cloister.js, for tests that need a process. */
export const bundle: string = resolve(import.meta.dirname, '../dist/cloister.js')

/** Temporary folder of a test, removed after the test. For use by several tests, the constructor takes `afterAll`. */
export class Folder {
  readonly path: string = mkdtempSync(join(tmpdir(), 'cloister-cli-'))

  constructor(cleanUp: (remove: () => void) => void = onTestFinished) {
    cleanUp(() => rmSync(this.path, { recursive: true, force: true }))
  }

  /** Writes a file into the folder, and returns the name of the file. */
  write(name: string, content: string | Uint8Array): string {
    mkdirSync(dirname(join(this.path, name)), { recursive: true })
    writeFileSync(join(this.path, name), content)
    return name
  }

  /** Runs a command line of cloister in this folder and this process, without environment variables of the tester. */
  async cloister(...args: ReadonlyArray<string>): Promise<Answer> {
    const before = process.cwd()
    process.chdir(this.path)
    try {
      return await runHere(args, {})
    } finally {
      process.chdir(before)
    }
  }

  /** Runs a command line like the method `cloister`, with the given environment variables. */
  async cloisterWith(env: Record<string, string>, ...args: ReadonlyArray<string>): Promise<Answer> {
    const before = process.cwd()
    process.chdir(this.path)
    try {
      return await runHere(args, env)
    } finally {
      process.chdir(before)
    }
  }

  /** Runs a command line like the method `cloister`, with fakes of Slurm's commands and of the subnet manager. */
  async cloisterBeside(
    slurm: Layer.Layer<SlurmCommands> | Layer.Layer<SlurmCommands | SubnetManager>,
    ...args: ReadonlyArray<string>
  ): Promise<Answer> {
    const before = process.cwd()
    process.chdir(this.path)
    try {
      return await runHere(args, {}, fileSystem, Layer.merge(localOpensm, slurm))
    } finally {
      process.chdir(before)
    }
  }

  /** Runs the built program as a process in this folder. */
  process(...args: ReadonlyArray<string>): Answer {
    if (!existsSync(bundle)) throw new Error(`${bundle} is not there: build the package first`)
    return this.run([bundle, ...args])
  }

  /** Runs Node as a process in this folder. Of the tester's environment, the process gets only PATH. */
  run(args: ReadonlyArray<string>, env: Record<string, string> = {}): Answer {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: this.path,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', ...env },
      maxBuffer: 1e9,
    })
    return { code: status, stdout, stderr }
  }

  /** Runs a command line of cloister with `--json`, expects exit code 0, and returns the parsed output. */
  async json(...args: ReadonlyArray<string>): Promise<unknown> {
    const answer = await this.cloister(...args, '--json')
    if (answer.code !== 0) throw new Error(`exit code ${answer.code}: ${answer.stderr}`)
    return JSON.parse(answer.stdout)
  }

  /** Simulates 300 jobs under a policy, and returns the name of the log (some 1,300 records with five seals). */
  async log(name = 'run.ndjson', policy = 'jigsaw'): Promise<string> {
    const answer = await this.cloister('simulate', ...small, '--policy', policy, '--out', name)
    if (answer.code !== 0) throw new Error(answer.stderr)
    return name
  }
}

/** Runs a function for each item in turn, because commands share the working directory of the process. */
export async function inTurn<A, B>(items: ReadonlyArray<A>, run: (item: A) => Promise<B>): Promise<Array<B>> {
  const results: Array<B> = []
  for (const item of items) results.push(await run(item))
  return results
}

export const small = ['--trace', 'synth:4:300', '--topology', 'radix:6'] as const

/** Returns the names and types of the fields of a JSON value, at any depth; for a list, those of the first element. */
export function namesIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [namesIn(value[0])]
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, namesIn(member)]))
}

/** Returns the error message of a failed command. Expects exit code 2, `cloister:` at the start, and no stack trace. */
export function complaint(answer: Answer, code = 2): string {
  if (answer.code !== code)
    throw new Error(`exit code ${answer.code}, expected ${code}: ${answer.stderr}${answer.stdout}`)
  if (!/^cloister: /m.test(answer.stderr)) throw new Error(`no message: ${answer.stderr}`)
  if (/^ +at .*(cloister\.js|\/apps\/cli\/src\/)/m.test(answer.stderr))
    throw new Error(`a stack trace: ${answer.stderr}`)
  return answer.stderr
}

/** Returns number and content of the newest file of a lease. */
export function newestOf(folder: Folder, lease: string): { readonly number: number } & Record<string, unknown> {
  const number = Math.max(...readdirSync(join(folder.path, lease)).map((name) => Number(name) || 0))
  return { number, ...JSON.parse(readFileSync(join(folder.path, lease, String(number)), 'utf8')) }
}
