import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LogRecord } from '@cloister/eventlog'
import { describe, expect, it } from 'vitest'
import { complaint, Folder, inTurn } from './cloister.ts'

const run = ['--trace', 'synth:8:200', '--topology', 'kary:4:3', '--queue', 'easy:20'] as const

function recordsOf(folder: Folder, name: string): ReadonlyArray<LogRecord> {
  return readFileSync(join(folder.path, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LogRecord)
}

describe('simulate --communication', () => {
  it('simulate --communication makes the given share of jobs communicate, the same jobs under every policy', async () => {
    const folder = new Folder()
    const communicating = await inTurn(['greedy', 'slurm-tree'], async (policy) => {
      expect(
        (
          await folder.cloister(
            'simulate',
            ...run,
            '--policy',
            policy,
            '--communication',
            '30%:binomial-tree:50%',
            '--out',
            `${policy}.ndjson`,
          )
        ).code,
      ).toBe(0)
      const records = recordsOf(folder, `${policy}.ndjson`)
      expect(records[0]).toMatchObject({ options: { communication: '30%:binomial-tree:50%' } })
      expect(records[0]).not.toHaveProperty('options.runTimes')
      return records.flatMap((record) =>
        record.type === 'submit' && record.communication !== undefined ? [[record.job, record.communication]] : [],
      )
    })
    expect(communicating[0]).toEqual(communicating[1])
    expect(communicating[0].length).toBeGreaterThan(35)
    expect(communicating[0].length).toBeLessThan(85)
    expect(communicating[0][0][1]).toEqual({ pattern: 'binomial-tree', share: 500 })
  })

  it('--run-times communication changes run times; audit, rerun and explain accept the log', async () => {
    const folder = new Folder()
    for (const policy of ['slurm-tree', 'balanced', 'adaptive']) {
      const log = `${policy}.ndjson`
      expect(
        (
          await folder.cloister(
            'simulate',
            ...run,
            '--policy',
            policy,
            '--communication',
            '90%:recursive-doubling*15+binomial-tree*35:50%',
            '--run-times',
            'communication',
            '--out',
            log,
          )
        ).code,
      ).toBe(0)
      const [header, ...records] = recordsOf(folder, log)
      expect(header).toMatchObject({
        options: { runTimes: 'communication', communication: '90%:recursive-doubling*15+binomial-tree*35:50%' },
      })
      const adjusted = records.filter((record) => record.type === 'allocate' && record.estimate !== undefined)
      if (policy !== 'slurm-tree') expect(adjusted.length).toBeGreaterThan(10)
      const ofRunTimes = { claim: 'runTimes', reason: expect.any(String) }
      expect(JSON.parse((await folder.cloister('audit', log, '--json')).stdout)).toMatchObject({
        ok: adjusted.length === 0,
        violations: [],
        untestedClaims: adjusted.length === 0 ? [] : [ofRunTimes],
      })
      expect(await folder.json('audit', log, '--rerun')).toMatchObject({ ok: true, untestedClaims: [] })
      expect(await folder.json('rerun', log)).toMatchObject({ equal: true })
      expect((await folder.cloister('explain', log, '--job', '150')).code).toBe(0)
    }
    expect(await folder.json('rerun', 'balanced.ndjson', '--policy', 'slurm-tree')).toMatchObject({
      policy: expect.stringContaining('slurm-tree') as string,
    })
  })

  it('sweep audits run times by communication with a rerun of the policy', async () => {
    const folder = new Folder()
    const cell = { trace: 'synth:4:60', topology: 'radix:6', policy: 'greedy', runTimes: 'communication' }
    folder.write('e.json', JSON.stringify({ cells: [{ ...cell, communication: '90%:ring:50%' }] }))
    const { code, stderr } = await folder.cloister('sweep', 'e.json')
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('audit: ')])
    expect(JSON.parse(readFileSync(join(folder.path, 'e.results.ndjson'), 'utf8'))).toMatchObject({
      audit: { ok: true, untestedClaims: [] },
    })
  })

  it('simulate takes the communication of jobs from a trace that has the fields', async () => {
    const folder = new Folder()
    folder.write('jobs.txt', 'Job_name Submit Runtime Nodes Comment Perc\n1 100 50 4 1 30\n2 100 50 4 0 10\n')
    expect(
      (
        await folder.cloister(
          'simulate',
          '--trace',
          'jobs.txt',
          '--topology',
          'kary:4:2',
          '--policy',
          'greedy',
          '--communication',
          'file:ring',
          '--out',
          'a.ndjson',
        )
      ).code,
    ).toBe(0)
    const comms = recordsOf(folder, 'a.ndjson').flatMap((record) =>
      record.type === 'submit' ? [record.communication] : [],
    )
    expect(comms).toEqual([{ pattern: 'ring', share: 300 }, undefined])
    expect(
      (
        await folder.cloister(
          'simulate',
          '--trace',
          'jobs.txt',
          '--topology',
          'kary:4:2',
          '--policy',
          'greedy',
          '--out',
          'b.ndjson',
        )
      ).code,
    ).toBe(0)
    expect(
      recordsOf(folder, 'b.ndjson').some((record) => record.type === 'submit' && record.communication !== undefined),
    ).toBe(false)
  })

  it.each([
    [['--communication', '90%:gossip:50%'], 'Patterns: recursive-doubling'],
    [['--communication', '101%:ring:50%'], '--communication: found "101%:ring:50%"'],
    [['--communication', '90%:ring'], 'expected none; JOBS%:PATTERN:TIME%'],
    [['--communication', 'file:ring'], 'no job of the trace has a communication share'],
    [['--run-times', 'communication'], 'no job communicates; set the option communication'],
  ] as const)('simulate refuses %s', async (options, expected) => {
    expect(complaint(await new Folder().cloister('simulate', ...run, '--policy', 'greedy', ...options))).toContain(
      expected,
    )
  })
})
