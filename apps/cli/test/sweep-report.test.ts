import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunSpec } from '@cloister/run'
import { type CellResult, type Group, intervalOf, mixedDraws } from '@cloister/sweep'
import { Effect } from 'effect'
import { mixedLines, unpairedLines } from '../src/commands/sweep/tables.ts'
import { plotIntervals } from '../src/commands/sweep/report-page.ts'
import { emptyDocument } from '../src/plot/document.ts'
import { Folder, complaint } from './cloister.ts'

const cells = {
  trace: ['synth:4:60', 'synth:4:60:2', 'synth:4:60:3'],
  topology: 'radix:6',
  policy: ['jigsaw', 'baseline'],
}

function experiment(...given: ReadonlyArray<object>): Folder {
  const folder = new Folder()
  folder.write('e.json', JSON.stringify({ cells: given }))
  return folder
}

interface Row {
  readonly cell: { readonly policy: string; readonly trace: string }
  readonly metrics: { readonly wait: { readonly mean: number } }
}

interface Measured {
  readonly results: ReadonlyArray<Row>
  readonly intervals: ReadonlyArray<{ readonly cell: object; readonly replicates: number; readonly metrics: Intervals }>
  readonly differences: ReadonlyArray<{ readonly cell: object; readonly against: object; readonly metrics: Intervals }>
}

type Intervals = Readonly<
  Record<string, { readonly mean: number; readonly half: number | null; readonly count: number }>
>

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, each) => sum + each, 0) / values.length
/** The 97.5 % quantile of Student's distribution with two degrees of freedom, from a printed table. */
const t2 = 4.302653
const half3 = (values: ReadonlyArray<number>): number =>
  t2 * Math.sqrt(values.reduce((sum, each) => sum + (each - mean(values)) ** 2, 0) / 2 / 3)

describe('replicates in a sweep', () => {
  it('replicates in a sweep give the means, intervals and differences by pairs of a calculation by hand', async () => {
    const folder = experiment(cells)
    const { results, intervals, differences } = (await folder.json('sweep', 'e.json', '--no-audit')) as Measured
    const waits = (policy: string) =>
      results.filter(({ cell }) => cell.policy === policy).map(({ metrics }) => metrics.wait.mean)
    const [jigsaw, baseline] = [waits('jigsaw'), waits('baseline')]
    expect(intervals.map(({ cell, replicates }) => [cell, replicates])).toEqual([
      [{ trace: 'synth:4:60', topology: 'radix:6', policy: 'jigsaw', queue: 'easy:50' }, 3],
      [{ trace: 'synth:4:60', topology: 'radix:6', policy: 'baseline', queue: 'easy:50' }, 3],
    ])
    const found = intervals[0].metrics['wait.mean']
    expect(found.mean).toBeCloseTo(mean(jigsaw), 6)
    expect(found.half).toBeCloseTo(half3(jigsaw), 3)
    const pairs = jigsaw.map((wait, at) => wait - baseline[at])
    expect(differences).toHaveLength(1)
    const difference = differences[0].metrics['wait.mean']
    expect([differences[0].against, difference.count]).toMatchObject([{ policy: 'baseline' }, 3])
    expect(difference.mean).toBeCloseTo(mean(pairs), 6)
    expect(difference.half).toBeCloseTo(half3(pairs), 3)

    const { stdout } = await folder.cloister('sweep', 'e.json', '--resume', '--no-audit')
    expect(stdout).toMatch(/^jigsaw +3 +[\d.]+ ± [\d.]+ % /m)
    expect(stdout).toMatch(/^Differences from baseline, by pairs of runs with equal seeds:$/m)
    expect(stdout).toMatch(/^jigsaw +3 +[-+][\d.]+ ± [\d.]+ points /m)
  })

  it('regression: a run without a pair is named with the option in which the baseline differs', () => {
    const metrics = { 'wait.mean': { mean: 1, half: null, count: 1 } }
    const group = (cell: Omit<RunSpec, 'trace' | 'topology'>) => ({
      cell: { trace: 'synth:4', topology: 'radix:6', ...cell },
      runs: new Map(),
      metrics,
    })
    const [base, lc, shared] = [
      group({ policy: 'baseline' }),
      group({ policy: 'least-constrained' }),
      group({ policy: 'least-constrained', config: { sharing: { capacity: 4000 } }, bandwidth: 'classes' }),
    ]
    const differences = [{ cell: lc.cell, against: base.cell, metrics }]
    expect(unpairedLines([base, lc, shared], differences)).toEqual([
      'No pairs:\n  least-constrained, {"sharing":{"capacity":4000}}, classes: the baseline policy has no run with bandwidth classes',
    ])
    expect(unpairedLines([base, lc], differences)).toEqual([])
  })

  it('replicates in a sweep give no intervals if seeds have no effect, or if there are no seeds', async () => {
    const folder = experiment({ ...cells, trace: 'synth:4:60', seed: [1, 2, 3] })
    const outcome = (await folder.json('sweep', 'e.json', '--no-audit')) as object
    expect(Object.keys(outcome)).toEqual(['notPlaced', 'results', 'skipped'])
  })

  it('intervals of replicates: none for one value, and of width 0 for equal values', () => {
    expect(intervalOf([7])).toEqual({ mean: 7, half: null, count: 1 })
    expect(intervalOf([7, 7])).toEqual({ mean: 7, half: 0, count: 2 })
    // For the values 1, 2, 3, 4 the standard deviation is 1.29099, and the quantile with three degrees of freedom
    // 3.18245.
    expect(intervalOf([1, 2, 3, 4]).half).toBeCloseTo((3.182446 * 1.290994) / 2, 4)
  })
})

describe('cloister sweep report', () => {
  it('regression: runs that share draws of seeds are no replicates, except runs that share no draw', async () => {
    const folder = experiment({ trace: 'synth:4:20', topology: 'radix:6', policy: 'jigsaw' })
    const { results: ran } = (await folder.json('sweep', 'e.json', '--no-audit')) as Measured
    const group = (...seeds: ReadonlyArray<readonly [trace: number, seed: number]>): Group => {
      const results = seeds.map(([trace, seed], makespan) => ({
        cell: { trace: `synth:4:60:${trace}`, topology: 'radix:6', policy: 'jigsaw', seed },
        metrics: { ...ran[0].metrics, makespan },
      }))
      const runs = new Map(results.map((each, at) => [String(at), each as unknown as CellResult]))
      return { cell: results[0].cell, runs, metrics: {} }
    }
    const names = (given: Group) => mixedDraws(given).map(({ option }) => option)
    expect(names(group([1, 1], [2, 1], [1, 2]))).toEqual(['trace', 'seed'])
    expect(mixedLines([group([1, 1], [2, 1], [1, 2])])).toEqual([
      'jigsaw: the runs differ in trace (2 values) and in seed (2 values); a 95 % interval needs runs that differ in one of these options',
    ])
    expect(names(group([1, 1], [2, 1], [3, 1]))).toEqual([])
    expect(names(group([1, 1], [2, 2], [3, 3]))).toEqual([])
  })

  it('sweep report writes a page with the results of the sweep so far', async () => {
    const folder = experiment(cells)
    await folder.cloister('sweep', 'e.json', '--shard', '1/2')
    const partly = await folder.cloister('sweep', 'report', 'e.json', '--out', 'partly.html')
    expect(partly).toMatchObject({ code: 0, stdout: expect.stringMatching(/^partly\.html, [\d.]+ kB\n$/) })
    expect(readFileSync(join(folder.path, 'partly.html'), 'utf8')).toContain(
      '3 of 6 cells have a result; 3 are missing',
    )
    await folder.cloister('sweep', 'e.json', '--shard', '2/2')
    const answer = await folder.cloister('sweep', 'report', 'e.json', '--figures', 'figures', '--baseline', 'jigsaw')
    expect(answer.stdout.split('\n').map((line) => line.replace(/,.*/, ''))).toEqual([
      'e.report.html',
      'figures/utilization-steady.svg',
      'figures/turnaround-mean.svg',
      'figures/wait-mean.svg',
      'figures/slowdown-bounded.svg',
      '',
    ])
    const page = readFileSync(join(folder.path, 'e.report.html'), 'utf8')
    expect(page).toContain('6 of 6 cells have a result. 6 logs were audited, without a finding.')
    expect(page).toContain('<h2>Differences from jigsaw</h2>')
    expect(page).toMatch(/<td>baseline<\/td><td>3<\/td><td>[\d.]+ ± [\d.]+ %<\/td>/)
    expect(page.match(/<svg /g)).toHaveLength(4)
    expect(page).not.toMatch(/https?:\/\/(?!www\.w3\.org)/)
    expect(page).toContain(readFileSync(join(folder.path, 'figures/wait-mean.svg'), 'utf8'))
    expect(complaint(await folder.cloister('sweep', 'report', 'e.json'))).toContain('e.report.html exists')
  })

  it('sweep report refuses a sweep without results, and an unknown baseline, with a message', async () => {
    const folder = experiment({ ...cells, trace: 'synth:4:20' })
    expect(complaint(await folder.cloister('sweep', 'report', 'e.json'))).toContain(
      'no results of e.json: the working directory has neither the folder e.sweep nor the file e.results.ndjson',
    )
    await folder.cloister('sweep', 'e.json')
    expect(complaint(await folder.cloister('sweep', 'report', 'e.json', '--no-audit'))).toContain(
      'e.results.ndjson: found 2 results, none of a cell of e.json',
    )
    expect(complaint(await folder.cloister('sweep', 'report', 'e.json', '--baseline', 'ta'))).toContain(
      '--baseline ta is no policy of e.json: expected one of jigsaw, baseline',
    )
    expect((await folder.cloister('sweep', 'report', 'e.json')).code).toBe(0)
  })

  it('sweep report escapes names on the page', async () => {
    const mark = { name: '<b>"&\u202e', mean: 1, half: null }
    const document = await Effect.runPromise(emptyDocument)
    const svg = plotIntervals(document, { title: 'a < b', marks: [mark], unit: 'ratio' })
    expect(svg).toContain('&lt;b&gt;"&amp;\\u202e')
    expect(svg).toContain('>a &lt; b<')
  })
})

const duckdb = join(process.env['CLOISTER_DUCKDB'] ?? '/none', 'node_modules')

it.skipIf(!existsSync(duckdb))(
  'DuckDB reads a row for each run, with every metric, from the file of sweep merge --parquet',
  async () => {
    const folder = experiment({
      ...cells,
      policy: ['baseline', { name: 'jigsaw', config: { order: 'sparsest-first' } }],
    })
    symlinkSync(duckdb, join(folder.path, 'node_modules'))
    await folder.cloister('sweep', 'e.json', '--shard', '1/1', '--no-audit')
    const merged = await folder.cloister('sweep', 'merge', 'e.json', '--no-audit', '--parquet', 'runs.parquet')
    expect(merged).toMatchObject({ code: 0, stderr: '' })
    folder.write(
      'read.mjs',
      `import { DuckDBInstance } from '@duckdb/node-api'
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const reader = await connection.runAndReadAll("SELECT policy, max(config) AS config, count(*)::INTEGER AS runs, avg(wait_mean)::DOUBLE AS wait, sum(jobs_finished)::INTEGER AS jobs, bool_and(seconds > 0) AS timed, count(node_time_busy)::INTEGER AS measured FROM 'runs.parquet' GROUP BY policy ORDER BY policy")
    console.log(JSON.stringify(reader.getRowObjects()))`,
    )
    const read = folder.run(['read.mjs'])
    expect(read.stderr).toBe('')
    const rows = JSON.parse(read.stdout) as ReadonlyArray<{ readonly wait: number }>
    expect(rows).toMatchObject([
      { policy: 'baseline', config: null, runs: 3, jobs: 180, timed: true, measured: 3 },
      { policy: 'jigsaw', config: '{"order":"sparsest-first"}', runs: 3, jobs: 180, timed: true, measured: 3 },
    ])
    const lines = readFileSync(join(folder.path, 'e.results.ndjson'), 'utf8').trimEnd().split('\n')
    const results = lines.map((line) => JSON.parse(line) as Row)
    const waits = results.filter(({ cell }) => cell.policy === 'baseline').map(({ metrics }) => metrics.wait.mean)
    expect(rows[0].wait).toBeCloseTo(mean(waits), 6)
  },
)
