import { type Appendable, type LogHeader, LogWriter } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { parseTopology } from '@cloister/topology'
import { afterAll, describe, expect, it } from 'vitest'
import { workOf } from './work.ts'

// After the counting has begun, so that all of it is counted.
const { FollowedLog } = await import('../src/view/followed-log.ts')
const { Folder } = await import('./cloister.ts')

// What a stranger's log makes its readers do grows with its length and its machine, whatever it says. Where both grow eightfold
// the work does; where something is gone through again for each record, it grows by up to sixty-four.

const SMALL = 64
const LARGE = 8 * SMALL
const MOST_GROWTH = 10

type Fields = { readonly type: string; readonly [name: string]: unknown }

const submit = (job: string, size = 1): Fields => ({ type: 'submit', job, size, estimate: 60 })
const of = (type: string, job: string, more: object = {}): Fields => ({ type, job, ...more, cause: 1 })
const times = (n: number, records: (i: number) => ReadonlyArray<Fields>): ReadonlyArray<Fields> =>
  Array.from({ length: n }, (_, i) => records(i)).flat()

/** What a log of some length on a machine of as many nodes is full of. Job 0 is asked about. */
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
  'jobs that are killed, and one that comes back again and again': (n) => [
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
  'a node that fails and comes back, beside a job on all others': (n) => [
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
  queue: { order: 'submit', backfill: 'easy', window: 50 },
  estimates: 'exact',
  overrun: 'run-on',
  arrivals: 'zero',
  scenario: 'none',
  router: null,
  seed: 1,
  refusals: true,
  seal_every: 256,
  program: 'cloister@1.0.0',
}

/** Sealed to its end, each record at a time of its own. */
function logOf(records: ReadonlyArray<Fields>, nodes: number): Uint8Array {
  const chunks: Array<Uint8Array> = []
  const topology = parseTopology(`pgft:2;8,${nodes / 8};1,1;1,1`)
  const writer = new LogWriter(header, topology, (chunk) => chunks.push(chunk), sha256)
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
  ['replay'],
  ['rerun'],
  ['diff', 'run.ndjson'],
  ['explain', '--job', '0'],
  ['export', ...exporting('html')],
  ['export', ...exporting('html', '--from', '5', '--until', '100000')],
  ...['chrome', 'paje', 'csv', 'batsim', 'swf', 'sacct'].map((to) => ['export', ...exporting(to)] as const),
]

describe('the work for a log of', () => {
  const folder = new Folder(afterAll)

  for (const [name, records] of Object.entries(hostile))
    it(`${name} is in proportion to its length`, { timeout: 120_000 }, async () => {
      const done = new Map<string, Array<number>>()
      for (const n of [SMALL, SMALL, LARGE]) {
        folder.write('run.ndjson', logOf(records(n), n))
        for (const [command, ...words] of commands) {
          const work = await workOf(async () => {
            const { code, stderr } = await folder.cloister(command, 'run.ndjson', ...words)
            expect([0, 1], stderr).toContain(code)
          })
          note(done, [command, ...words].join(' '), work)
        }
        note(done, 'trace info', await workOf(() => takeAsTrace(folder)))
        note(done, 'view', await workOf(() => view(`${folder.path}/run.ndjson`)))
      }
      // The first time there is more to do than the log asks for.
      const growth = [...done].map(([command, [, small, large]]) => [command, large / small] as const)
      expect(growth.filter(([, times]) => !(times < MOST_GROWTH))).toEqual([])
    })
})

function note(done: Map<string, Array<number>>, command: string, work: number): void {
  done.set(command, [...(done.get(command) ?? []), work])
}

/** Takes the jobs of a log, of which hostile ones may leave none. */
async function takeAsTrace(folder: InstanceType<typeof Folder>): Promise<void> {
  const { code, stderr } = await folder.cloister('trace', 'info', 'run.ndjson')
  if (code !== 0) expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('no job') })
}

/** Reads a log as the viewer does, and asks what its page asks. */
async function view(path: string): Promise<void> {
  const log = new FollowedLog(path, () => undefined)
  try {
    // Read in pieces, in turn with other work.
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
