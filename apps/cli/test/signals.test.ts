// Processes of the installed program run finalisers when a signal ends the process.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { connect } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { bundle, Folder } from './cloister.ts'

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Command that runs in a folder, and keeps temporary files there. */
class Running {
  readonly #child: ChildProcess
  readonly #ended: Promise<readonly [number | null, string | null]>
  said = ''

  constructor(folder: Folder, ...args: ReadonlyArray<string>) {
    const programs = join(folder.path, 'programs')
    for (const made of ['tmp', 'programs']) mkdirSync(join(folder.path, made), { recursive: true })
    const PATH = [programs, process.env['PATH']].join(delimiter)
    this.#child = spawn(process.execPath, [bundle, ...args], {
      cwd: folder.path,
      env: { ...process.env, PATH, TMPDIR: join(folder.path, 'tmp') },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.on('data', (text: Buffer) => (this.said += text.toString()))
    this.#ended = new Promise((resolve) => this.#child.once('close', (code, signal) => resolve([code, signal])))
    onTestFinished(() => void this.#child.kill('SIGKILL'))
  }

  async until(holds: () => boolean): Promise<void> {
    await vi.waitUntil(
      () => {
        if (this.#child.exitCode !== null) throw new Error(`it has ended: ${this.said}`)
        return holds()
      },
      { timeout: 60_000 },
    )
  }

  tell(signal: Signal): void {
    this.#child.kill(signal)
  }

  /** Sends a signal; returns the exit code and the signal that the parent sees. */
  async endBy(signal: Signal): Promise<readonly [number | null, string | null]> {
    this.tell(signal)
    return this.#ended
  }
}

const filesIn = (folder: Folder, name = '.'): ReadonlyArray<string> => readdirSync(join(folder.path, name))

/** Puts a Slurm with an empty partition into the PATH. */
function quietSlurm(folder: Folder): void {
  mkdirSync(join(folder.path, 'programs'))
  const answers = {
    squeue: '',
    sinfo: "echo 'idle|node[0-15]'",
    scontrol:
      "case \"$*\" in *partition*) echo 'PartitionName=batch OverSubscribe=NO' ;; *) echo 'MinJobAge = 300' ;; esac",
  }
  for (const [name, answer] of Object.entries(answers)) {
    writeFileSync(join(folder.path, 'programs', name), `#!/bin/sh\n${answer}\n`)
    chmodSync(join(folder.path, 'programs', name), 0o755)
  }
}

const drive = ['drive', 'slurm', '--partition', 'batch', '--topology', 'radix:4', '--policy', 'baseline'] as const

it.each<Signal>(['SIGINT', 'SIGTERM', 'SIGHUP'])('drive gives its lease back at %s', async (signal) => {
  const folder = new Folder()
  quietSlurm(folder)
  const controller = new Running(folder, ...drive, '--out', 'driven.ndjson')
  await controller.until(
    () => filesIn(folder).includes('driven.ndjson') && filesIn(folder).includes('driven.ndjson.lease'),
  )
  expect(await controller.endBy(signal)).toEqual([null, signal])
  expect(filesIn(folder).filter((name) => name.startsWith('driven'))).toEqual(['driven.ndjson'])
  expect(controller.said).toBe('')
})

it('drive that waits for a lease ends at SIGTERM, and leaves the lease to its holder', async () => {
  const folder = new Folder()
  quietSlurm(folder)
  const holder = JSON.stringify({ id: 'other', host: 'elsewhere', pid: 1, renewed: 3 })
  folder.write('driven.ndjson.lease', holder)
  const standby = new Running(folder, ...drive, '--out', 'driven.ndjson')
  await standby.until(() => standby.said.includes('waiting for the lease'))
  expect(await standby.endBy('SIGTERM')).toEqual([null, 'SIGTERM'])
  expect(readFileSync(join(folder.path, 'driven.ndjson.lease'), 'utf8')).toBe(holder)
  expect(filesIn(folder).filter((name) => name.startsWith('driven'))).toEqual(['driven.ndjson.lease'])
})

it('observe closes its log at SIGTERM', async () => {
  const folder = new Folder()
  quietSlurm(folder)
  const observer = new Running(folder, 'observe', 'slurm', '--topology', 'radix:4', '--out', 'live.ndjson')
  await observer.until(() => filesIn(folder).includes('live.ndjson.lock'))
  expect(await observer.endBy('SIGTERM')).toEqual([null, 'SIGTERM'])
  expect(filesIn(folder).filter((name) => name.startsWith('live'))).toEqual(['live.ndjson'])
})

it('view removes the page that opens it at SIGINT, also while a request is under way', async () => {
  const folder = new Folder()
  const log = await folder.log()
  const viewer = new Running(folder, 'view', log)
  await viewer.until(() => viewer.said.includes('Ctrl-C ends it') && filesIn(folder, 'tmp').length > 0)
  const { hostname, port } = new URL(/http:\/\/\S+/.exec(viewer.said)![0])
  const request = connect(Number(port), hostname)
  onTestFinished(() => void request.destroy())
  request.on('error', () => {})
  await new Promise((resolve) => request.write('GET / HTTP/1.1\r\nHost: loopback\r\n', resolve))
  expect(await viewer.endBy('SIGINT')).toEqual([null, 'SIGINT'])
  expect(filesIn(folder, 'tmp')).toEqual([])
})

it('a worker of a sweep says that it has ended at SIGTERM', async () => {
  const folder = new Folder()
  const cell = { trace: 'synth:16:500000', topology: 'radix:16', policy: 'jigsaw', queue: 'easy:50' }
  folder.write('long.json', JSON.stringify({ cells: [cell] }))
  const worker = new Running(folder, 'sweep', 'long.json', '--shard', '1/1', '--workers', '1')
  const beats = (): ReadonlyArray<{ readonly ended: boolean; readonly running: object }> => {
    const workers = join(folder.path, 'long.sweep', 'workers')
    const names = existsSync(workers) ? readdirSync(workers).filter((name) => /^[^.].*\.json$/.test(name)) : []
    return names.map((name) => JSON.parse(readFileSync(join(workers, name), 'utf8')))
  }
  await worker.until(() => beats().length > 0)
  expect(beats()).toMatchObject([{ ended: false }])
  expect(await worker.endBy('SIGTERM')).toEqual([null, 'SIGTERM'])
  expect(beats()).toMatchObject([{ ended: true }])
})

it('bench ends the process that it times, and removes its folder at SIGTERM', async () => {
  const folder = new Folder()
  const bench = new Running(folder, 'bench', '--runs', '1')
  await bench.until(() => filesIn(folder, 'tmp').some((name) => name.startsWith('cloister-bench')))
  expect(await bench.endBy('SIGTERM')).toEqual([null, 'SIGTERM'])
  expect(filesIn(folder, 'tmp')).toEqual([])
})

/** Installs a DuckDB with commands that only an interrupt ends. @param listens false if an interrupt does nothing */
function endlessDuckDb(folder: Folder, listens: boolean): void {
  const home = join(folder.path, 'node_modules', '@duckdb', 'node-api')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'package.json'), '{"name":"@duckdb/node-api","type":"module","exports":"./index.js"}')
  const code = `import { writeFileSync } from 'node:fs'
let stop = () => {}
setInterval(() => {}, 1e6)
const connection = {
  run: () => new Promise((_, failed) => {
    writeFileSync('copying', '')
    stop = () => failed(new Error('interrupted'))
  }),
  interrupt: () => {
    writeFileSync('interrupted', '')
    if (${listens}) stop()
  },
  closeSync: () => writeFileSync('closed', ''),
}
export const DuckDBInstance = { create: async () => ({ connect: async () => connection, closeSync: () => {} }) }
`
  writeFileSync(join(home, 'index.js'), code)
}

it.each<Signal>(['SIGINT', 'SIGTERM'])('export --to parquet removes its temporary folder at %s', async (signal) => {
  const folder = new Folder()
  const log = await folder.log()
  endlessDuckDb(folder, true)
  const before = filesIn(folder)
  const conversion = new Running(folder, 'export', log, '--to', 'parquet', '--out', 'jobs.parquet')
  await conversion.until(() => filesIn(folder).includes('copying'))
  expect(filesIn(folder, 'tmp')).toHaveLength(1)
  expect(await conversion.endBy(signal)).toEqual([null, signal])
  expect(filesIn(folder, 'tmp')).toEqual([])
  const made = ['closed', 'copying', 'interrupted', 'programs', 'tmp']
  expect(filesIn(folder).filter((name) => !before.includes(name))).toEqual(made)
  expect(conversion.said).toBe('')
})

it('a second signal ends a program with hanging finalisers', async () => {
  const folder = new Folder()
  const log = await folder.log()
  endlessDuckDb(folder, false)
  const conversion = new Running(folder, 'export', log, '--to', 'parquet', '--out', 'jobs.parquet')
  await conversion.until(() => filesIn(folder).includes('copying'))
  conversion.tell('SIGINT')
  await conversion.until(() => filesIn(folder).includes('interrupted'))
  expect(await conversion.endBy('SIGTERM')).toEqual([null, 'SIGTERM'])
})
