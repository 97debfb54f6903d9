import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LogHeader, type LogRecord, LogWriter, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { parseTopology } from '@cloister/topology'
import { describe, expect, it } from 'vitest'
import { visible } from '../src/terminal/output.ts'
import { type Answer, bundle, Folder, inTurn } from './cloister.ts'

const topology = parseTopology('radix:6')
/** Text with a line feed and a forged line of output, and with invisible characters. */
const FORGED = 'x\nFORGED: all is well\u200b\u2060\ufeff\u00ad\u{e0041}'
/** Characters that have no width, or that no terminal shows. */
const unseen = /[\u200b-\u200f\u2060-\u2064\ufeff\u00ad\u{e0000}-\u{e0fff}]/u

function headerOf(folder: Folder, log: string): LogHeader {
  const first = [...readLog([readFileSync(join(folder.path, log))], sha256)][0] as LogRecord & { type: 'header' }
  const { seq: _seq, type: _type, format: _format, version: _version, revision: _revision, ...header } = first
  return header
}

/** Returns the text of a sealed log with the hostile text in every text field. */
function strangeLog(header: LogHeader, job: string): Uint8Array {
  const chunks: Array<Uint8Array> = []
  const writer = new LogWriter(header, topology, (chunk) => chunks.push(chunk), sha256)
  writer.record({ type: 'submit', t: 0, job, size: 2, estimate: 5000, name: FORGED })
  writer.record({ type: 'allocate', t: 0, job, nodes: [3, 4], cause: 1 })
  writer.record({ type: 'submit', t: 0, job: `${job}2`, size: 54, estimate: 5000 })
  writer.record({
    type: 'refuse',
    t: 0,
    job: `${job}2`,
    code: 'no-placement',
    constraint: FORGED,
    nearest: { [FORGED]: FORGED },
    cause: 3,
  })
  writer.record({ type: 'submit', t: 0, job: `${job}3`, size: 2, estimate: 5000 })
  // Two jobs hold the same nodes, so that the auditor prints a violation with the names of the jobs.
  writer.record({ type: 'allocate', t: 10, job: `${job}3`, nodes: [4, 5], cause: 3 })
  writer.record({ type: 'finish', t: 9000, job, cause: 2 })
  writer.record({ type: 'release', t: 9000, job, cause: 7 })
  writer.record({ type: 'end', t: 9000, submitted: 3, started: 2, finished: 1, rejected: 0, killed: 0, cancelled: 0 })
  return Buffer.concat(chunks)
}

describe('the text of a log', () => {
  it('the text of a log adds no line to the output of any command, and shows invisible characters', async () => {
    const folder = new Folder()
    await folder.log()
    const plain = headerOf(folder, 'run.ndjson')
    const good: LogHeader = { ...plain, options: { ...plain.options, refusals: true } }
    const { policy, workload } = good
    const headers: ReadonlyArray<LogHeader> = [
      { ...good, workload: { ...workload, name: FORGED, filter: FORGED } },
      { ...plain, policy: { ...policy, version: FORGED } },
      { ...plain, policy: { ...policy, name: FORGED } },
      { ...good, policy: { ...policy, claims: { ...policy.claims, rule: FORGED } }, program: FORGED },
      {
        ...good,
        router: { name: FORGED, version: FORGED, claims: { links: 'shared', changes: 'none' } },
        options: { ...good.options, arrivals: FORGED, scenario: FORGED },
        x: { [FORGED]: FORGED },
      },
    ]
    const answers = await inTurn(headers, async (header) => {
      const bytes = strangeLog(header, FORGED)
      folder.write('strange.ndjson', bytes)
      folder.write('torn.ndjson', bytes.subarray(0, bytes.length - 200))
      folder.write('corrupt.ndjson', Buffer.from(bytes).fill('!', bytes.length - 700, bytes.length - 690))
      const commands = ['strange.ndjson', 'torn.ndjson', 'corrupt.ndjson'].flatMap((log) => [
        ...['metrics', 'audit', 'state', 'rerun'].map((command) => [command, log]),
        ['state', log, '--seq', '2'],
        ['state', log, '--routes'],
        ['rerun', log, '--policy', 'ta'],
        ['rerun', log, '--policy', 'jigsaw'],
        ['explain', log, '--job', FORGED],
        ['explain', log, '--job', `${FORGED}2`],
        ['diff', 'run.ndjson', log],
        ['view', log, '--policy', 'ta', '--no-open', '--port', '70000'],
        ['export', log, '--to', 'opensm', '--out', 'fabric', '--force'],
        ['export', log, '--to', 'swf', '--out', 'swf', '--force'],
      ])
      return inTurn(commands, async (command): Promise<Answer & { command: unknown }> => ({
        ...(await folder.cloister(...command)),
        command,
      }))
    })
    const wrong = answers
      .flat()
      .filter(({ stdout, stderr }) => /^FORGED/m.test(stdout + stderr) || unseen.test(stdout + stderr))
    expect(wrong).toEqual([])
    expect(answers.flat().filter(({ code }) => code === 70)).toEqual([])
  })

  it('the text of a log is shown with invisible characters escaped', () => {
    expect(visible('a\tb\nc é 日本 😀')).toBe('a\tb\nc é 日本 😀')
    expect(visible('a\u200bb\u{e0041}\u3164\ud800')).toBe('a\\u200bb\\udb40\\udc41\\u3164\\ud800')
    expect(JSON.parse(visible(JSON.stringify('\u200b\u{e0041}')))).toBe('\u200b\u{e0041}')
  })
})

it.skipIf(process.platform !== 'linux')(
  'a result that cannot be written to standard output gives an error',
  async () => {
    const folder = new Folder()
    await folder.log()
    for (const command of [
      'audit run.ndjson',
      'metrics run.ndjson',
      'trace generate synth:16:50000',
      'simulate --help',
    ]) {
      const { code, stderr } = folder.run([
        '-e',
        `const { spawnSync } = require('node:child_process')
       const { status, stderr } = spawnSync('sh', ['-c', ${JSON.stringify(`"${process.execPath}" "${bundle}" ${command} > /dev/full`)}], { encoding: 'utf8' })
       process.stderr.write(stderr)
       process.exit(status)`,
      ])
      expect({ command, code, stderr }).toEqual({
        command,
        code: 2,
        stderr: 'cloister: the result of the command cannot be written to standard output: the disk is full\n',
      })
    }
  },
)
