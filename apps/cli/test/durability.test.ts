import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Answer, Folder, bundle, complaint, small } from './cloister.ts'

const run = [...small, '--policy', 'jigsaw'] as const
/** Arguments of a simulation of some seconds, long enough to kill the program during the run. */
const long = ['simulate', '--trace', 'synth:16:8000', '--topology', 'radix:16', '--policy', 'jigsaw'] as const

function start(folder: Folder, ...args: ReadonlyArray<string>): ChildProcess {
  return spawn(process.execPath, [bundle, ...args], { cwd: folder.path, stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Waits until the log has bytes after the header. */
async function growing(path: string): Promise<void> {
  for (let waited = 0; !existsSync(path) || readFileSync(path).length < 20_000; waited += 10) {
    if (waited > 20_000) throw new Error(`${path} does not grow`)
    await sleep(10)
  }
}

async function ended(child: ChildProcess): Promise<Answer> {
  let stderr = ''
  child.stderr!.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: '', stderr }
}

/** Runs a shell command in which `cloister` is the built program. */
function shell(folder: Folder, line: string): Answer {
  return folder.run([
    '-e',
    `
    const { spawnSync } = require('node:child_process')
    const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', ${JSON.stringify(`set -o pipefail; cloister() { "${process.execPath}" "${bundle}" "$@"; }; ${line}`)}], { encoding: 'utf8' })
    process.stdout.write(stdout)
    process.stderr.write(stderr)
    process.exit(status)
  `,
  ])
}

describe('a killed run', () => {
  it.each(['run.ndjson', 'run.ndjson.zst'])(
    'a killed run keeps every sealed record of the log %s, and --resume completes the log',
    async (name) => {
      const folder = new Folder()
      const path = join(folder.path, name)
      expect(folder.process(...long, '--out', `whole-${name}`).code).toBe(0)
      const whole = readFileSync(join(folder.path, `whole-${name}`))
      for (const delay of fc.sample(fc.nat(300), 1)) {
        const child = start(folder, ...long, '--out', name, '--force')
        await growing(path)
        await sleep(delay)
        child.kill('SIGKILL')
        await ended(child)
        const left = readFileSync(path)
        expect(whole.subarray(0, left.length).equals(left)).toBe(true)
        const audit = folder.process('audit', name)
        expect(audit.code, audit.stderr).toBe(left.length === whole.length ? 0 : 3)
        if (audit.code === 3) expect(existsSync(`${path}.lock`)).toBe(true)
      }
      const resumed = folder.process(...long, '--out', name, '--resume')
      expect(resumed.code, resumed.stderr).toBe(0)
      expect(readFileSync(path).equals(whole)).toBe(true)
      expect(existsSync(`${path}.lock`)).toBe(false)
    },
  )
})

describe('a log', () => {
  it('a log has one writer at a time: a second run is refused with --force and with --resume', async () => {
    const folder = new Folder()
    const path = join(folder.path, 'run.ndjson')
    const child = start(folder, ...long, '--out', 'run.ndjson')
    await growing(path)
    child.kill('SIGSTOP')
    for (const option of [[], ['--force'], ['--resume']]) {
      expect(complaint(folder.process('simulate', ...run, '--out', 'run.ndjson', ...option))).toContain(
        `cannot write run.ndjson: process ${child.pid} writes the file; if no process does, delete`,
      )
    }
    child.kill('SIGCONT')
    expect((await ended(child)).code).toBe(0)
    expect(folder.process('metrics', 'run.ndjson').code).toBe(0)
  })

  it('a log has one writer if several runs start at the same time', async () => {
    const folder = new Folder()
    const answers = await Promise.all(
      [1, 2, 3].map(() => ended(start(folder, ...long, '--out', 'run.ndjson', '--force'))),
    )
    expect(answers.filter(({ code }) => code === 0).length).toBeGreaterThan(0)
    for (const answer of answers) if (answer.code !== 0) expect(complaint(answer)).toContain('writes the file')
    expect(folder.process('audit', 'run.ndjson').code).toBe(0)
  })

  it('a log that is deleted during the run makes the run fail', async () => {
    const folder = new Folder()
    const child = start(folder, ...long, '--out', 'run.ndjson')
    await growing(join(folder.path, 'run.ndjson'))
    child.kill('SIGSTOP')
    rmSync(join(folder.path, 'run.ndjson'))
    child.kill('SIGCONT')
    expect(complaint(await ended(child))).toContain(
      'cannot write run.ndjson: the file was deleted or replaced while it was being written',
    )
  })

  it('a log whose file reached its largest size keeps the sealed records up to the limit', async () => {
    const folder = new Folder()
    await folder.log('whole.ndjson')
    if (existsSync('/dev/full'))
      expect(complaint(folder.process('simulate', ...run, '--out', '/dev/full'))).toContain(
        'cannot write /dev/full: the disk is full',
      )
    // The shell command `ulimit -f` counts blocks of 1024 bytes.
    const answer = shell(folder, `ulimit -f 64; cloister simulate ${run.join(' ')} --out run.ndjson`)
    expect(complaint(answer)).toContain(
      'cannot write run.ndjson: the file would become too large\n  the log keeps all sealed records; --resume completes the log',
    )
    expect(readFileSync(join(folder.path, 'run.ndjson')).length).toBe(65_536)
    expect(folder.process('audit', 'run.ndjson').code).toBe(3)
    expect(folder.process('simulate', ...run, '--out', 'run.ndjson', '--resume').code).toBe(0)
    expect(readFileSync(join(folder.path, 'run.ndjson')).equals(readFileSync(join(folder.path, 'whole.ndjson')))).toBe(
      true,
    )
  })

  it.skipIf(process.getuid?.() === 0)('a log in a folder without the right to write makes the run fail', () => {
    const folder = new Folder()
    mkdirSync(join(folder.path, 'closed'))
    chmodSync(join(folder.path, 'closed'), 0o500)
    expect(complaint(folder.process('simulate', ...run, '--out', 'closed/run.ndjson'))).toContain(
      'you may not write there',
    )
  })

  it('a log can be written into a pipe, and read from a pipe', async () => {
    const folder = new Folder()
    await folder.log('whole.ndjson')
    const { code, stdout, stderr } = shell(folder, `cloister simulate ${run.join(' ')} --out /dev/stdout | cat`)
    expect({ code, whole: stdout === readFileSync(join(folder.path, 'whole.ndjson'), 'utf8') }).toEqual({
      code: 0,
      whole: true,
    })
    expect(stderr).toContain('300 started, 300 finished')
    const fifo = shell(
      folder,
      `mkfifo pipe; cloister simulate ${run.join(' ')} --out pipe > said & cloister audit pipe; wait; cat said`,
    )
    expect(fifo.stdout).toContain('the log is whole')
    expect(fifo.stdout).toContain('300 started')
  })
})

describe('a reader that closes the pipe', () => {
  it.each([
    'metrics run.ndjson',
    'rerun run.ndjson --policy baseline --json --limit 1000',
    'trace generate synth:16:50000',
    'simulate --help',
  ])('a reader that closes the pipe ends cloister %s without a message', async (command) => {
    const folder = new Folder()
    if (command.includes('run.ndjson')) await folder.log()
    for (const reader of ['head -1', 'true']) {
      const { code, stderr } = shell(folder, `cloister ${command} | ${reader} > seen`)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    }
  })

  it('a reader that closes the pipe causes an error if the pipe carries the log', () => {
    const folder = new Folder()
    const { code, stderr } = shell(folder, `cloister simulate ${run.join(' ')} --out /dev/stdout | head -1 > seen`)
    expect(complaint({ code, stdout: '', stderr })).toContain(
      'cannot write /dev/stdout: the process that read the pipe has ended',
    )
  })
})

/** Tests of @cloister/eventlog damage every byte and bit of a log; these tests show that commands report damage. */
describe('a damaged log', () => {
  it.each(['run.ndjson', 'run.ndjson.zst'])('every command reports damage of the log %s', async (name) => {
    const folder = new Folder()
    await folder.log(name)
    const path = join(folder.path, name)
    const whole = readFileSync(path)
    for (const command of ['metrics', 'audit', 'state', 'rerun']) {
      writeFileSync(path, whole.subarray(0, Math.floor(0.6 * whole.length)))
      const torn = folder.process(command, name)
      expect({ command, code: torn.code }).toEqual({ command, code: 3 })
      expect(torn.stderr + torn.stdout).toMatch(/torn/)
      const changed = Buffer.from(whole)
      changed[Math.floor(0.6 * whole.length)] ^= 8
      writeFileSync(path, changed)
      const corrupt = folder.process(command, name)
      expect({ command, code: corrupt.code }).toEqual({ command, code: 2 })
      expect(corrupt.stderr + corrupt.stdout).toMatch(/corrupt at byte \d+, line \d+/)
    }
  })
})
