import { Files, fileSystem } from '@cloister/run/node'
import { Effect } from 'effect'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { bundle, complaint, Folder, inTurn } from './cloister.ts'

const formats = ['chrome', 'swf', 'paje', 'html'] as const
const text = (folder: Folder, name: string): string => readFileSync(join(folder.path, name), 'utf8')

describe('an output file that is also an input of the command', () => {
  it.each(formats)('export --to %s refuses an output file that is its input, by path and through links', async (to) => {
    const folder = new Folder()
    const before = text(folder, await folder.log())
    linkSync(join(folder.path, 'run.ndjson'), join(folder.path, 'hard'))
    symlinkSync('run.ndjson', join(folder.path, 'soft'))
    for (const out of ['run.ndjson', './run.ndjson', 'hard', 'soft']) {
      const answer = await folder.cloister('export', 'run.ndjson', '--to', to, '--out', out, '--force')
      expect(complaint(answer)).toContain(`${out} cannot be written, because`)
      expect(text(folder, 'run.ndjson')).toBe(before)
    }
  })

  it('export --to batsim refuses an output file that is its input also for a file in the folder of --out', async () => {
    const folder = new Folder()
    const before = text(folder, await folder.log())
    mkdirSync(join(folder.path, 'out'))
    linkSync(join(folder.path, 'run.ndjson'), join(folder.path, 'out/jobs.csv'))
    const answer = await folder.cloister('export', 'run.ndjson', '--to', 'batsim', '--out', 'out', '--force')
    expect(complaint(answer)).toContain(
      'out/jobs.csv cannot be written, because the command reads the same file as run.ndjson',
    )
    expect(text(folder, 'run.ndjson')).toBe(before)
  })

  it('simulate refuses an output file that is its trace, topology, outages or policy', async () => {
    const folder = new Folder()
    await folder.cloister('trace', 'generate', 'synth:4:50', '--out', 'jobs.swf')
    folder.write('tree.conf', 'SwitchName=a Nodes=n[0-8]\nSwitchName=b Nodes=n[9-17]\nSwitchName=top Switches=a,b\n')
    folder.write('outages.ndjson', '{"t":900,"type":"down","nodes":"5"}\n')
    folder.write('mine.mjs', 'export default 1\n')
    const run = ['--trace', 'jobs.swf', '--topology', 'slurm:tree.conf', '--outages', 'outages.ndjson'] as const
    const names = ['jobs.swf', 'tree.conf', 'outages.ndjson', 'mine.mjs']
    const before = names.map((name) => text(folder, name))
    for (const option of ['--force', '--resume']) {
      const answers = await inTurn(names, (out) =>
        folder.cloister('simulate', ...run, '--policy', './mine.mjs', '--out', out, option),
      )
      for (const answer of answers) expect(complaint(answer)).toContain('cannot be written, because')
    }
    expect(names.map((name) => text(folder, name))).toEqual(before)
  })

  it('trace convert and sweep refuse an output file that is their input', async () => {
    const folder = new Folder()
    await folder.cloister('trace', 'generate', 'synth:4:50', '--out', 'jobs.swf')
    const cells = [{ trace: 'jobs.swf', topology: 'radix:6', policy: ['baseline'] }]
    folder.write('experiment.json', JSON.stringify({ cells }))
    const before = ['jobs.swf', 'experiment.json'].map((name) => text(folder, name))
    const commands = [
      ['trace', 'convert', 'jobs.swf', '--out', './jobs.swf', '--force'],
      ['sweep', 'experiment.json', '--out', 'experiment.json', '--force'],
      ['sweep', 'experiment.json', '--out', 'jobs.swf', '--force'],
    ]
    for (const answer of await inTurn(commands, (command) => folder.cloister(...command)))
      expect(complaint(answer)).toContain('cannot be written, because')
    expect(['jobs.swf', 'experiment.json'].map((name) => text(folder, name))).toEqual(before)
  })

  it('sweep merge and sweep report refuse outputs that are the experiment, its inputs, results or times of workers', async () => {
    const folder = new Folder()
    await folder.cloister('trace', 'generate', 'synth:4:20', '--out', 'jobs.swf')
    folder.write('e.json', JSON.stringify({ cells: [{ trace: 'jobs.swf', topology: 'radix:6', policy: 'baseline' }] }))
    await folder.cloister('sweep', 'e.json', '--shard', '1/1')
    const ofWorker = (kind: string): string => `e.sweep/${kind}/${readdirSync(join(folder.path, 'e.sweep', kind))[0]}`
    linkSync(join(folder.path, 'e.json'), join(folder.path, 'x.times.ndjson'))
    const names = ['e.json', 'jobs.swf', ofWorker('results'), ofWorker('times')]
    const before = names.map((name) => text(folder, name))
    const commands = [
      ...names.flatMap((out) => ['merge', 'report'].map((command) => [command, 'e.json', '--out', out, '--force'])),
      ['merge', 'e.json', '--out', 'x.ndjson', '--force'],
      ['e.json', '--out', 'x.ndjson', '--force'],
    ]
    for (const answer of await inTurn(commands, (command) => folder.cloister('sweep', ...command)))
      expect(complaint(answer)).toContain('cannot be written, because')
    expect(names.map((name) => text(folder, name))).toEqual(before)

    // The file of results of a sweep without shards is an input, too.
    await folder.cloister('sweep', 'merge', 'e.json')
    const own = ['sweep', 'report', 'e.json', '--from', 'e.results.ndjson', '--out', 'e.results.ndjson', '--force']
    expect(complaint(await folder.cloister(...own))).toContain('cannot be written, because the command reads this file')
  })

  it('simulate and sweep never write over the file of a router', async () => {
    const folder = new Folder()
    const router = `export default {
      contract: 1, name: 'silent', version: '1.0.0', claims: { links: 'shared', changes: 'none' },
      make: () => ({ port: () => -1, start: () => [], end: () => [] }),
    }`
    folder.write('mine.mjs', router)
    const cell = '{"trace":"synth:8:5","topology":"radix:8","policy":"baseline","router":"./mine.mjs"}'
    folder.write('e.json', `{"cells":[${cell}]}`)
    const options = ['--trace', 'synth:8:5', '--topology', 'radix:8', '--policy', 'baseline', '--router', './mine.mjs']
    for (const words of [
      ['simulate', ...options],
      ['sweep', 'e.json'],
    ])
      expect(complaint(await folder.cloister(...words, '--out', 'mine.mjs', '--force'))).toContain(
        'mine.mjs cannot be written, because the command reads',
      )
    expect(text(folder, 'mine.mjs')).toBe(router)
  })

  it('plot, extract and sign refuse an output file that is their input', async () => {
    const folder = new Folder()
    const log = await folder.log()
    folder.write('mine.mjs', 'export default 1\n')
    await folder.cloister('sign', log, '--key', 'me.key', '--new-key')
    const names = [log, 'me.key', 'mine.mjs']
    const before = names.map((name) => text(folder, name))
    const commands = [
      ['plot', 'utilization', log, '--out', log],
      ['plot', 'ecdf', log, '--csv', log],
      ['extract', log, '--record', '1', '--out', log],
      ['extract', log, '--record', '1', '--policy', './mine.mjs', '--out', 'mine.mjs'],
      ['sign', log, '--key', 'me.key', '--out', log],
      ['sign', log, '--key', 'me.key', '--out', 'me.key'],
    ]
    for (const answer of await inTurn(commands, (command) => folder.cloister(...command, '--force')))
      expect(complaint(answer)).toContain('cannot be written, because')
    expect(names.map((name) => text(folder, name))).toEqual(before)
  })
})

describe('two output files of a command with the same name', () => {
  it('two output files of a command with the same name are refused, by path and through links', async () => {
    const folder = new Folder()
    const log = await folder.log()
    folder.write('old', 'old')
    symlinkSync('old', join(folder.path, 'soft'))
    folder.write(
      'e.json',
      JSON.stringify({ cells: [{ trace: 'synth:4:20', topology: 'radix:6', policy: 'baseline' }] }),
    )
    await folder.cloister('sweep', 'e.json', '--shard', '1/1')
    const figure = 'pictures/utilization-steady.svg'
    const commands = [
      ['plot', 'ecdf', log, '--csv', 'new', '--out', './new'],
      ['plot', 'ecdf', log, '--csv', 'old', '--out', 'soft', '--force'],
      ['sweep', 'merge', 'e.json', '--out', 'new', '--parquet', 'new'],
      ['sweep', 'merge', 'e.json', '--out', 'new.ndjson', '--parquet', 'new.times.ndjson'],
      ['sweep', 'report', 'e.json', '--out', figure, '--figures', 'pictures'],
      ['sign', log, '--key', 'me.key', '--new-key', '--out', 'me.key.pub', '--force'],
    ]
    const there = readdirSync(folder.path)
    for (const answer of await inTurn(commands, (command) => folder.cloister(...command)))
      expect(complaint(answer)).toMatch(
        /cannot be written, because (two outputs|another output, (old|soft), is the same file)/,
      )
    expect(readdirSync(folder.path)).toEqual(there)
    expect(text(folder, 'old')).toBe('old')
  })
})

describe('an output file', () => {
  it('an output file replaces the target of a link, and keeps the permissions of the target', async () => {
    const folder = new Folder()
    await folder.log()
    folder.write('old.swf', 'old')
    symlinkSync('old.swf', join(folder.path, 'link.swf'))
    const export_ = ['export', 'run.ndjson', '--to', 'swf', '--out', 'link.swf'] as const
    expect(complaint(await folder.cloister(...export_))).toContain('link.swf exists; --force overwrites it')
    const { mode } = statSync(join(folder.path, 'old.swf'))
    expect((await folder.cloister(...export_, '--force')).code).toBe(0)
    expect(readlinkSync(join(folder.path, 'link.swf'))).toBe('old.swf')
    expect(text(folder, 'old.swf')).toMatch(/^; Version/)
    expect(statSync(join(folder.path, 'old.swf')).mode).toBe(mode)
  })

  it('an export of a log that turns out corrupt leaves no file, not even the first of several files', async () => {
    const folder = new Folder()
    const log = text(folder, await folder.log())
    folder.write('corrupt.ndjson', `${log.slice(0, log.length / 2)}x${log.slice(log.length / 2)}`)
    folder.write('old', 'old')
    for (const to of formats) {
      const answer = await folder.cloister('export', 'corrupt.ndjson', '--to', to, '--out', 'old', '--force')
      expect(complaint(answer)).toContain('corrupt at byte')
      expect(text(folder, 'old')).toBe('old')
    }
    await folder.cloister('export', 'corrupt.ndjson', '--to', 'batsim', '--out', 'batsim')
    expect(readdirSync(folder.path).sort()).toEqual(['corrupt.ndjson', 'old', 'run.ndjson'])
  })

  it('an export of a torn log is written with a remark and exit code 3, also for html', async () => {
    const folder = new Folder()
    const log = text(folder, await folder.log())
    folder.write('torn.ndjson', log.slice(0, log.length / 2))
    for (const to of formats) {
      const { code, stderr } = await folder.cloister('export', 'torn.ndjson', '--to', to, '--out', to)
      expect({ to, code, isSaid: stderr.includes('torn') }).toEqual({ to, code: 3, isSaid: true })
    }
  })

  it('an output file does not appear before the file is whole, however the program ends', async () => {
    const folder = new Folder()
    await folder.json('simulate', '--trace', 'synth:8:20000', '--topology', 'radix:8', '--policy', 'baseline', '--out', 'run.ndjson') // oxfmt-ignore
    folder.write('run.json', 'old')
    const args = [bundle, 'export', 'run.ndjson', '--to', 'chrome', '--out', 'run.json', '--force']
    const child = spawn(process.execPath, args, { cwd: folder.path, stdio: 'ignore' })
    const part = (): string | undefined => readdirSync(folder.path).find((name) => name.endsWith('.cloister-part'))
    while (part() === undefined || statSync(join(folder.path, part()!)).size === 0) await sleep(1)
    expect(text(folder, 'run.json')).toBe('old')
    child.kill('SIGKILL')
    await once(child, 'close')
    expect(text(folder, 'run.json')).toBe('old')
    expect(part()).toBeDefined()
    await folder.json('export', 'run.ndjson', '--to', 'csv', '--out', 'jobs.csv')
    expect(part()).toBeUndefined()
  })

  it('before an output file is written, partial files are removed unless their process runs or may run', async () => {
    const folder = new Folder()
    await folder.log()
    const files = Effect.runSync(Effect.provide(Files, fileSystem))
    // Names a partial file of this process, which runs.
    const running = basename(files.create(join(folder.path, 'other.csv'), 'refuse').temporary)
    const [, random, machine, boot, , started] = running.split('.')
    const ended = spawnSync(process.execPath, ['-e', '']).pid
    const named = (...words: ReadonlyArray<string | number>): string => `.${words.join('.')}.cloister-part`
    const left = [
      named(random, machine, boot, ended, started),
      // Names partial files of an earlier process with the pid of this process, and of a process before the last boot
      // of the host.
      named(random, machine, boot, process.pid, '1'),
      named(random, machine, 'f'.repeat(12), process.pid, started),
    ]
    const kept = [
      running,
      named(random, 'f'.repeat(12), boot, ended, started),
      '.0123456789abcdef.cloister-part',
      '.mine.cloister-part',
    ]
    for (const name of [...left, ...kept.slice(1)]) folder.write(name, 'x')
    const code = spawnSync(process.execPath, [bundle, 'export', 'run.ndjson', '--to', 'csv', '--out', 'jobs.csv'], {
      cwd: folder.path,
    }).status
    const parts = readdirSync(folder.path).filter((name) => name.endsWith('.cloister-part'))
    expect([code, parts.toSorted()]).toEqual([0, kept.toSorted()])
  })

  it('an output file that cannot be written gives an error with the name of the file', async () => {
    const folder = new Folder()
    await folder.log()
    const export_ = ['export', 'run.ndjson', '--to', 'swf', '--force', '--out'] as const
    if (existsSync('/dev/full'))
      expect(complaint(await folder.cloister(...export_, '/dev/full'))).toContain('/dev/full: the disk is full')
    expect(complaint(await folder.cloister(...export_, '.'))).toContain('is a folder, not a file')
    expect(complaint(await folder.cloister('trace', 'generate', 'synth:4:5', '--out', 'none/x.swf'))).toContain(
      'none/x.swf: there is no such file or folder',
    )
  })
})

it('createFile with `refuse` fails, and overwrites nothing, if the file appears before `commit`', () => {
  const folder = new Folder()
  const { create } = Effect.runSync(Effect.provide(Files, fileSystem))
  const file = create(join(folder.path, 'new'), 'refuse')
  file.write('ours')
  folder.write('new', 'theirs')
  expect(() => file.commit()).toThrow('EEXIST')
  file.discard()
  expect(text(folder, 'new')).toBe('theirs')
  expect(readdirSync(folder.path)).toEqual(['new'])
})

it('createFile commits the bytes that another program wrote to the temporary file', () => {
  const folder = new Folder()
  const { create } = Effect.runSync(Effect.provide(Files, fileSystem))
  const file = create(join(folder.path, 'table'), 'refuse')
  folder.write(file.temporary.slice(folder.path.length + 1), 'theirs')
  expect(file.commit()).toBe(6)
  expect(text(folder, 'table')).toBe('theirs')
})
