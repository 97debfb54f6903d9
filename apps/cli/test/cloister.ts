import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'

export const bundle = resolve(import.meta.dirname, '../dist/cloister.js')
if (!existsSync(bundle))
  throw new Error(`${bundle} is what these tests run, and it is not there: build the package first`)

export interface Answer {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A folder for one test, gone after it; made outside of tests, `afterAll` has to be given. */
export class Folder {
  readonly path: string = mkdtempSync(join(tmpdir(), 'cloister-cli-'))

  constructor(cleanUp: (remove: () => void) => void = onTestFinished) {
    cleanUp(() => rmSync(this.path, { recursive: true, force: true }))
  }

  /** Writes a file, and gives its name. */
  write(name: string, content: string | Uint8Array): string {
    writeFileSync(join(this.path, name), content)
    return name
  }

  /** Runs the built command line here. Nothing of the tester's environment reaches it but the path. */
  cloister(...args: ReadonlyArray<string>): Answer {
    return this.run([bundle, ...args])
  }

  run(args: ReadonlyArray<string>, env: Record<string, string> = {}): Answer {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: this.path,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', ...env },
      maxBuffer: 1e9,
    })
    return { code: status, stdout, stderr }
  }

  /** Runs it, expects success, and reads the JSON that it prints. */
  json(...args: ReadonlyArray<string>): unknown {
    const answer = this.cloister(...args, '--json')
    if (answer.code !== 0) throw new Error(`exit code ${answer.code}: ${answer.stderr}`)
    return JSON.parse(answer.stdout)
  }

  /** A log of 300 jobs under a policy: some 1,300 records, five seals. */
  log(name = 'run.ndjson', policy = 'jigsaw'): string {
    const answer = this.cloister('simulate', ...small, '--policy', policy, '--out', name)
    if (answer.code !== 0) throw new Error(answer.stderr)
    return name
  }
}

export const small = ['--trace', 'synth:4:300', '--topology', 'radix:6'] as const

/** The names in a JSON value, however deep; of a list those of its first element. */
export function namesIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [namesIn(value[0])]
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, namesIn(member)]))
}

/** What every failure looks like: an exit code, a message that begins with our name, and no stack. */
export function complaint(answer: Answer, code = 2): string {
  if (answer.code !== code)
    throw new Error(`exit code ${answer.code}, expected ${code}: ${answer.stderr}${answer.stdout}`)
  if (!/^cloister: /m.test(answer.stderr)) throw new Error(`no message: ${answer.stderr}`)
  if (/^ +at .*cloister\.js/m.test(answer.stderr)) throw new Error(`a stack trace: ${answer.stderr}`)
  return answer.stderr
}
