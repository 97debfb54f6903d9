// Tests that processes of the built program run finalisers when a signal ends the process.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { connect } from 'node:net'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { bundle, Folder, newestOf } from './cloister.ts'

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Process of a command in a folder, which is also the folder for temporary files. */
class Running {
  readonly #child: ChildProcess
  /** Exit code, and the signal that the parent sees. */
  readonly ended: Promise<readonly [number | null, string | null]>
  said = ''

  constructor(folder: Folder, ...args: ReadonlyArray<string>) {
    const programs = join(folder.path, 'programs')
    for (const made of ['tmp', 'programs']) mkdirSync(join(folder.path, made), { recursive: true })
    const PATH = [programs, process.env['PATH']].join(delimiter)
    // If the first argument is an option of Node, Node runs the program of the arguments instead of Cloister.
    this.#child = spawn(process.execPath, args[0].startsWith('--') ? args : [bundle, ...args], {
      cwd: folder.path,
      env: { ...process.env, PATH, TMPDIR: join(folder.path, 'tmp') },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.on('data', (text: Buffer) => (this.said += text.toString()))
    this.ended = new Promise((resolve) => this.#child.once('close', (code, signal) => resolve([code, signal])))
    onTestFinished(() => void this.#child.kill('SIGKILL'))
  }

  get pid(): number {
    return this.#child.pid!
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

  /** Sends a signal to the process, and returns the exit code and the signal that the parent process sees. */
  async endBy(signal: Signal): Promise<readonly [number | null, string | null]> {
    this.tell(signal)
    return this.ended
  }
}

const filesIn = (folder: Folder, name = '.'): ReadonlyArray<string> => readdirSync(join(folder.path, name)).sort()

/**
 * Writes fakes of Slurm's commands for an empty partition, and puts the folder of the fakes into the PATH.
 * @param squeue program in the shell's language, by default no job
 */
function quietSlurm(folder: Folder, squeue = ''): void {
  mkdirSync(join(folder.path, 'programs'))
  const answers = {
    squeue,
    sinfo: "echo 'idle|node[0-15]'",
    scontrol:
      "case \"$*\" in *partition*) echo 'PartitionName=batch OverSubscribe=NO' ;; *) echo 'MinJobAge = 300' ;; esac",
  }
  for (const [name, answer] of Object.entries(answers)) {
    writeFileSync(join(folder.path, 'programs', name), `#!/bin/sh\n${answer}\n`)
    chmodSync(join(folder.path, 'programs', name), 0o755)
  }
}

/** Returns the code of a policy that gives free nodes. @param first statements before each answer */
function placingPolicy(first: string): string {
  return `import { existsSync, writeFileSync } from 'node:fs'
const claims = { links: 'shared', fullBandwidth: false, exactSize: true, monotone: false, complete: false, speedupScenarios: false }
let runs = 0
export default {
  contract: 1,
  name: 'mine',
  version: '1.0.0',
  config: { '~standard': { version: 1, vendor: 'mine', validate: (value) => ({ value }) } },
  make: (topology) => (runs++, {
    claims,
    place: (state, request) => {
      ${first}
      const free = Array.from({ length: topology.nodes }, (_, node) => node).filter((node) => state.isNodeFree(node))
      if (free.length < request.nodes) return { ok: false, code: 'too-few-nodes', free: free.length }
      return { ok: true, nodes: free.slice(0, request.nodes), links: [] }
    },
  }),
}
`
}

const drive = ['drive', 'slurm', '--partition', 'batch', '--topology', 'radix:4', '--policy', 'baseline'] as const

it.each<Signal>(['SIGINT', 'SIGTERM', 'SIGHUP'])('cloister drive slurm releases the lease at %s', async (signal) => {
  const folder = new Folder()
  quietSlurm(folder)
  const controller = new Running(folder, ...drive, '--out', 'driven.ndjson')
  await controller.until(
    () => filesIn(folder).includes('driven.ndjson') && filesIn(folder).includes('driven.ndjson.lease'),
  )
  expect(await controller.endBy(signal)).toEqual([null, signal])
  expect(filesIn(folder).filter((name) => name.startsWith('driven'))).toEqual(['driven.ndjson', 'driven.ndjson.lease'])
  expect(newestOf(folder, 'driven.ndjson.lease')).toMatchObject({ ended: true })
  expect(controller.said).toBe('')
})

/** Values that `squeue` prints of a job held for the controller: three nodes for ten minutes. */
const heldJob =
  '7,PENDING,1700000000,N/A,N/A,N/A,10:00,3,,ann,physics,batch,0,node=3,0,normal,(null),JobHeldUser,(null),,(null),(null),N/A,cloister'.split(
    ',',
  )
const squeueOfHeldJob = `separator=$(printf %s "$*" | sed -n 's/.*--Format=[A-Za-z]*:\\(|[0-9a-f]*|\\).*/\\1/p')
for value in ${heldJob.map((value) => `'${value}'`).join(' ')}; do printf '%s%s' "$value" "$separator"; done
echo`

it('drive gives its lease back after the answer of a slow policy, if SIGTERM comes before the answer', async () => {
  const folder = new Folder()
  quietSlurm(folder, squeueOfHeldJob)
  folder.write('slow.mjs', placingPolicy("writeFileSync('asked', ''); while (!existsSync('answer'));"))
  const options = [...drive.slice(0, -1), './slow.mjs', '--policy-timeout', '3600', '--out', 'driven.ndjson']
  const controller = new Running(folder, ...options)
  await controller.until(() => filesIn(folder).includes('asked'))
  controller.tell('SIGTERM')
  folder.write('answer', '')
  expect(await controller.ended).toEqual([null, 'SIGTERM'])
  expect(filesIn(folder).filter((name) => name.startsWith('driven'))).toEqual(['driven.ndjson', 'driven.ndjson.lease'])
  expect(newestOf(folder, 'driven.ndjson.lease')).toMatchObject({ ended: true })
  // The next controller carries the decision out.
  const log = readFileSync(join(folder.path, 'driven.ndjson'), 'utf8')
  expect(log).toMatch(/"type":"allocate","job":"7"/)
})

it('cloister drive slurm that waits for a lease ends at SIGTERM, and leaves the lease of the other controller unchanged', async () => {
  const folder = new Folder()
  quietSlurm(folder)
  const holder = JSON.stringify({ id: 'other', host: 'elsewhere', pid: 1 })
  folder.write('driven.ndjson.lease/3', holder)
  const standby = new Running(folder, ...drive, '--out', 'driven.ndjson')
  await standby.until(() => standby.said.includes('waiting for the lease'))
  expect(await standby.endBy('SIGTERM')).toEqual([null, 'SIGTERM'])
  expect(filesIn(folder, 'driven.ndjson.lease')).toEqual(['3'])
  expect(readFileSync(join(folder.path, 'driven.ndjson.lease/3'), 'utf8')).toBe(holder)
  expect(filesIn(folder).filter((name) => name.startsWith('driven'))).toEqual(['driven.ndjson.lease'])
})

it('cloister drive slurm that waits for Slurm at its start ends at SIGTERM', async () => {
  const folder = new Folder()
  quietSlurm(folder)
  folder.write('programs/scontrol', '#!/bin/sh\nexit 1\n')
  const controller = new Running(folder, ...drive, '--out', 'driven.ndjson')
  await controller.until(() => controller.said.includes('Slurm is asked again until Slurm answers'))
  expect(await controller.endBy('SIGTERM')).toEqual([null, 'SIGTERM'])
  expect(filesIn(folder).filter((name) => name.startsWith('driven'))).toEqual([])
})

it('cloister observe seals and closes the log at SIGTERM', async () => {
  const folder = new Folder()
  quietSlurm(folder)
  const observer = new Running(folder, 'observe', 'slurm', '--topology', 'radix:4', '--out', 'live.ndjson')
  await observer.until(() => filesIn(folder).includes('live.ndjson.lock'))
  expect(await observer.endBy('SIGTERM')).toEqual([null, 'SIGTERM'])
  expect(filesIn(folder).filter((name) => name.startsWith('live'))).toEqual(['live.ndjson'])
})

it('cloister view removes the file that redirects the browser at SIGINT, also during a request', async () => {
  const folder = new Folder()
  const log = await folder.log()
  const viewer = new Running(folder, 'view', log)
  await viewer.until(() => viewer.said.includes('Ctrl-C ends the server') && filesIn(folder, 'tmp').length > 0)
  const { hostname, port } = new URL(/http:\/\/\S+/.exec(viewer.said)![0])
  const request = connect(Number(port), hostname)
  onTestFinished(() => void request.destroy())
  request.on('error', () => {})
  await new Promise((resolve) => request.write('GET / HTTP/1.1\r\nHost: loopback\r\n', resolve))
  expect(await viewer.endBy('SIGINT')).toEqual([null, 'SIGINT'])
  expect(filesIn(folder, 'tmp')).toEqual([])
})

it('a worker of cloister sweep writes at SIGTERM that the worker has ended', async () => {
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

it('cloister bench ends the timed process, and removes the temporary folder at SIGTERM', async () => {
  const folder = new Folder()
  const bench = new Running(folder, 'bench', '--runs', '1')
  await bench.until(() => filesIn(folder, 'tmp').some((name) => name.startsWith('cloister-bench')))
  expect(await bench.endBy('SIGTERM')).toEqual([null, 'SIGTERM'])
  expect(filesIn(folder, 'tmp')).toEqual([])
})

/** Policy with a fault. In run 10, after the runs that find the fault, the policy never answers. */
const hangsInTheSearch = placingPolicy(`
      if (runs === 10) {
        writeFileSync('searching', '')
        for (;;);
      }
      if (request.nodes > 1) throw new Error('no room for it')`)

it.each<Signal>(['SIGINT', 'SIGTERM'])(
  'minimise leaves no temporary folder at %s, even during a run',
  async (signal) => {
    const folder = new Folder()
    folder.write('hangs.mjs', hangsInTheSearch)
    const options = ['--trace', 'synth:4:300', '--topology', 'radix:6', '--policy', './hangs.mjs']
    const search = new Running(folder, 'minimise', ...options)
    await search.until(() => filesIn(folder).includes('searching'))
    expect(await search.endBy(signal)).toEqual([null, signal])
    expect(filesIn(folder, 'tmp')).toEqual([])
  },
)

/** Makes each Node process that starts in the folder write an empty file `PID.pid`, named by its process id. */
function numbersProcesses(folder: Folder): void {
  const path = join(
    folder.path,
    folder.write(
      'number.mjs',
      `import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
if (isMainThread) writeFileSync(process.pid + '.pid', '')
`,
    ),
  )
  vi.stubEnv('NODE_OPTIONS', `--import=${pathToFileURL(path).href}`)
  onTestFinished(() => void vi.unstubAllEnvs())
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it.each<Signal>(['SIGINT', 'SIGTERM'])('reproduce ends the process that it times at %s', async (signal) => {
  const folder = new Folder()
  numbersProcesses(folder)
  const timing = new Running(folder, 'reproduce', 'jigsaw-table3')
  const pids = (): ReadonlyArray<number> =>
    filesIn(folder).flatMap((name) => /^(\d+)\.pid$/.exec(name)?.slice(1).map(Number) ?? [])
  await timing.until(() => pids().length === 2)
  const timed = pids().find((pid) => pid !== timing.pid)!
  onTestFinished(() => void (isRunning(timed) && process.kill(timed, 'SIGKILL')))
  expect(await timing.endBy(signal)).toEqual([null, signal])
  expect(isRunning(timed)).toBe(false)
})

it('a second signal ends a program with hanging finalisers', async () => {
  const folder = new Folder()
  const signals = pathToFileURL(join(import.meta.dirname, '../src/terminal/signals.ts')).href
  folder.write(
    'hanging.ts',
    `import { Effect } from ${JSON.stringify(import.meta.resolve('effect'))}
import { writeFileSync } from 'node:fs'
import { processSignals, untilSignal } from ${JSON.stringify(signals)}
setInterval(() => {}, 1e6)
const hanging = Effect.promise(() => new Promise(() => writeFileSync('interrupted', '')))
const begun = Effect.acquireRelease(Effect.sync(() => writeFileSync('begun', '')), () => hanging)
const command = Effect.scoped(Effect.andThen(begun, Effect.never))
void Effect.runPromise(Effect.provide(untilSignal(command), processSignals))
`,
  )
  const program = new Running(folder, '--conditions=@cloister/source', 'hanging.ts')
  await program.until(() => filesIn(folder).includes('begun'))
  program.tell('SIGINT')
  await program.until(() => filesIn(folder).includes('interrupted'))
  expect(await program.endBy('SIGTERM')).toEqual([null, 'SIGTERM'])
})
