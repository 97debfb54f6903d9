import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { openSeekableLog } from '@cloister/eventlog/node'
import { describe, expect, it, vi } from 'vitest'
import { FollowedLog } from '@cloister/viewer/server'
import { Folder } from './cloister.ts'

/** Number of calls of node:fs for files in `folder` so far, and the number of the call that fails. */
const disk = vi.hoisted(() => ({ folder: '', refused: -1, requests: [] as string[], names: new Map<number, string>() }))

/** Wraps the functions of node:fs: counts the calls, and makes one call fail, as on a broken disk. */
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>()
  const nameOf = (target: unknown): string | undefined => {
    const path = typeof target === 'number' ? disk.names.get(target) : resolve(String(target))
    return disk.folder !== '' && path?.startsWith(disk.folder) === true ? path : undefined
  }
  const watched = (call: keyof typeof fs): unknown => {
    const actual = fs[call] as (...args: ReadonlyArray<unknown>) => unknown
    return (...args: ReadonlyArray<unknown>): unknown => {
      const name = nameOf(args[0])
      if (name === undefined) return actual(...args)
      // A close that fails also closes the file, as in the system.
      const result = call === 'closeSync' ? actual(...args) : undefined
      disk.requests.push(`${call} ${basename(name)}`)
      if (disk.requests.length - 1 === disk.refused) {
        // The error of the system has no path for calls on an open file.
        const isNameless = typeof args[0] === 'number' || call === 'readFileSync'
        const [where, path] = isNameless ? ['', {}] : [` '${String(args[0])}'`, { path: args[0] }]
        throw Object.assign(new Error(`EIO: i/o error, ${call}${where}`), { code: 'EIO', syscall: call, ...path })
      }
      const answer = call === 'closeSync' ? result : actual(...args)
      if (call === 'openSync') disk.names.set(answer as number, name)
      return answer
    }
  }
  const calls = (
    'openSync closeSync readSync writeSync fstatSync statSync ftruncateSync fsyncSync fdatasyncSync ' +
    'renameSync linkSync readFileSync writeFileSync mkdirSync rmSync'
  ).split(' ') as ReadonlyArray<keyof typeof fs>
  return { ...fs, ...Object.fromEntries(calls.map((call) => [call, watched(call)])) }
})

/** Runs a command once for each call of node:fs that the command makes; each time another call fails. */
async function failingInTurn(
  folder: Folder,
  run: () => Promise<unknown>,
  check: (request: string) => void | Promise<void>,
): Promise<number> {
  for (let refused = 0; ; refused++) {
    Object.assign(disk, { folder: resolve(folder.path), refused, requests: [] })
    try {
      await run()
    } finally {
      disk.folder = ''
    }
    if (disk.requests.length <= refused) return refused
    await check(`${refused}: ${disk.requests[refused]}`)
  }
}

const run = ['--trace', 'synth:3:20', '--topology', 'radix:4', '--policy', 'baseline']
const experiment = JSON.stringify({ cells: [{ trace: 'synth:3:20', topology: 'radix:4', policy: 'baseline' }] })

describe('each failed call of the file system gives an error that names the file', () => {
  it.each<[string, ReadonlyArray<string>]>([
    ['simulate', ['simulate', ...run, '--out', 'new.ndjson', '--force']],
    ['simulate', ['simulate', ...run, '--out', 'new.ndjson.zst', '--force', '--sync', 'seal']],
    ['simulate', ['simulate', ...run, '--out', 'cut.ndjson', '--resume', '--sync', 'record']],
    ['metrics', ['metrics', 'run.ndjson']],
    ['audit', ['audit', 'run.ndjson.zst']],
    ['state', ['state', 'run.ndjson', '--at', '100']],
    ['state', ['state', 'indexed.ndjson', '--at', '100']],
    ['rerun', ['rerun', 'run.ndjson']],
    ['explain', ['explain', 'run.ndjson', '--job', '3']],
    ['diff', ['diff', 'run.ndjson', 'run.ndjson.zst']],
    ['export', ['export', 'run.ndjson', '--to', 'chrome', '--out', 'new.json', '--force']],
    ['export', ['export', 'run.ndjson', '--to', 'batsim', '--out', 'batsim', '--force']],
    ['export', ['export', 'run.ndjson', '--to', 'html', '--out', 'new.html', '--force']],
    ['query', ['query', 'run.ndjson', 'worst-waits', '--out', 'waits.csv', '--force']],
    ['sweep', ['sweep', 'experiment.json', '--out', 'results.ndjson', '--force', '--keep-logs', 'logs']],
    ['sweep', ['sweep', 'experiment.json', '--out', 'torn.ndjson', '--resume']],
    ['sign', ['sign', 'run.ndjson', '--key', 'me.key', '--force']],
    ['verify', ['verify', 'run.ndjson', '--key', 'me.key.pub']],
  ])('an error of the file system names the file: command %s, arguments %j', async (_, words) => {
    const folder = new Folder()
    await folder.cloister('simulate', ...run, '--out', 'run.ndjson')
    await folder.cloister('simulate', ...run, '--out', 'run.ndjson.zst')
    await folder.cloister('sign', 'run.ndjson', '--key', 'me.key', '--new-key')
    const whole = readFileSync(join(folder.path, 'run.ndjson'))
    folder.write('indexed.ndjson', whole)
    openSeekableLog(join(folder.path, 'indexed.ndjson'), { keepIndex: true }).close()
    folder.write('experiment.json', experiment)
    const prepare = (): void => {
      // Removes a remaining lock, because the lock names a running process: the process of the tests.
      for (const name of readdirSync(folder.path, { recursive: true, encoding: 'utf8' }))
        if (name.endsWith('.lock')) rmSync(join(folder.path, name), { recursive: true })
      folder.write('cut.ndjson', whole.subarray(0, 3000))
      folder.write('torn.ndjson', '{"cell":')
    }
    const problems: string[] = []
    let answer: Awaited<ReturnType<Folder['cloister']>>
    prepare()
    const requests = await failingInTurn(
      folder,
      async () => {
        answer = await folder.cloister(...words)
      },
      (request) => {
        const { code, stderr } = answer
        // A failed call may also concern the folder itself, or a file that the experiment names.
        const written = words.map((word) => word.replace(/\.ndjson$/, '.times.ndjson'))
        const names = [
          ...readdirSync(folder.path),
          ...words.slice(1),
          ...written.slice(1),
          ...run,
          ': .:',
          'cloister: .:',
        ]
        const isNamed = names.some((name) => stderr.includes(name))
        // Calls that are not needed may fail without a message, for example calls for an index file or a missing lock.
        // A sweep leaves out a cell whose log or result cannot be written, and exits with 3.
        const isFlush = /fsyncSync .*\.(ndjson|zst)$/.test(request)
        if (isFlush && code === 0) problems.push(`${request} -> 0`)
        if (code !== 0 && (![2, 3].includes(code!) || !isNamed || /defect|\n {4}at |cloister-part/.test(stderr)))
          problems.push(`${request} -> ${code}: ${stderr.slice(0, 300)}`)
        expect(readFileSync(join(folder.path, 'run.ndjson')).equals(whole)).toBe(true)
        prepare()
      },
    )
    expect(problems).toEqual([])
    expect(requests).toBeGreaterThan(2)
    expect(answer!.code, answer!.stderr).toBe(0)
  })
})

describe('a viewed log', () => {
  it('a viewed log is shown in the end although any one call of the file system fails', async () => {
    const folder = new Folder()
    await folder.cloister('simulate', ...run, '--out', 'run.ndjson')
    const path = join(folder.path, 'run.ndjson')
    const whole = readFileSync(path)
    folder.write('indexed.ndjson', whole)
    openSeekableLog(join(folder.path, 'indexed.ndjson'), { keepIndex: true }).close()
    for (const name of ['run.ndjson', 'indexed.ndjson']) {
      let seen: unknown
      const requests = await failingInTurn(
        folder,
        async () => {
          seen = undefined
          let log: FollowedLog
          try {
            log = new FollowedLog(join(folder.path, name), () => undefined)
          } catch (error) {
            seen = (error as Error).message
            return
          }
          for (let waited = 0; waited < 5000 && seen === undefined; waited += 20) {
            await new Promise((wake) => setTimeout(wake, 20))
            try {
              log.answer('overview', {})
              seen = 'read'
            } catch (error) {
              if (!(error as Error).message.includes(name)) seen = (error as Error).message
            }
          }
          log.close()
        },
        (request) => {
          if (seen !== 'read') expect({ request, seen }).toEqual({ request, seen: expect.stringContaining(name) })
        },
      )
      expect(requests).toBeGreaterThan(2)
      expect(seen).toBe('read')
    }
  })
})
