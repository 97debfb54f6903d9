import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { type LogHeader, LogWriter } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { parseTopology } from '@cloister/topology'
import { describe, expect, it } from 'vitest'
import { type Answer, Folder, bundle, complaint, inTurn } from './cloister.ts'
import { otherFields } from './forged-header.ts'

// Commands that may take much memory run as separate processes, so that the memory of the tests does not count. All
// other commands run in this process.

/** Limits of a command's time and memory: far more than a bounded reader needs, far less than an unbounded reader. */
const seconds = 30
const megabytes = 800

interface Bounded extends Answer {
  readonly peakMegabytes: number
}

/** Runs a command as a process that must end within the limits of time and memory (heap and buffers together). */
function bounded(folder: Folder, ...args: ReadonlyArray<string>): Bounded {
  const tellMemory =
    'data:text/javascript,process.on("exit",()=>process.stderr.write(`\\npeak ${process.resourceUsage().maxRSS}`))'
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    [`--max-old-space-size=${megabytes}`, '--import', tellMemory, bundle, ...args],
    {
      cwd: folder.path,
      encoding: 'utf8',
      timeout: seconds * 1000,
      maxBuffer: 1e9,
      env: { PATH: process.env['PATH'] ?? '' },
    },
  )
  const peak = /\npeak (\d+)$/.exec(stderr)
  expect({ args, signal, ended: peak !== null }).toEqual({ args, signal: null, ended: true })
  const peakMegabytes = Number(peak![1]) / 1024
  expect(peakMegabytes).toBeLessThan(megabytes)
  return { code: status, stdout, stderr: stderr.slice(0, peak!.index), peakMegabytes }
}

const claims = {
  links: 'owned',
  rule: 'jigsaw-conditions',
  full_bandwidth: true,
  exact_size: true,
  monotone: true,
  complete: true,
  speedup_scenarios: true,
}
const header = {
  seq: 0,
  type: 'header',
  format: 'cloister-log',
  version: 3,
  revision: 0,
  origin: 'simulated',
  topology: { name: 'radix:4', pgft: { m: [2, 2, 4], w: [1, 2, 2], p: [1, 1, 1] } } as object,
  workload: { name: 'w', filter: '', jobs: 3, sha256: '0'.repeat(64) },
  policy: { name: 'jigsaw', version: '1.0.0', config: {}, claims },
  ...otherFields,
}
type Line = string | Record<string, unknown>

/** Returns a log without seals, as a stranger may write it. */
function log(first: object, ...records: ReadonlyArray<Line>): string {
  const lines = [
    first,
    ...records.map((record, i) => (typeof record === 'string' ? record : { seq: i + 1, t: 0, ...record })),
  ]
  return lines
    .map(
      (line) =>
        `${typeof line === 'string' ? line : JSON.stringify(line).replaceAll(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`,
    )
    .join('')
}

/** Returns commands that read a whole log. Only the first `WAYS_TO_READ` commands read the log by different code. */
const readers = (log: string): ReadonlyArray<ReadonlyArray<string>> => [
  ['metrics', log],
  ['state', log],
  ['trace', 'info', log],
  ['diff', log, log],
  ['explain', log, '--job', '1'],
  ['rerun', log],
  ['rerun', log, '--policy', 'contiguous'],
  ['export', log, '--to', 'opensm', '--out', 'out'],
  ...['html', 'chrome', 'paje', 'csv', 'batsim', 'swf', 'sacct'].map((to) => [
    'export',
    log,
    '--to',
    to,
    '--out',
    'out',
  ]),
  ['simulate', '--trace', log, '--topology', 'radix:4', '--policy', 'jigsaw', '--out', 'again.ndjson'],
]
const WAYS_TO_READ = 3
/** Length of the longest log that every command reads. Only the first `WAYS_TO_READ` commands read longer logs. */
const MUCH = 1e6

/** Expects that each command refuses the log with the same message, and writes no output file. */
async function refusedByAll(folder: Folder, log: string, text: string, message: string): Promise<void> {
  const isMuch = text.length > MUCH || text.includes('"name":"large"')
  for (const args of readers(log).slice(0, isMuch ? WAYS_TO_READ : undefined)) {
    const answer = await folder.cloister(...args)
    expect({ args, says: complaint(answer).slice(0, 300) }).toEqual({ args, says: expect.stringContaining(message) })
    expect(answer.stderr.length + answer.stdout.length).toBeLessThan(5000)
  }
  expect(readdirSync(folder.path)).toEqual([log])
}

const submit = (job: string, more = {}): Line => ({ type: 'submit', job, size: 4, estimate: 60, ...more })
const allocate = (job: string, parts: object): Line => ({ type: 'allocate', job, ...parts, cause: 1 })
const machine = (m: ReadonlyArray<number>, ones = m.map(() => 1)) => ({ name: 'large', pgft: { m, w: ones, p: ones } })
const largest = machine([2 ** 22])
const nested = (count: number, open = '[', close = ']') => open.repeat(count) + close.repeat(count)

describe('a log from a stranger', () => {
  it.each<[string, () => string, string]>([
    [
      'a range of ids beyond the limit',
      () => log(header, submit('1'), allocate('1', { nodes: '0-4294967295' })),
      'line 3: wrong idset in "nodes": "0-4294967295": id at character 2 is not below 4194304',
    ],
    [
      'links of a million levels',
      () => log(header, submit('1'), allocate('1', { nodes: '0', links: Array(1e6).fill('0-4194303') })),
      'line 3: more than 4194304 nodes and links in one record',
    ],
    [
      'jobs that each hold the whole machine',
      () =>
        log(
          { ...header, topology: largest },
          ...Array.from({ length: 100 }, (_, i) => submit(`${i}`)),
          ...Array.from({ length: 50 }, (_, i) => allocate(`${i}`, { nodes: '0-4194303' })),
        ),
      'jobs hold more than 33554432 nodes and links together',
    ],
    [
      'few records that each name all nodes',
      () =>
        log(
          { ...header, topology: largest },
          ...Array.from({ length: 50 }, (_, i) => allocate(`${i}`, { nodes: '0-4194303' })),
        ),
      'the first 9 records name 37748736 nodes and links; a log of this length may name 34144256',
    ],
    [
      'a tree of 2^44 nodes',
      () => log({ ...header, topology: machine([2 ** 22, 2 ** 22]) }),
      'too large: 17592186044416 nodes, at most 4194304',
    ],
    [
      'more links than can be logged',
      () => log({ ...header, topology: machine([2 ** 21, 2]) }).replace('"w":[1,1]', '"w":[1,2000000]'),
      'the machine has 8194304 nodes and links; a log can hold at most 4194304',
    ],
    [
      'a graph of ten thousand leaves',
      () =>
        log({
          ...header,
          topology: {
            name: 'x',
            graph: { leaves: Array(1e4).fill(1), parents: [Array.from({ length: 1e4 }, (_, i) => [i % 1000])] },
          },
        }),
      'impossible "topology"',
    ],
    [
      'a graph of a leaf of 2^40 nodes',
      () => log({ ...header, topology: { name: 'x', graph: { leaves: [2 ** 40], parents: [] } } }),
      'too large: at most 4194304 nodes',
    ],
    [
      'JSON five million deep',
      () =>
        log(
          JSON.stringify(header)
            .slice(0, -1)
            .concat(`,"x":{"a":${nested(5e6)}}}`) as unknown as object,
        ),
      'nested at most 64 deep',
    ],
    [
      'a number five million deep',
      () =>
        log(header, `{"seq":1,"t":0,"type":"submit","job":"1","size":${nested(5e6, '{"a":', '}').replace('}', '1}')}}`),
      'nested at most 64 deep',
    ],
    [
      'a line that does not end',
      () => log(header, `{"seq":1,"t":0,"type":"submit","job":"${'x'.repeat(7e7)}`).trimEnd(),
      'more than 67108864 bytes since the last seal',
    ],
    [
      'more names of nodes than nodes',
      () => log({ ...header, names: 'n[1-999999999]' }),
      'makes more names than the 16 still allowed',
    ],
    [
      'names of nodes that are too long together',
      () => log({ ...header, topology: largest, names: `n[1-4194304]${'x[1]'.repeat(1e5)}` }),
      'names of more than 16777216 characters together',
    ],
    ['line feeds and nothing else', () => log(header, '\n'.repeat(200_000)), 'line 2: not JSON'],
  ])('a log from a stranger with %s is refused in time', async (_, content, message) => {
    const folder = new Folder()
    const text = content()
    folder.write('run.ndjson', text)
    const answer = bounded(folder, 'audit', 'run.ndjson')
    expect(answer.code).toBe(2)
    expect(answer.stdout + answer.stderr).toContain(message)
    expect(answer.stderr.length + answer.stdout.length).toBeLessThan(5000)
    await refusedByAll(folder, 'run.ndjson', text, message)
  })

  it.each<[string, () => Uint8Array, string]>([
    ['', () => zstdBomb(2 ** 33), 'this is no Cloister log'],
    [
      ' behind a header',
      () => Buffer.concat([zstdCompressSync(log(header)), zstdBomb(2 ** 33)]),
      'more than 67108864 bytes since the last seal',
    ],
  ])('a log from a stranger in a zstd bomb%s is refused in time', (_, content, message) => {
    const folder = new Folder()
    folder.write('run.ndjson.zst', content())
    for (const command of ['metrics', 'audit']) {
      const answer = bounded(folder, command, 'run.ndjson.zst')
      expect(answer.code).toBe(2)
      expect(answer.stdout + answer.stderr).toContain(message)
    }
  })

  it('a log that names all nodes of the largest machine again and again is read in time in proportion to its length', () => {
    const folder = new Folder()
    const bytes = logOfWholeMachine(7)
    expect(bytes.length).toBeLessThan(2000)
    folder.write('run.ndjson.zst', bytes)
    for (const command of ['audit', 'metrics'])
      expect([0, 1]).toContain(bounded(folder, command, 'run.ndjson.zst').code)
  })

  it('a log of the largest machine is read with memory for some bits a node', () => {
    const folder = new Folder()
    folder.write('run.ndjson.zst', logOfWholeMachine(1))
    expect(bounded(folder, 'state', 'run.ndjson.zst')).toMatchObject({ code: 0, stderr: '' })
  })

  it.each<[string, () => string]>([
    [
      'absurd numbers of jobs and nodes',
      () =>
        log(
          {
            ...header,
            workload: { ...header.workload, jobs: Number.MAX_SAFE_INTEGER },
            options: { ...header.options, queue: 'easy:999999999' },
          },
          submit('1', { size: Number.MAX_SAFE_INTEGER, estimate: 1e12 }),
          submit('2', { t: 1e12 }),
        ),
    ],
    ['an id of twenty million characters', () => log(header, submit('x'.repeat(2e7)))],
    [
      'job ids and fields with names of JavaScript',
      () =>
        log(
          { ...header, x: JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') },
          ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((job) => submit(job)),
        ),
    ],
    ['the largest machine', () => log({ ...header, topology: largest }, submit('1'))],
  ])('a log from a stranger with %s is read like any other log', async (_, content) => {
    const folder = new Folder()
    folder.write('run.ndjson', content())
    expect([1, 3]).toContain(bounded(folder, 'audit', 'run.ndjson').code)
    for (const command of ['metrics', 'state'])
      expect({ command, code: (await folder.cloister(command, 'run.ndjson')).code }).toEqual({ command, code: 3 })
  })

  it('a log from a stranger never makes a command run other code than built-in policies', async () => {
    const folder = new Folder()
    folder.write('evil.mjs', 'import { writeFileSync } from "node:fs"\nwriteFileSync("ran", "")\nexport default {}\n')
    for (const name of ['./evil.mjs', `file://${folder.path}/evil.mjs`, `${folder.path}/evil.mjs`]) {
      folder.write('run.ndjson', log({ ...header, policy: { ...header.policy, name } }, submit('1')))
      for (const command of ['metrics', 'audit', 'state'])
        expect((await folder.cloister(command, 'run.ndjson')).code).toBe(3)
      for (const command of [
        ['rerun', 'run.ndjson'],
        ['explain', 'run.ndjson', '--job', '1'],
      ])
        expect(complaint(await folder.cloister(...command))).toContain(
          'the name in a log never loads other code; --policy names the policy as a file or a package',
        )
    }
    expect(existsSync(`${folder.path}/ran`)).toBe(false)
  })

  it('control characters in texts of a log cannot move the cursor or add lines, because they are shown escaped', async () => {
    const folder = new Folder()
    const job = 'a\u001b[2J\nwhole: all is well\u009b\u202e\u0007\r'
    const workload = { ...header.workload, name: 'w\u001b]0;title\u0007' }
    folder.write(
      'run.ndjson',
      log(
        { ...header, workload },
        submit(job),
        allocate(job, { nodes: '0-3', links: ['0-3'] }),
        submit('b\u001b[31m'),
        allocate('b\u001b[31m', { nodes: '0-3', links: ['0-3'] }),
      ),
    )
    folder.write('waiting.ndjson', log({ ...header, workload }, submit(job), { type: 'cancel', job: 'zz\u001b[1m' }))
    const commands = ['metrics', 'audit', 'state', 'rerun'].flatMap((command) =>
      ['run.ndjson', 'waiting.ndjson'].flatMap((name) => [
        [command, name],
        [command, name, '--json'],
      ]),
    )
    const answers = await inTurn(commands, (words) => folder.cloister(...words))
    for (const { stdout, stderr } of answers) {
      // oxlint-disable-next-line no-control-regex
      expect(stdout + stderr).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/)
      expect(stdout + stderr).not.toMatch(/^whole: all is well/m)
    }
    expect(answers.map(({ stdout, stderr }) => stdout + stderr).join('')).toContain('a\\u001b[2J')
  })
})

describe('a trace from a stranger', () => {
  const job = (fields: string): string => `1 0 -1 10 -1 -1 -1 4 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 ${fields}`.trim()

  it.each<[string, () => string | Uint8Array, string]>([
    [
      'a number of a hundred thousand digits',
      () => job('').replace(' 10 ', ` ${'9'.repeat(1e5)} `),
      'field runTime: found "9999',
    ],
    [
      'a time beyond all logs',
      () => job('').replace(' 10 ', ' 1000000000001 '),
      'field runTime: found "1000000000001", expected a number of at most 1000000000000',
    ],
    ['a line that does not end', () => `; ${'x'.repeat(5e7)}`, 'bytes, expected a line of at most 1048576'],
    ['a hundred thousand fields', () => job('1 '.repeat(1e5)), '100018 fields'],
    ['line feeds and nothing else', () => '\n'.repeat(2e7), 'found no job, expected a line of 18 numbers'],
    [
      'a gzip bomb',
      () => Buffer.concat(Array<Buffer>(20).fill(gzipSync(Buffer.alloc(2 ** 26)))),
      'more than 1073741824 bytes',
    ],
    ['a zstd bomb', () => zstdBomb(2 ** 33), 'more than 262150000 bytes'],
    [
      'a bomb of many frames',
      () => Buffer.concat(Array<Buffer>(20).fill(zstdBomb(2 ** 26))),
      'more than 67108864 bytes',
    ],
    ['a table of a million columns', () => `JobID,${'x,'.repeat(4e5)}\n`, 'no column NNodes'],
    [
      'a table that is all line feeds',
      () => `JobID,NNodes,State,Submit,Elapsed\n${'\n'.repeat(1e7)}`,
      'lines, expected at most 4194304',
    ],
  ])('a trace from a stranger with %s is refused in time', async (_, content, message) => {
    const folder = new Folder()
    folder.write('jobs.swf', content())
    const bomb = message.startsWith('more than')
    const answer = bomb ? folder.process('trace', 'info', 'jobs.swf') : bounded(folder, 'trace', 'info', 'jobs.swf')
    expect(complaint(answer)).toContain(message)
    expect(answer.stderr.length).toBeLessThan(2000)
    if (bomb) return
    const convert = ['trace', 'convert', 'jobs.swf', '--out', 'out']
    const simulate = ['simulate', '--trace', 'jobs.swf', '--topology', 'radix:4', '--policy', 'jigsaw', '--out', 'out']
    const isMuch = content().length > MUCH
    for (const args of isMuch ? [convert] : [convert, simulate])
      expect({ args, says: complaint(await folder.cloister(...args)).slice(0, 1000) }).toEqual({
        args,
        says: expect.stringContaining(message),
      })
    expect(existsSync(`${folder.path}/out`)).toBe(false)
    if (isMuch) return
    // Expects exit code 2 also from sweep, because no run of the experiment has a result.
    const swept = await folder.cloister('sweep', folder.write('e.json', cell({ trace: 'jobs.swf' })))
    expect({ code: swept.code, stderr: swept.stderr.slice(0, 1000) }).toEqual({
      code: 2,
      stderr: expect.stringContaining(message),
    })
  })

  it.each<[string, () => string, string]>([
    ['ends no line', () => `JobID|${'x'.repeat(2e6)}`, 'expected a line of at most 1048576'],
    ['has a million columns', () => `JobID|${'x|'.repeat(4e5)}\n`, 'no column'],
    ['is all line feeds', () => `JobID|NNodes|State|Submit|Elapsed\n${'\n'.repeat(1e5)}`, 'found no run'],
    ['is nested without end', () => `{"jobs":${nested(1e5)}}`, 'nested at most 64 deep'],
  ])('the accounting of a cluster from a stranger is refused if it %s', async (_, content, message) => {
    const folder = new Folder()
    folder.write('jobs.psv', content())
    const machine = ['--topology', 'radix:4', '--out', 'real.ndjson']
    expect(
      complaint(await folder.cloister('import', 'slurm', '--jobs', 'jobs.psv', ...machine)).slice(0, 1000),
    ).toContain(message)
    expect(readdirSync(folder.path)).toEqual(['jobs.psv'])
  })

  it('a trace that never ends is refused in time', () => {
    expect(complaint(new Folder().process('trace', 'info', '/dev/zero'))).toContain(
      '/dev/zero: found more than 1073741824 bytes',
    )
  })

  it('a trace with absurd sizes and times is simulated like any other trace', () => {
    const folder = new Folder()
    folder.write(
      'jobs.swf',
      `1 0 -1 100000000000 -1 -1 -1 4 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n3 0 -1 9 -1 -1 -1 1000000000000 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n2 100000000000 -1 10 -1 -1 -1 4 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n`,
    )
    const answer = bounded(
      folder,
      'simulate',
      '--trace',
      'jobs.swf',
      '--topology',
      'radix:4',
      '--policy',
      'jigsaw',
      '--out',
      'run.ndjson',
    )
    expect(answer.code, answer.stderr).toBe(0)
    expect(bounded(folder, 'audit', 'run.ndjson').code).toBe(0)
  })
})

/** Returns a zstd frame of many blanks, in blocks that repeat one byte: 128 KiB in four bytes (RFC 8878, 3.1.1.2). */
function zstdBomb(length: number): Buffer {
  const blockSize = 2 ** 17
  const blocks = length / blockSize
  const frame = Buffer.alloc(6 + 4 * blocks)
  frame.writeUInt32LE(0xfd2fb528, 0)
  frame[5] = 0x38
  for (let i = 0; i < blocks; i++) {
    frame.writeUIntLE((i === blocks - 1 ? 1 : 0) | (1 << 1) | (blockSize << 3), 6 + 4 * i, 3)
    frame[6 + 4 * i + 3] = 32
  }
  return frame
}

describe('an input file from a stranger', () => {
  const machine = ['--trace', 'synth:4:20', '--topology', 'radix:4', '--policy', 'baseline'] as const

  it.each<[string, (folder: Folder) => ReadonlyArray<string>]>([
    ['an experiment', () => ['sweep', '/dev/zero']],
    ['outages', () => ['simulate', ...machine, '--outages', '/dev/zero']],
    ['a switch graph', () => ['topology', 'show', 'slurm:/dev/zero']],
    ['node names', () => ['topology', 'show', 'cab@/dev/zero']],
    [
      'a switch graph of an experiment',
      (folder) => ['sweep', folder.write('e.json', cell({ topology: 'slurm:/dev/zero' }))],
    ],
  ])('an endless input file of a command is refused in time: %s', (_, args) => {
    const folder = new Folder()
    expect(complaint(bounded(folder, ...args(folder)))).toContain('/dev/zero: is longer than 67108864 bytes')
  })

  it.each<[string, string, (file: string) => ReadonlyArray<string>]>([
    ['an experiment', `{"cells":${nested(1e6)}}`, (file) => ['sweep', file]],
    [
      'a config',
      cell({ config: 'C' }).replace('"C"', `${nested(1e5, '{"a":', '')}1${'}'.repeat(1e5)}`),
      (file) => ['sweep', file],
    ],
    ['outages', nested(1e6), (file) => ['simulate', ...machine, '--outages', file]],
  ])('an input file with deep nesting is refused: %s', (_, text, args) => {
    const folder = new Folder()
    expect(complaint(bounded(folder, ...args(folder.write('nested.json', text))))).toContain('nested at most 64 deep')
  })

  it('an experiment from a stranger with a URL as policy runs no code', () => {
    const folder = new Folder()
    folder.write('package.json', '{"name":"here"}')
    const policy = 'data:text/javascript,console.log("it runs")'
    const { code, stdout, stderr } = bounded(folder, 'sweep', folder.write('e.json', cell({ policy })))
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('e.json: cells[0].policy: found "data:text/javascript')
  })
})

/** Returns the text of an experiment with a single cell. */
function cell(other: object): string {
  return JSON.stringify({ cells: [{ trace: 'synth:4:20', topology: 'radix:4', policy: 'baseline', ...other }] })
}

/** Returns a sealed, compressed log of jobs one after another, each on all nodes of the largest machine. */
function logOfWholeMachine(times: number): Uint8Array {
  const nodes = 2 ** 22
  const all = { nodes: Int32Array.from(Array(nodes).keys()), links: [] }
  const chunks: Array<Uint8Array> = []
  const {
    seq: _seq,
    type: _type,
    format: _format,
    version: _version,
    revision: _revision,
    topology: _,
    ...rest
  } = header
  const { rule: _rule, ...others } = claims
  const policy = { ...header.policy, claims: { ...others, links: 'shared', full_bandwidth: false } }
  const writer = new LogWriter(
    { ...rest, policy, workload: { ...header.workload, jobs: times } } as unknown as LogHeader,
    parseTopology(`pgft:1;${nodes};1;1`),
    (chunk) => chunks.push(chunk),
    sha256,
  )
  for (let i = 1; i <= times; i++) {
    writer.record({ type: 'submit', t: 0, job: String(i), size: nodes, estimate: 0 })
    const started = writer.record({ type: 'allocate', t: 0, job: String(i), ...all, cause: 1 })
    writer.record({
      type: 'release',
      t: 0,
      job: String(i),
      cause: writer.record({ type: 'finish', t: 0, job: String(i), cause: started }),
    })
  }
  writer.record({
    type: 'end',
    t: 0,
    submitted: times,
    started: times,
    finished: times,
    rejected: 0,
    killed: 0,
    cancelled: 0,
  })
  return zstdCompressSync(Buffer.concat(chunks), { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
}
