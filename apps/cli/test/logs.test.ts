import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { extractWindow, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { metricList, type Metrics, MetricsFold } from '@cloister/metrics'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Folder, complaint, namesIn, small } from './cloister.ts'

/** Folder with a log without a fault, and methods that write copies with one fault each. */
class Logs extends Folder {
  readonly good = 'run.ndjson'
  lines: ReadonlyArray<string> = []

  async simulate(): Promise<void> {
    await this.log(this.good)
    this.lines = readFileSync(join(this.path, this.good), 'utf8').split('\n').slice(0, -1)
  }

  /** Writes a copy of the log whose last line is cut off in the middle. */
  torn(): string {
    return this.write('torn.ndjson', this.lines.join('\n').slice(0, -20))
  }
  /** Writes a copy of the log that ends with whole lines after the last seal. */
  unsealed(): string {
    return this.write('unsealed.ndjson', `${this.lines.slice(0, 600).join('\n')}\n`)
  }
  /** Writes a copy of the log in which the nodes of one record are changed. */
  corrupt(): string {
    return this.write(
      'corrupt.ndjson',
      `${this.lines.join('\n').replace(/("type":"allocate".*?"nodes":")\d/, '$17')}\n`,
    )
  }
}

const logs = new Logs(afterAll)
beforeAll(() => logs.simulate())

describe('metrics', () => {
  it('metrics --json prints every metric under the name of the metric', async () => {
    const printed = (await logs.json('metrics', logs.good)) as Metrics
    for (const metric of metricList) expect(metric.of(printed), metric.name).toBeDefined()
  })

  it('metrics --worst lists the ten jobs with the highest values of a field, among the jobs of --where', async () => {
    const worst = ['metrics', logs.good, '--worst', 'spread', '--where', 'size>3'] as const
    const { worst: listed } = (await logs.json(...worst)) as { worst: { jobs: Array<Record<string, number>> } }
    const { jobs } = listed
    const spreads = jobs.map(({ spread }) => spread)
    expect(spreads).toEqual(spreads.toSorted((a, b) => b - a))
    expect(jobs.every(({ size, leaves, extraleaves }) => size > 3 && leaves - extraleaves === Math.ceil(size / 3))).toBe(true) // oxfmt-ignore
    const rows = (await logs.cloister(...worst)).stdout.split('worst spread in run.ndjson')[1].trimEnd().split('\n')
    expect(rows.slice(2).map((row) => row.trim().split(/ +/)[0])).toEqual(jobs.map(({ job }) => String(job)))
    expect([jobs.length, rows[0].trim().split(/ +/)]).toEqual([
      10,
      ['spread', 'size', 'start', 'leaves', 'extraleaves', 'pods', 'hops'],
    ])
  })

  it('metrics prints several runs side by side', async () => {
    const both = [logs.good, await logs.log('baseline.ndjson.zst', 'baseline')]
    expect((await logs.cloister('metrics', ...both)).stdout).toMatch(
      /^ +run.ndjson +baseline.ndjson.zst\n[^]*^policy +jigsaw@\S+ +baseline@/m,
    )
    expect(await logs.json('metrics', ...both)).toMatchObject([
      { policy: expect.stringContaining('jigsaw') },
      { policy: expect.stringContaining('baseline') },
    ])
  })

  it('metrics shows the assumptions of runs, and the differences between runs', async () => {
    const one = await logs.cloister('metrics', logs.good)
    expect(one.stdout).toMatch(/^topology +radix:6, 54 nodes\n[^]*^queue +easy:50\nestimates +exact\n/m)
    expect(one.stderr).toBe('')
    const other = ['--trace', 'synth:4:200', '--topology', 'radix:6', '--policy', 'jigsaw'] as const
    await logs.cloister('simulate', ...other, '--queue', 'fcfs', '--estimates', 'requested', '--out', 'other.ndjson')
    const both = await logs.cloister('metrics', logs.good, 'other.ndjson')
    expect(both.stdout).toMatch(/^estimates +exact +requested\n/m)
    expect(both.stderr).toContain(
      'the compared runs differ in more than the policy, and the figures may differ for this reason: workload: synth:4:300, 300 jobs | synth:4:200, 200 jobs; queue: easy:50 | fcfs; estimates: exact | requested; overrun: none | ',
    )
    expect(await logs.json('metrics', logs.good)).toMatchObject({ assumptions: { queue: 'easy:50', overrun: null } })
  })

  it('metrics shows that two runs differ in the seed alone', async () => {
    const drawn = ['--trace', 'synth:4:50', '--topology', 'radix:6', '--policy', 'jigsaw', '--scenario', 'v1'] as const
    for (const seed of ['1', '2']) await logs.cloister('simulate', ...drawn, '--seed', seed, '--out', `${seed}.ndjson`)
    const { stderr } = await logs.cloister('metrics', '1.ndjson', '2.ndjson')
    expect(stderr).toContain('for this reason: other options: none | seed 2')
  })

  it.each([
    [['--window-order', 'largest'], 'easy:50, window-order largest'],
    [['--replan'], 'easy:50, replan'],
    [['--move-min-nodes', '3'], 'easy:50, move-min-nodes 3'],
    [['--reservation', 'fixed'], 'easy:50, reservation fixed'],
    [['--queue', 'conservative:50', '--reservation', 'fixed'], 'conservative:50, reservation fixed'],
  ])('metrics distinguishes a queue with the options %j from other queues', async (options, queue) => {
    const folder = new Folder()
    const run = ['simulate', ...small, '--policy', 'jigsaw', ...options, '--out', 'run.ndjson'] as const
    expect(await folder.json(...run)).toMatchObject({ assumptions: { queue } })
    expect(await folder.json('metrics', 'run.ndjson')).toMatchObject({ assumptions: { queue } })
  })

  it('metrics measures an incomplete log up to the last record, prints a remark, and exits with 3', async () => {
    const torn = await logs.cloister('metrics', logs.torn(), '--json')
    expect(torn.code).toBe(3)
    expect(JSON.parse(torn.stdout)).toMatchObject({ jobs: { submitted: 300 } })
    expect(torn.stderr).toContain('torn.ndjson: torn: line')
    const unsealed = await logs.cloister('metrics', logs.unsealed())
    expect(unsealed.code).toBe(3)
    expect(unsealed.stdout).toContain('jobs submitted')
    expect(unsealed.stderr).toContain('unsealed.ndjson: not finished')
  })

  it('metrics refuses a file that is no log, and a changed log, and prints the place of the problem', async () => {
    expect(complaint(await logs.cloister('metrics', logs.corrupt()))).toMatch(
      /corrupt\.ndjson: corrupt at byte \d+, line \d+/,
    )
    expect(complaint(await logs.cloister('metrics', logs.write('notes.txt', 'hello\n')))).toContain(
      'notes.txt: corrupt at byte 0, line 1: this is no Cloister log',
    )
    expect(complaint(await logs.cloister('metrics', logs.write('empty.ndjson', '')))).toContain('the log is empty')
    expect(complaint(await logs.cloister('metrics', 'none.ndjson'))).toContain(
      'cannot read none.ndjson: there is no such file',
    )
  })
})

interface Listed extends Record<'t' | 'size' | 'submitted' | 'estimate' | 'started' | 'expectedEnd', number> {
  readonly job: string
  readonly nodes: string
}

describe('state', () => {
  it('state --json prints JSON with stable names', async () => {
    expect(namesIn(await logs.json('state', logs.good, '--at', '1000'))).toMatchInlineSnapshot(`
      {
        "down": "string",
        "downLinks": [],
        "free": "number",
        "pods": [
          {
            "down": "number",
            "free": "number",
            "nodes": "number",
            "pod": "number",
          },
        ],
        "policy": "string",
        "reservations": [
          {
            "job": "string",
            "nodes": "string",
            "seq": "number",
            "start": "number",
          },
        ],
        "running": [
          {
            "expectedEnd": "number",
            "job": "string",
            "nodes": "string",
            "seq": "number",
            "size": "number",
            "started": "number",
          },
        ],
        "seq": "number",
        "t": "number",
        "topology": "string",
        "waiting": [
          {
            "estimate": "number",
            "job": "string",
            "size": "number",
            "submitted": "number",
          },
        ],
        "workload": "string",
      }
    `)
  })

  it('state shows the state at a time and after a record', async () => {
    const records = logs.lines.map((line) => JSON.parse(line))
    const reserve = records.find(({ type }) => type === 'reserve')
    expect(await logs.json('state', logs.good, '--seq', `${reserve.seq}`)).toMatchObject({
      seq: reserve.seq,
      t: reserve.t,
      reservations: [{ job: reserve.job, nodes: reserve.nodes, start: reserve.start }],
    })

    const at = 5000.5
    const held = (type: string): number => records.filter((record) => record.type === type && record.t <= at).length
    const state = (await logs.json('state', logs.good, '--at', `${at}`)) as {
      running: Array<{ size: number }>
      waiting: unknown[]
      free: number
      pods: Array<{ free: number }>
    }
    expect(state.running.length).toBe(held('allocate') - held('release'))
    expect(state.waiting.length).toBe(held('submit') - held('allocate'))
    expect(state.free).toBe(54 - state.running.reduce((sum, { size }) => sum + size, 0))
    expect(state.pods.reduce((sum, { free }) => sum + free, 0)).toBe(state.free)
  })

  it('state lists the first ten running and waiting jobs with nodes and times, and counts the rest', async () => {
    const at = ['state', logs.good, '--at', '1000'] as const
    const { running, waiting, t } = (await logs.json(...at)) as Record<'running' | 'waiting', Array<Listed>> & Listed
    const { stdout } = await logs.cloister(...at)
    const rows = (title: string): ReadonlyArray<ReadonlyArray<string>> =>
      new RegExp(`^${title} .*\\n[- ]+\\n((?: *\\d.*\\n)+)`, 'm')
        .exec(stdout)![1]
        .trimEnd()
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/))
    expect(waiting.length).toBeGreaterThan(11)
    expect(rows('waiting job')).toEqual(
      waiting.slice(0, 10).map(({ job, size, submitted, estimate }) => [job, size, submitted, t - submitted, estimate].map(String)), // oxfmt-ignore
    )
    expect(stdout).toContain(`\nand ${waiting.length - 10} more jobs\n`)
    expect(rows('running job')).toEqual(
      running.slice(0, 10).map(({ job, size, started, expectedEnd, nodes }) => [job, size, started, expectedEnd, nodes].map(String)), // oxfmt-ignore
    )
  })

  it('state shows the state at the end of the log without --at and --seq', async () => {
    expect((await logs.cloister('state', logs.good)).stdout).toContain('free nodes  54 of 54')
    expect((await logs.cloister('state', logs.torn())).code).toBe(3)
  })

  it('state prints why the state at a moment cannot be shown', async () => {
    expect(complaint(await logs.cloister('state', logs.good, '--seq', '99999'))).toContain(
      `the log has no record 99999 (--seq); the last record is ${logs.lines.length - 1}`,
    )
    expect(complaint(await logs.cloister('state', logs.good, '--at=-1', '--seq', '3'))).toContain(
      'give one of the two options',
    )
    expect(complaint(await logs.cloister('state', logs.good, '--seq=-1'))).toContain(
      'the log has no record at or before --seq -1',
    )
    expect(complaint(await logs.cloister('state', logs.corrupt()))).toContain('corrupt at byte')
  })
})

describe('a log with a part of a run', () => {
  /** Writes the log of a run, and the log `part.ndjson` with the part of the run from 3000 s to 6000 s. */
  async function writePart(folder: Folder): Promise<void> {
    const bytes = readFileSync(join(folder.path, await folder.log()))
    const chunks: Array<Uint8Array> = []
    extractWindow(
      () => readLog([bytes], sha256),
      3000,
      6000,
      (chunk) => chunks.push(chunk),
      sha256,
    )
    folder.write('part.ndjson', Buffer.concat(chunks))
  }

  it('metrics of a log of a part of a run are for the part, without steady state and makespan', async () => {
    const folder = new Folder()
    await writePart(folder)
    const fold = new MetricsFold({ window: { from: 3000, until: 6000 } })
    for (const record of readLog([readFileSync(join(folder.path, 'run.ndjson'))], sha256)) fold.add(record)
    const measured = await folder.json('metrics', 'part.ndjson')
    expect(measured).toMatchObject(JSON.parse(JSON.stringify(fold.result())) as object)
    expect(measured).toMatchObject({
      utilization: { steady: null },
      steadyState: null,
      makespan: null,
      assumptions: { part: '3000 s to 6000 s' },
    })
    const { stdout, stderr } = await folder.cloister('metrics', 'run.ndjson', 'part.ndjson')
    expect(stdout).toMatch(/part of a run +- +3000 s to 6000 s/)
    expect(stdout).not.toContain('whole run')
    expect(stderr).toContain('the compared runs differ in more than the policy')
  })

  it('a log of a part of a run is drawn and exported only within the times of the part, with a remark', async () => {
    const folder = new Folder()
    await writePart(folder)
    for (const kind of ['utilization', 'node-time', 'by-size', 'ecdf']) {
      const { code, stderr } = await folder.cloister('plot', kind, 'part.ndjson', '--csv', `${kind}.csv`)
      expect([code, stderr.includes('part.ndjson has a part of a run, from 3000 s to 6000 s')]).toEqual([0, true])
    }
    const rows = readFileSync(join(folder.path, 'utilization.csv'), 'utf8').trim().split('\n').slice(1)
    const times = rows.map((row) => Number(/(?:^|,)(\d+(?:\.\d+)?)/.exec(row)![1]))
    expect(rows.length).toBeGreaterThan(100)
    expect(Math.min(...times)).toBeGreaterThanOrEqual(3000)
    expect(Math.max(...times)).toBeLessThanOrEqual(6000)
    for (const to of ['csv', 'swf', 'chrome', 'paje', 'sacct', 'html']) {
      const { code, stderr } = await folder.cloister('export', 'part.ndjson', '--to', to, '--out', `out.${to}`)
      expect([to, code, stderr.includes('part.ndjson has a part of a run')]).toEqual([to, 0, true])
    }
  })

  it('a log of a part of a run has no state outside of the times of the part, because the log lacks jobs there', async () => {
    const folder = new Folder()
    await writePart(folder)
    for (const moment of [
      ['--at', '2999'],
      ['--at', '6001'],
      ['--seq', '3'],
    ]) {
      expect(complaint(await folder.cloister('state', 'part.ndjson', ...moment))).toContain(
        'is outside of the part of a run',
      )
      expect(complaint(await folder.cloister('export', 'part.ndjson', '--to', 'opensm', '--out', 'x', ...moment))).toContain('is outside of the part of a run') // oxfmt-ignore
    }
    const nodes = async (log: string): Promise<unknown> => {
      const { free, down } = (await folder.json('state', log, '--at', '3000')) as Record<string, unknown>
      return { free, down }
    }
    expect(await nodes('part.ndjson')).toEqual(await nodes('run.ndjson'))
  })

  it('a log of a part of a run gets a remark from metrics and audit, and is refused by rerun', async () => {
    const folder = new Folder()
    await writePart(folder)
    expect((await folder.cloister('metrics', 'part.ndjson')).stderr).toContain('part.ndjson has a part of a run, from 3000 s to 6000 s') // oxfmt-ignore
    const audit = await folder.cloister('audit', 'part.ndjson')
    expect(audit).toMatchObject({ code: 0 })
    expect(audit.stdout).toContain('workload-count: the header describes the jobs of the whole run (a part of a run: 3000 s to 6000 s)') // oxfmt-ignore
    expect(complaint(await folder.cloister('rerun', 'part.ndjson'))).toContain('the log is a part of a run')
    expect(complaint(await folder.cloister('rerun', 'part.ndjson', '--policy-config', '{"order":1}'))).toContain(
      'order',
    )
    expect((await folder.cloister('explain', 'part.ndjson', '--job', '150')).code).not.toBe(70)
  })
})
