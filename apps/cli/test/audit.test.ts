import { readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { type LogHeader, LogWriter } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { parseTopology } from '@cloister/topology'
import { describe, expect, it } from 'vitest'
import { Folder, complaint, namesIn } from './cloister.ts'

describe('audit', () => {
  it('audit prints its verdict first, and exits with 0 for a compressed log without a violation', async () => {
    const folder = new Folder()
    const { code, stdout } = await folder.cloister('audit', await folder.log('run.ndjson.zst'))
    expect(code).toBe(0)
    expect(stdout).toMatch(/node-exclusive +300/)
    expect(stdout).toMatch(/jigsaw-conditions +\d/)
    expect(stdout).toMatch(/^ok: [\d,]+ records/)
  })

  it('audit --adaptive-routing reports allocations with shortest routes over links of other jobs', async () => {
    const folder = new Folder()
    const log = await folder.log()
    expect(await folder.json('audit', log)).not.toMatchObject({
      checked: { 'isolated-under-adaptive-routing': expect.any(Number) },
    })
    const { code, stdout } = await folder.cloister('audit', log, '--adaptive-routing', '--json')
    expect(code).toBe(1)
    const { checked, violationCounts, violations } = JSON.parse(stdout)
    expect(Object.keys(violationCounts)).toEqual(['isolated-under-adaptive-routing'])
    expect(violations[0].message).toMatch(
      /is on shortest routes of the job, and may send by link \d+, which the job does not own/,
    )
    expect(checked['isolated-under-adaptive-routing']).toBeGreaterThanOrEqual(300)
    expect(violationCounts['isolated-under-adaptive-routing']).toBeLessThan(300)
  })

  it('audit --metrics prints the report of the audit and the output of cloister metrics', async () => {
    const folder = new Folder()
    const log = await folder.log()
    const { metrics, ...audited } = (await folder.json('audit', log, '--metrics')) as { readonly metrics: unknown }
    expect(audited).toEqual(await folder.json('audit', log))
    expect(metrics).toEqual(await folder.json('metrics', log))
    const text = async (...command: ReadonlyArray<string>): Promise<string> =>
      (await folder.cloister(...command)).stdout.trimEnd()
    expect(await text('audit', log, '--metrics')).toBe(`${await text('audit', log)}\n\n${await text('metrics', log)}`)
  })

  it('audit of several logs prints a line for each log, and exits with the worst code', async () => {
    const folder = new Folder()
    const log = await folder.log()
    const lines = readFileSync(join(folder.path, log), 'utf8').split('\n')
    folder.write('cut.ndjson', `${lines.slice(0, 600).join('\n')}\n`)
    folder.write('notes.txt', 'hello\n')
    const cut = await folder.cloister('audit', log, 'cut.ndjson')
    expect([cut.code, ...cut.stdout.split('\n')]).toEqual([
      3,
      expect.stringMatching(/^run\.ndjson: ok: [\d,]+ records, .*; the log is whole$/),
      expect.stringMatching(/^cut\.ndjson: no violation so far: 600 records, /),
      '',
    ])
    const all = await folder.cloister('audit', log, 'notes.txt', 'cut.ndjson', '--json')
    expect(all.code).toBe(2)
    const reports = JSON.parse(all.stdout) as ReadonlyArray<{ readonly log: string; readonly status: string }>
    expect(reports.map(({ log: path, status }) => [path, status])).toMatchObject([
      [log, 'whole'],
      ['notes.txt', 'corrupt'],
      ['cut.ndjson', expect.any(String)],
    ])
  })

  it('audit --metrics audits a log that cannot be measured, and prints why there are no metrics', async () => {
    const folder = new Folder()
    folder.write('twice.ndjson', logWithNodeGivenTwice(await folder.log('good.ndjson', 'baseline'), folder))
    const twice = await folder.cloister('audit', 'twice.ndjson', '--metrics', '--json')
    expect(twice.code).toBe(1)
    expect(twice.stderr).toContain(
      'twice.ndjson: the log cannot be measured: record 4: job b gets node 1, which another job has',
    )
    const { metrics, ...audited } = JSON.parse(twice.stdout)
    expect(metrics).toBe(null)
    expect(audited).toEqual(JSON.parse((await folder.cloister('audit', 'twice.ndjson', '--json')).stdout))
    folder.write('notes.txt', 'hello\n')
    const none = await folder.cloister('audit', 'notes.txt', '--metrics')
    expect(none.code).toBe(2)
    expect(none.stdout).not.toContain('utilization')
    expect(none.stderr).toContain('the log cannot be measured: corrupt at byte 0')
  })

  it('audit --metrics measures an incomplete log up to the last record', async () => {
    const folder = new Folder()
    const lines = readFileSync(join(folder.path, await folder.log()), 'utf8').split('\n')
    folder.write('cut.ndjson', `${lines.slice(0, 600).join('\n')}\n`)
    const { code, stdout } = await folder.cloister('audit', 'cut.ndjson', '--metrics', '--json')
    expect(code).toBe(3)
    expect(JSON.parse(stdout).metrics).toEqual(
      JSON.parse((await folder.cloister('metrics', 'cut.ndjson', '--json')).stdout),
    )
  })

  it('audit --json prints JSON whose names and types are fixed', async () => {
    const folder = new Folder()
    const { checked, notApplicable, ...report } = (await folder.json('audit', await folder.log())) as Record<
      string,
      Record<string, unknown>
    >
    expect(namesIn(report)).toMatchInlineSnapshot(`
      {
        "ok": "boolean",
        "outcome": {
          "bytes": "number",
          "records": "number",
          "sealed": "number",
          "status": "string",
        },
        "records": "number",
        "status": "string",
        "untestedClaims": [],
        "violationCounts": {},
        "violations": [],
      }
    `)
    expect(checked).toMatchObject({
      'node-exclusive': 300,
      'exact-size': expect.any(Number),
      'easy-first-reservation': expect.any(Number),
    })
    expect(notApplicable).toMatchObject({ monotone: expect.any(String) })
  })

  it('audit exits with 1 for a whole, sealed log that gives a node to two jobs', async () => {
    const folder = new Folder()
    folder.write('twice.ndjson', logWithNodeGivenTwice(await folder.log('good.ndjson', 'baseline'), folder))
    const { code, stdout } = await folder.cloister('audit', 'twice.ndjson')
    expect(code).toBe(1)
    expect(stdout).toMatch(/node-exclusive at record 4, t 0, job b: .*node 1/)
    expect(stdout).toMatch(/^\d+ violations: 9 records.*\n\nViolations:\n/)
    expect(JSON.parse((await folder.cloister('audit', 'twice.ndjson', '--json')).stdout)).toMatchObject({
      ok: false,
      violations: expect.arrayContaining([expect.objectContaining({ invariant: 'node-exclusive', seq: 4 })]),
    })
  })

  it('audit exits with 2 for a changed log, a file that is no log, and a missing file', async () => {
    const folder = new Folder()
    const text = readFileSync(join(folder.path, await folder.log()), 'utf8')
    folder.write('changed.ndjson', text.replace(/"type":"finish","job":"\d+"/, '"type":"finish","job":"0"'))
    const { code, stdout } = await folder.cloister('audit', 'changed.ndjson')
    expect(code).toBe(2)
    expect(stdout).toMatch(/corrupt at byte \d+, line \d+/)
    expect((await folder.cloister('audit', folder.write('notes.txt', 'hello\n'))).code).toBe(2)
    expect(complaint(await folder.cloister('audit', 'none.ndjson'))).toContain(
      'cannot read none.ndjson: there is no such file',
    )
  })

  it('audit exits with 3 for a log without a fault that is torn or not finished', async () => {
    const folder = new Folder()
    const size = readFileSync(join(folder.path, await folder.log())).length
    truncateSync(join(folder.path, 'run.ndjson'), size - 20)
    expect(await folder.cloister('audit', 'run.ndjson')).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^no violation so far: .*the log is torn/m),
    })
  })
})

function logWithNodeGivenTwice(good: string, folder: Folder): string {
  const { workload, policy, origin, options, seal_every, program } = JSON.parse(
    readFileSync(join(folder.path, good), 'utf8').split('\n')[0],
  ) as LogHeader
  const header: LogHeader = { workload: { ...workload, jobs: 2 }, policy, origin, options, seal_every, program }
  let text = ''
  const log = new LogWriter(
    header,
    parseTopology('radix:6'),
    (chunk) => (text += Buffer.from(chunk).toString()),
    sha256,
  )
  const held = (nodes: ReadonlyArray<number>) => ({ nodes, links: [] })
  for (const job of ['a', 'b']) log.record({ type: 'submit', t: 0, job, size: 2, estimate: 10_000 })
  log.record({ type: 'allocate', t: 0, job: 'a', ...held([0, 1]), cause: 2 })
  log.record({ type: 'allocate', t: 0, job: 'b', ...held([1, 2]), cause: 2 })
  log.record({ type: 'finish', t: 10_000, job: 'a', cause: 3 })
  log.record({ type: 'release', t: 10_000, job: 'a', cause: 5 })
  log.record({ type: 'end', t: 10_000, submitted: 2, started: 2, finished: 1, rejected: 0, killed: 0, cancelled: 0 })
  return text
}
