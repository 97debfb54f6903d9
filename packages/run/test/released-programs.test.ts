/**
 * Every released program reads the logs of earlier programs, and later logs unless their version or features forbid it.
 * The programs are commits of this repository. A copy without history (a shallow clone, an archive) skips the programs
 * and tests the stored logs only.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { auditLog } from '@cloister/audit'
import { type Header, LogState } from '@cloister/eventlog'
import { openLogFile, readLogFile, sha256 } from '@cloister/eventlog/node'
import { Effect } from 'effect'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GivenSpec, run } from '../src/index.ts'
import { inMemory } from './memory.ts'

/** Released programs, oldest first. `version`: version of the written logs. `logs`: folder of stored logs. */
const programs: ReadonlyArray<{
  readonly name: string
  readonly commit: string
  readonly version: number
  readonly logs: string
}> = [
  { name: '1.0.0', commit: '232cc116844cefc81ad428014d68e5e80fd04033', version: 1, logs: 'released/1.0.0' },
  { name: 'the last of version 1', commit: '8ed92c0d31fc3252328cd47095b40e9ceb94edab', version: 1, logs: 'version-1' },
  {
    name: 'the first of version 2',
    commit: '239a00c93a994056371b662708c353d71f400bce',
    version: 2,
    logs: 'released/first-of-version-2',
  },
]

const repository = resolve(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'cloister-released-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const hasHistory = programs.every(
  ({ commit }) => spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: repository }).status === 0,
)
if (!hasHistory) console.warn('the history of the repository is not here: programs that were released are not run')

/**
 * A program's reading of a log: its status, the reason for a bad status, and the queue and machine after some records.
 */
interface Told {
  readonly status: string
  readonly reason?: string
  readonly records: number
  readonly states: ReadonlyArray<unknown>
}

/** Source of a script for every released program, with names that all programs export. */
const tellingProgram = `
import { LogState } from '@cloister/eventlog'
import { readLogFile } from '@cloister/eventlog/node'
const told = process.argv.slice(2).map((path) => {
  const records = readLogFile(path)
  const states = []
  let state
  for (let next = records.next(); ; next = records.next()) {
    if (next.done) return { status: next.value.status, reason: next.value.reason, records: next.value.records, states }
    if (state === undefined) state = new LogState(next.value)
    else state.apply(next.value)
    if (next.value.seq % 20 === 0) states.push([next.value.seq, state.t, [...state.waiting.keys()], [...state.running.keys()], state.freeNodes.size])
  }
})
console.log(JSON.stringify(told))
`

/** Returns the reading of a log by the present program. */
function told(path: string): Told {
  const records = readLogFile(path)
  const states: unknown[] = []
  let state: LogState | undefined
  for (let next = records.next(); ; next = records.next()) {
    if (next.done === true) {
      const { status, records: count } = next.value
      return { status, records: count, states }
    }
    if (state === undefined) state = new LogState(next.value as Header)
    else state.apply(next.value)
    if (next.value.seq % 20 === 0)
      states.push([next.value.seq, state.t, [...state.waiting.keys()], [...state.running.keys()], state.freeNodes.size])
  }
}

/** Installs the sources of a program's log package in a folder, ready to run. Returns the folder. */
function install(commit: string): string {
  const place = join(folder, commit)
  mkdirSync(place)
  const archive = spawnSync('git', ['archive', commit, 'packages/eventlog', 'packages/topology'], {
    cwd: repository,
    maxBuffer: 2 ** 28,
  })
  expect(archive.status, String(archive.stderr)).toBe(0)
  expect(spawnSync('tar', ['-x', '-C', place], { input: archive.stdout }).status).toBe(0)
  mkdirSync(join(place, 'node_modules/@cloister'), { recursive: true })
  for (const name of ['eventlog', 'topology'])
    symlinkSync(join(place, 'packages', name), join(place, 'node_modules/@cloister', name))
  const present = join(repository, 'packages/eventlog/node_modules')
  for (const name of readdirSync(present).filter((each) => !/^[.@]/.test(each)))
    symlinkSync(join(present, name), join(place, 'node_modules', name))
  writeFileSync(join(place, 'tell.mjs'), tellingProgram)
  return place
}

function toldBy(commit: string, paths: ReadonlyArray<string>): ReadonlyArray<Told> {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--conditions=@cloister/source',
      '--disable-warning=ExperimentalWarning',
      join(folder, commit, 'tell.mjs'),
      ...paths,
    ],
    { encoding: 'utf8', maxBuffer: 2 ** 28 },
  )
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout) as ReadonlyArray<Told>
}

function logsOf(place: string): ReadonlyArray<string> {
  const path = join(import.meta.dirname, place)
  return readdirSync(path)
    .filter((name) => name.endsWith('.zst'))
    .map((name) => join(path, name))
}

describe('stored logs', () => {
  it.each(programs.flatMap(({ name, logs }) => logsOf(logs).map((path) => [name, basename(path), path])))(
    'of program %s are whole, and pass the audit: %s',
    (_, __, path) => {
      expect(told(path).status).toBe('whole')
      const { status, violations, untestedClaims } = auditLog(openLogFile(path), sha256)
      expect([status, violations]).toEqual(['whole', []])
      // The audit leaves run times by communication to a rerun.
      const isTimed = basename(path).includes('communication') || basename(path).startsWith('adaptive-kill')
      expect(untestedClaims.map(({ claim }) => claim)).toEqual(isTimed ? ['run_times'] : [])
    },
  )
})

describe.skipIf(!hasHistory)('a released program', () => {
  beforeAll(() => {
    for (const { commit } of programs) install(commit)
  })

  it.each(programs.map((program, at) => ({ ...program, before: programs.slice(0, at + 1) })))(
    'reads its own logs and earlier logs like the present program: $name',
    ({ commit, before }) => {
      const paths = before.flatMap(({ logs }) => logsOf(logs))
      expect(toldBy(commit, paths)).toEqual(paths.map(told))
    },
  )

  const specs: ReadonlyArray<GivenSpec> = [
    { trace: 'synth:3:80', topology: 'radix:4', policy: 'jigsaw' },
    { trace: 'synth:3:80', topology: 'radix:4', policy: 'baseline', queue: 'conservative:9', refusals: true },
    { trace: 'synth:3:80', topology: 'radix:4', policy: 'jigsaw', queue: 'easy:5,kill', router: 'partition', seed: 3 },
  ]

  it('reads logs of the present program, or names the unknown version or feature', async () => {
    const paths: string[] = []
    for (const [at, spec] of specs.entries()) {
      const chunks: Uint8Array[] = []
      await Effect.runPromise(run(spec, { sink: (chunk) => chunks.push(chunk) }).pipe(Effect.provide(inMemory())))
      const path = join(folder, `present-${at}.ndjson`)
      writeFileSync(path, Buffer.concat(chunks))
      paths.push(path)
    }
    const headers = paths.map((path) => JSON.parse(readFileSync(path, 'utf8').split('\n', 1)[0]) as Header)
    for (const { name, commit, version } of programs) {
      const answers = toldBy(commit, paths)
      for (const [at, { reason = '', ...answer }] of answers.entries()) {
        const { version: written, requires } = headers[at]
        if (written === version && requires === undefined)
          expect({ name, ...answer }).toEqual({ name, ...told(paths[at]) })
        else if (written === version)
          expect({ name, reason }).toEqual({ name, reason: expect.stringContaining('requires the feature') })
        else expect({ name, reason }).toEqual({ name, reason: expect.stringMatching(/version/) })
      }
    }
  })
})
