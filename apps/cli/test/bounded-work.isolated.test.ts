import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Appendable, type LogHeader, LogWriter } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { parseTopology } from '@cloister/topology'
import { afterAll, describe, expect, it } from 'vitest'
import { otherFields } from './forged-header.ts'
import { workOf } from './work.ts'

// Imports the commands after the begin of counting, so that the work of all modules counts.
const { FollowedLog } = await import('@cloister/viewer/server')
const { OutputLimit } = await import('../src/export/export-files.ts')
const { complaint, Folder } = await import('./cloister.ts')

// A log of a stranger may contain anything. If the log and its machine grow eightfold, the work of a command that reads
// the log may grow eightfold. Work on the whole machine for each record would grow 64-fold.

const SMALL = 64
const LARGE = 8 * SMALL
const MOST_GROWTH = 10

type Fields = { readonly type: string; readonly [name: string]: unknown }

const submit = (job: string, size = 1): Fields => ({ type: 'submit', job, size, estimate: 60 })
const of = (type: string, job: string, more: object = {}): Fields => ({ type, job, ...more, cause: 1 })
const times = (n: number, records: (i: number) => ReadonlyArray<Fields>): ReadonlyArray<Fields> =>
  Array.from({ length: n }, (_, i) => records(i)).flat()

/** Functions that return records of hostile logs, by the kind of log; `n` scales the numbers of records and nodes. */
const hostile: Readonly<Record<string, (n: number) => ReadonlyArray<Fields>>> = {
  'jobs that wait with a reservation each, are refused, and leave': (n) => [
    ...times(n, (i) => [submit(`${i}`)]),
    ...times(n, (i) => [of('reserve', `${i}`, { start: 1e6, nodes: '0' })]),
    ...times(n, (i) => [of('refuse', `${i}`, { code: 'no-placement', constraint: 'c' })]),
    ...times(n, () => [of('refuse', '0', { code: 'no-placement', constraint: 'c' })]),
    ...times(n, (i) => [{ type: 'cancel', job: `${n - 1 - i}` }]),
  ],
  'jobs that all run, on a node or on nothing': (n) => [
    ...times(n, (i) => [submit(`${i}`), submit(`n${i}`, 0)]),
    ...times(n, (i) => [of('allocate', `n${i}`, { nodes: '' }), of('allocate', `${i}`, { nodes: `${i}` })]),
    ...times(n, (i) => [of('progress', '0', { rate: i })]),
  ],
  'jobs that are killed, and a job that returns again and again': (n) => [
    submit('0'),
    submit('1'),
    of('reserve', '1', { start: 1e6, nodes: '1' }),
    ...times(n, (i) => [
      submit(`k${i}`),
      of('allocate', `k${i}`, { nodes: '0' }),
      of('kill', `k${i}`, { code: 'estimate' }),
      of('release', `k${i}`),
      of('allocate', '0', { nodes: '0', backfill: 3 }),
      of('kill', '0', { code: 'reservation' }),
      of('release', '0'),
      of('requeue', '0'),
    ]),
  ],
  'a node that fails and returns, beside a job on the rest of the machine': (n) => [
    submit('0'),
    of('allocate', '0', { nodes: `1-${n - 1}` }),
    ...times(n, () => [
      { type: 'down', nodes: '0' },
      { type: 'up', nodes: '0' },
      { type: 'gap', since: 0 },
    ]),
  ],
}

const header: LogHeader = {
  origin: 'simulated',
  workload: { name: 'w', filter: '', jobs: 1, sha256: '0'.repeat(64) },
  policy: {
    name: 'baseline',
    version: '1.0.0',
    config: {},
    claims: {
      links: 'shared',
      full_bandwidth: false,
      exact_size: true,
      monotone: true,
      complete: true,
      speedup_scenarios: false,
    },
  },
  ...otherFields,
  options: { ...otherFields.options, refusals: true },
  requires: ['progress'],
}

/** Returns the bytes of a sealed log of the given records, with each record at a different time. */
function logOf(
  records: ReadonlyArray<Fields>,
  nodes: number,
  first: LogHeader = header,
  machine = `pgft:2;8,${nodes / 8};1,1;1,1`,
): Uint8Array {
  const chunks: Array<Uint8Array> = []
  const topology = parseTopology(machine)
  const writer = new LogWriter(first, topology, (chunk) => chunks.push(chunk), sha256)
  const totals = { submitted: 0, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 }
  const all = [...records, { type: 'end', ...totals }]
  all.forEach((record, t) => writer.append({ seq: 0, t, ...record } as unknown as Appendable))
  return Buffer.concat(chunks)
}

const exporting = (to: string, ...words: ReadonlyArray<string>) => [
  '--to',
  to,
  '--out',
  `out-${to}`,
  '--force',
  ...words,
]
const commands: ReadonlyArray<readonly [command: string, ...words: ReadonlyArray<string>]> = [
  ['audit'],
  ['metrics'],
  ['state'],
  ['rerun'],
  ['diff', 'run.ndjson'],
  ['explain', '--job', '0'],
  ['export', ...exporting('html')],
  ['export', ...exporting('html', '--from', '5', '--until', '100000')],
  ...['chrome', 'paje', 'csv', 'batsim', 'swf', 'sacct'].map((to) => ['export', ...exporting(to)] as const),
]

describe('the work of commands on hostile logs', () => {
  const folder = new Folder(afterAll)

  for (const [name, records] of Object.entries(hostile))
    it(`the work of every command on a log of ${name} is proportional to the length of the log`, async () => {
      const done = new Map<string, Array<number>>()
      for (const n of [SMALL, SMALL, LARGE]) {
        folder.write('run.ndjson', logOf(records(n), n))
        for (const [command, ...words] of commands) {
          const work = await workOf(async () => {
            const { code, stderr } = await folder.cloister(command, 'run.ndjson', ...words)
            expect([0, 1], `${command}: ${stderr}`).toContain(code)
          })
          note(done, [command, ...words].join(' '), work)
        }
        note(done, 'trace info', await workOf(() => takeAsTrace(folder)))
        note(done, 'view', await workOf(() => view(`${folder.path}/run.ndjson`)))
      }
      // The first of three runs is not compared, because the first use of the code does extra work.
      const growth = [...done].map(([command, [, small, large]]) => [command, large / small] as const)
      expect(growth.filter(([, times]) => !(times < MOST_GROWTH))).toEqual([])
    })
})

function note(done: Map<string, Array<number>>, command: string, work: number): void {
  done.set(command, [...(done.get(command) ?? []), work])
}

/** Accepts the error of a hostile log without jobs. */
async function takeAsTrace(folder: InstanceType<typeof Folder>): Promise<void> {
  const { code, stderr } = await folder.cloister('trace', 'info', 'run.ndjson')
  if (code !== 0) expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('no job') })
}

async function view(path: string): Promise<void> {
  const log = new FollowedLog(path, () => undefined)
  try {
    // The viewer reads the log in pieces, and answers questions between two pieces.
    for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
    log.answer('overview', {})
    log.answer('growth', { jobs: 0, spans: 0 })
    log.answer('timeline', { from: 0, to: 1e6, points: 100 })
    log.answer('metrics', {})
    log.answer('job', { job: '0' })
    for (const seq of [1, 100, 1e9]) {
      log.answer('moment', { seq })
      log.answer('why', { seq })
      log.answer('record', { seq })
    }
  } finally {
    log.close()
  }
}

describe('a limit for work on hostile logs', () => {
  const folder = new Folder(afterAll)
  // Every second node is allocated, so that the policy searches the whole machine in vain for each job.
  const asking = logOf(
    [
      submit('0', 8),
      of('allocate', '0', { nodes: '0,2,4,6,8,10,12,14' }),
      ...times(20, (i) => [submit(`${i + 1}`, 8)]),
      ...times(20, (i) => [of('refuse', `${i + 1}`, { code: 'no-placement', constraint: 'c' })]),
    ],
    SMALL,
  )
  folder.write('run.ndjson', asking)

  it.each(['html', 'paje', 'chrome', 'csv', 'parquet', 'arrow', 'batsim', 'swf', 'sacct', 'opensm'])(
    'export --to %s stops its output at --max-bytes',
    async (to) => {
      const answer = await folder.cloister(
        'export',
        'run.ndjson',
        '--to',
        to,
        '--out',
        `far.${to}`,
        '--max-bytes',
        '99',
      )
      expect(complaint(answer)).toMatch(/larger than 99 bytes, the limit .*; --max-bytes N sets another limit/)
      expect(existsSync(join(folder.path, `far.${to}`))).toBe(false)
      const { code, stderr } = await folder.cloister('export', 'run.ndjson', '--to', to, '--out', `near.${to}`)
      expect(code, stderr).toBe(0)
    },
  )

  it('OutputLimit allows 256 MiB plus 16 KiB for each record of the log, or the value of --max-bytes', () => {
    const writtenOf = (records: number, given?: number): number => {
      const limit = new OutputLimit('out', given, undefined, records)
      let pieces = 0
      try {
        for (const _ of limit.within(endless)) pieces++
      } catch (error) {
        expect(error).toMatchObject({
          _tag: 'Problem',
          message: expect.stringContaining(records === 0 ? 'before the first record' : `up to record ${records - 1};`),
        })
      }
      return pieces
    }
    expect([writtenOf(0), writtenOf(10_000), writtenOf(10_000, 2 ** 21)]).toEqual([256, 412, 2])
  })

  it('--max-questions stops the requests of rerun and audit --rerun to a policy', async () => {
    const log = await folder.log('simulated.ndjson')
    const message = /more than 9 requests to the policy, the limit .*; --max-questions N sets another limit/
    for (const [command, ...options] of [['rerun', '--policy', 'contiguous'], ['rerun'], ['audit', '--rerun']]) {
      const words = [command, log, ...options]
      expect(complaint(await folder.cloister(...words, '--max-questions', '9')), words.join(' ')).toMatch(message)
      expect([0, 1]).toContain((await folder.cloister(...words)).code)
    }
  })

  it('rerun and audit --rerun refuse a log with jobs that have too many pairs of ranks', async () => {
    const nodes = 2 ** 18
    const communication = { pattern: 'all-to-all', share: 500 }
    const records = [
      { ...submit('0', nodes), communication },
      of('allocate', '0', { nodes: `0-${nodes - 1}` }),
      of('finish', '0'),
      of('release', '0'),
    ]
    const first = { ...header, options: { ...header.options, runTimes: 'communication' as const } }
    folder.write('all-to-all.ndjson', logOf(records, nodes, first))
    for (const words of [['rerun'], ['rerun', '--policy', 'adaptive'], ['audit', '--rerun']])
      expect(complaint(await folder.cloister(words[0], 'all-to-all.ndjson', ...words.slice(1)))).toContain(
        'more than 0 requests to the policy',
      )
  })

  it('state --routes and export --to opensm refuse a log whose jobs need more routes than any fabric has', async () => {
    const nodes = 50_000
    const all = `0-${nodes - 1}`
    const claims = { ...header.policy.claims, links: 'owned' } as const
    const policy = { ...header.policy, name: 'jigsaw', claims }
    const records = [submit('0', nodes), of('allocate', '0', { nodes: all, links: [all] })]
    folder.write('routes.ndjson', logOf(records, nodes, { ...header, policy }, `pgft:2;1,${nodes};1,1;1,1`))
    for (const words of [
      ['state', 'routes.ndjson', '--routes'],
      ['export', 'routes.ndjson', '--to', 'opensm', '--out', 'fabric'],
    ])
      expect(complaint(await folder.cloister(...words))).toContain(
        'the routes of job 0 have 2500050000 entries, 1954790480 more than allowed for this number of jobs of a log',
      )
  })
})

/** Endless sequence of equal chunks of 1 MiB. */
const endless: Iterable<string> = {
  *[Symbol.iterator]() {
    for (const piece = 'x'.repeat(2 ** 20); ;) yield piece
  },
}
