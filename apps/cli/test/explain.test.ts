import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Folder, complaint, namesIn, small } from './cloister.ts'

/** Log of a run with reasons of refusals (`--refusals`), and the log of the same run without reasons. */
class Logs extends Folder {
  readonly plain = 'run.ndjson'
  readonly reasoned = 'reasons.ndjson.zst'
  records: ReadonlyArray<{ readonly seq: number; readonly type: string; readonly job: string; readonly t: number }> = []
  /** Id of a job that was the head of the queue, and started as the head. */
  waiter = ''

  async simulate(): Promise<void> {
    await this.log(this.plain)
    await this.cloister('simulate', ...small, '--policy', 'jigsaw', '--refusals', '--out', this.reasoned)
    this.records = readFileSync(join(this.path, this.plain), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    this.waiter = this.records.filter(({ type }) => type === 'reserve')[20].job
  }
}

const logs = new Logs(afterAll)
beforeAll(() => logs.simulate())

describe('explain', () => {
  it('explain --json prints JSON whose names and types are fixed', async () => {
    expect(namesIn(await logs.json('explain', logs.plain, '--job', logs.waiter))).toMatchInlineSnapshot(`
      {
        "differsFrom": "null",
        "ends": [
          {
            "ahead": "number",
            "cause": {
              "job": "string",
              "seq": "number",
              "type": "string",
            },
            "freed": [
              {
                "job": "string",
                "links": "number",
                "nodes": "string",
                "seq": "number",
              },
            ],
            "nodes": "string",
            "seq": "number",
            "t": "number",
            "type": "string",
          },
        ],
        "estimate": "number",
        "heads": [
          {
            "job": "string",
            "seconds": "number",
          },
        ],
        "job": "string",
        "largestOffer": {
          "nodes": "number",
          "t": "number",
        },
        "overtakenBy": [
          {
            "backfilled": "boolean",
            "job": "string",
            "seq": "number",
            "size": "number",
            "t": "number",
          },
        ],
        "passes": {
          "head": "number",
          "outside": "number",
          "window": "number",
        },
        "reasonsUntil": "null",
        "reservations": [
          {
            "because": [],
            "change": "string",
            "nodes": "string",
            "seq": "number",
            "start": "number",
            "t": "number",
          },
        ],
        "size": "number",
        "stillWaits": "boolean",
        "submitted": "number",
        "waits": [
          {
            "from": "number",
            "passes": "number",
            "place": "string",
            "reason": {
              "code": "string",
              "constraint": "string",
              "nearest": {
                "have": "number",
                "need": "number",
              },
            },
            "to": "number",
          },
        ],
      }
    `)
  })

  it('explain gives the same explanation from reasons in the log and from a rerun of the policy', async () => {
    // Only a rerun finds the largest offer.
    const withoutSeqs = async (log: string): Promise<unknown> =>
      JSON.parse(
        JSON.stringify(await logs.json('explain', log, '--job', logs.waiter), (key, value) =>
          key === 'seq' || key === 'largestOffer' ? undefined : value,
        ),
      )
    expect(await withoutSeqs(logs.plain)).toEqual(await withoutSeqs(logs.reasoned))
  })

  it('explain prints tables of waits, reservations and overtaking jobs as text', async () => {
    const { code, stdout } = await logs.cloister('explain', logs.plain, '--job', logs.waiter, '--limit', '3')
    expect(code).toBe(0)
    const start = logs.records.find(({ type, job }) => type === 'allocate' && job === logs.waiter)!
    expect(stdout).toMatch(new RegExp(`^job {8}${logs.waiter}, \\d+ nodes, estimate \\d+ s$`, 'm'))
    expect(stdout).toMatch(new RegExp(`^started {4}${start.t} s \\(record ${start.seq}\\) on nodes `, 'm'))
    expect(stdout).toMatch(/^offered {4}\d+ of \d+ nodes at a refusal, first at [\d.]+ s$/m)
    expect(stdout).toMatch(/^heads {6}meanwhile job \d+ \([\d.]+ \w+\).*; see explain --job \d+$/m)
    expect(stdout).toMatch(/^freed {6}by the end of job \d+ \(record \d+\): nodes /m)
    expect(stdout).toMatch(/^ *from +to +passes +place +why +at the first refusal$/m)
    expect(stdout).toMatch(/^ *[\d.]+ +[\d.]+ +\d+ +head +too few free nodes +\d+ of \d+$/m)
    expect(stdout).toMatch(/^ *\d+ +[\d.]+ +made +[\d.]+$/m)
  })

  it('explain explains a job of an incomplete log up to the end of the log, and exits with 3', async () => {
    const text = readFileSync(join(logs.path, logs.plain), 'utf8')
    const torn = logs.write('torn.ndjson', text.slice(0, text.indexOf(`"type":"allocate","job":"${logs.waiter}"`)))
    const { code, stdout, stderr } = await logs.cloister('explain', torn, '--job', logs.waiter)
    expect(stdout).toContain('still waits  at the end of the log')
    expect(stderr).toContain('torn.ndjson: torn')
    expect(code).toBe(3)
  })

  it('explain names the first record at which a rerun of the policy differs from the log', async () => {
    const folder = new Folder()
    const source = `
const validate = (value) => ({ value })
export default {
  contract: 1, name: 'mine', version: '0.1.0', config: { '~standard': { version: 1, vendor: 'test', validate } },
  make: (topology) => ({
    claims: { links: 'shared', fullBandwidth: false, exactSize: true, monotone: true, complete: true, speedupScenarios: false },
    place: (state, { nodes: size, job }) => {
      if (size > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
      if (size > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
      const free = Array.from({ length: topology.nodes }, (_, node) => node).filter((node) => state.isNodeFree(node))
      return { ok: true, nodes: job === '150' ? free.slice(-size) : free.slice(0, size), links: [] }
    },
  }),
}
`
    folder.write('mine.mjs', source)
    await folder.log('run.ndjson', './mine.mjs')
    folder.write('changed.mjs', source.replace('150', '200'))
    const answer = await folder.cloister('explain', 'run.ndjson', '--policy', './changed.mjs', '--job', '250')
    expect(answer.code).toBe(3)
    expect(answer.stderr).toMatch(/^mine decides differently from the log at record \d+/m)
    expect(answer.stdout).toContain('unknown')
    expect(complaint(await folder.cloister('explain', 'run.ndjson', '--job', '250'))).toContain(
      'there is no built-in policy "mine"',
    )
    expect(complaint(await folder.cloister('explain', 'run.ndjson', '--policy', 'baseline', '--job', '250'))).toContain(
      '--policy: found baseline, expected mine, the policy of the log',
    )
  })

  it('explain prints a message for an unknown job, a wrong limit and a missing log', async () => {
    expect(complaint(await logs.cloister('explain', logs.plain, '--job', 'x'))).toContain(
      `${logs.plain}: the log has no submit record of a job "x"`,
    )
    expect(complaint(await logs.cloister('explain', logs.plain, '--job', '1', '--limit', '0'))).toContain(
      '--limit: found 0',
    )
    expect(complaint(await logs.cloister('explain', 'none.ndjson', '--job', '1'))).toContain('none.ndjson')
  })
})
