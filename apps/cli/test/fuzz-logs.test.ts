import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LogRecord } from '@cloister/eventlog'
import { type AnyPolicy, canonicalSpec, prepare, RunFiles } from '@cloister/run'
import { nodeServices } from '@cloister/run/node'
import { Effect } from 'effect'
import { describe, expect, it } from 'vitest'
import { type ForgedLog, misreading, readAll } from '@cloister/fuzz'
import { tableFormatNames, tableNames } from '@cloister/exports'
import { consumers } from '../src/commands/fuzz/log-consumers.ts'
import { recordTimed } from '../src/run/log-target.ts'
import { exportFormats } from '../src/export/formats.ts'
import { Folder } from './cloister.ts'

describe('cloister fuzz --logs', () => {
  it('fuzz --logs finds no command that crashes, hangs or accepts wrong decisions on a forged log', async () => {
    const folder = new Folder()
    const { code, stdout } = await folder.cloister('fuzz', '--logs', '--runs', '12', '--minutes', '0.5', '--seed', '4')
    expect(stdout).toMatch(/^faults {2}none$/m)
    expect(code, stdout).toBe(0)
  })

  it('fuzz --logs forges the same logs for the same seed', async () => {
    const folder = new Folder()
    const words = ['fuzz', '--logs', '--runs', '3', '--seed', '5', '--policy', 'baseline'] as const
    const first = (await folder.json(...words)) as { readonly forged: number; readonly unwritable: number }
    expect(first).toMatchObject({ seed: 5, runs: 3, fault: null })
    expect(first.forged).toBeGreaterThan(first.unwritable)
    expect(await folder.json(...words)).toEqual(first)
  })
})

describe('the fault that `misreading` returns', () => {
  /** Returns a sound log in the role of a forged log, with other records as the original. */
  async function logAsIf(
    original: (records: ReadonlyArray<LogRecord>) => ReadonlyArray<LogRecord>,
  ): Promise<ForgedLog> {
    const preparing = Effect.gen(function* () {
      const spec = { trace: 'synth:4:20', topology: 'radix:4', policy: 'baseline' }
      return yield* prepare(canonicalSpec(spec, yield* RunFiles))
    })
    const source = new URL('../../../packages/policies/baseline/src/index.ts', import.meta.url)
    const { baseline } = (await import(source.href)) as { readonly baseline: AnyPolicy }
    const run = await Effect.runPromise(Effect.provide(preparing, nodeServices({ policies: [baseline] })))
    const chunks: Array<Uint8Array> = []
    recordTimed(run, (chunk) => chunks.push(chunk), {})
    const bytes = new Uint8Array(Buffer.concat(chunks))
    const log = readAll(bytes)
    const folder = new Folder()
    return {
      bytes,
      path: join(folder.path, folder.write('run.ndjson', bytes)),
      ...log,
      original: original(log.records),
      run,
    }
  }

  it('`misreading` returns undefined if every command handles the log', async () => {
    expect(misreading(await logAsIf((records) => records), consumers)).toBeUndefined()
  })

  it('`misreading` returns undefined if the log requires a feature that no program knows', async () => {
    const { original, run, path } = await logAsIf((records) => records)
    const line = readFileSync(path, 'utf8').replace('"origin"', '"requires":[""],"origin"')
    const bytes = new Uint8Array(Buffer.from(line))
    const forged: ForgedLog = { bytes, path, original, run, ...readAll(bytes) }
    expect(forged.records).toEqual([])
    expect(misreading(forged, consumers)).toBeUndefined()
  })

  it('`misreading` returns a command that throws an error without a message for users', async () => {
    const log = await logAsIf((records) => records)
    const crash = (): never => (undefined as unknown as { readonly x: never }).x
    expect(misreading(log, { diff: crash })).toMatchObject({
      command: 'diff',
      problem: expect.stringContaining('TypeError'),
    })
  })

  it('`misreading` returns a command that does not end, and that the fuzzer stops', async () => {
    const log = await logAsIf((records) => records)
    const hang = (): never => {
      for (;;);
    }
    expect(misreading(log, { diff: hang }, 200)).toEqual({
      command: 'diff',
      problem: `the command has not ended after 0.2 s, for a log of ${log.bytes.length} bytes`,
      isUnending: true,
    })
  })

  it('`misreading` finds a fault in every command that reads logs, also in export --to html and view', async () => {
    const log = await logAsIf((records) => records)
    const readers = Object.keys(consumers).map((command) => command.split(' ').slice(0, 3).join(' '))
    expect(readers).toEqual(
      expect.arrayContaining(['audit', 'metrics', 'state', 'rerun', 'diff', 'view', 'export --to html']),
    )
    // `state --routes` reads logs like opensm, and each table is written in all formats of tables.
    const readElsewhere = ['export --to opensm', ...tableFormatNames.map((to) => `export --to ${to}`)]
    expect(readers).toEqual(expect.arrayContaining(tableNames.map((name) => `export --table ${name}`)))
    for (const to of exportFormats) expect([...readers, ...readElsewhere]).toContain(`export --to ${to}`)
    for (const consume of Object.values(consumers)) expect(() => consume(log)).not.toThrow()
  })

  it('`misreading` returns an audit and a rerun that accept decisions that the policy did not make', async () => {
    const other = (record: LogRecord): LogRecord => (record.type === 'allocate' ? { ...record, nodes: '15' } : record)
    const log = await logAsIf((records) => records.map(other))
    expect(misreading(log, {})).toEqual({
      command: 'audit --rerun',
      problem: 'the audit and the rerun accept decisions that the policy did not make',
    })
  })
})
