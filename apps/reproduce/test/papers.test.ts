import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runOptionNames } from '@cloister/run'
import { Effect } from 'effect'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Comparison, partOf, reproductions } from '../src/index.ts'
import { make, makeWith } from './in-process.ts'

/** Makes a folder with the given files, and removes the folder after the test. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-papers-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

/** Returns an invented month of Cab: jobs a minute apart, every tenth a large one. */
function cabLog(jobs: number): string {
  const time = (minutes: number): string => new Date(Date.UTC(2014, 7, 1) + minutes * 60_000).toISOString().slice(0, 19)
  const rows = Array.from({ length: jobs }, (_, job) => {
    const size = job % 10 === 0 ? 200 : 1 + ((job * 37) % 64)
    return `${1000 + job},u,pbatch,${size},${16 * size},01:00:00,COMPLETED,${time(job)},${time(job)},00:${10 + (job % 50)}:00,${time(job + 60)},0:0`
  })
  return ['JobID,User,Partition,NNodes,NCPUS,Timelimit,State,Submit,Start,Elapsed,End,ExitCode', ...rows].join('\n')
}

/** Returns a list of jobs on powers of two nodes, each marked as communicating. */
function communicationList(jobs: number): string {
  const rows = Array.from(
    { length: jobs },
    (_, job) => `${job + 1} ${1000 + job} ${600 + 7 * job} ${2 ** (3 + (job % 6))} 1 50`,
  )
  return ['Job_name Submit Runtime Nodes Comment Perc', ...rows].join('\n')
}

const saying = (comparisons: ReadonlyArray<Comparison>, what: string): Comparison | undefined =>
  comparisons.find((each) => each.what === what)
const number: unknown = expect.any(Number)
const isOption = (key: string): boolean => (runOptionNames as ReadonlyArray<string>).includes(key)

describe('the Jigsaw paper', () => {
  it('jigsaw-fig7 compares the logs at hand, and reports each missing log once', async () => {
    const folder = folderWith({ 'aug-cab.csv': cabLog(40) })
    const { reports, remarks } = await make(folder, 'jigsaw-fig7', 'jigsaw-fig7')
    const [{ comparisons, charts, tables }] = reports
    expect(saying(comparisons, 'turnaround of all jobs under Jigsaw, 20%, Aug-Cab')?.ours).toBeGreaterThan(0)
    expect(saying(comparisons, 'turnaround of all jobs under LaaS, 10%, Oct-Cab')).toMatchObject({
      paper: { low: 1 },
      ours: null,
      difference: null,
    })
    expect(tables.map(({ title }) => title)).toEqual(['Aug-Cab: all jobs, jobs over 100 nodes'])
    // A display may read the report from a file, so the report must survive JSON.
    expect(JSON.parse(JSON.stringify(reports[0]))).toEqual(reports[0])
    expect(charts[0].chart.panels[0].groups.map(({ name }) => name)).toEqual([
      'None',
      '5%',
      '10%',
      '20%',
      'V2',
      'Random',
    ])
    expect(remarks.filter((remark) => remark.startsWith('Oct-Cab is left out: there is no oct-cab.csv'))).toHaveLength(
      1,
    )
  })
})

describe('the Pollard paper', () => {
  it('the pollard reproductions run the months of Cab at hand with single, double and triple sizes, and share the runs', async () => {
    const folder = folderWith({ 'aug-cab.csv': cabLog(70) })
    const { reports, specs } = await make(
      folder,
      'pollard-table1',
      'pollard-fig6',
      'pollard-fig7',
      'pollard-fig5',
      'pollard-fig8',
      'pollard-fig9',
      'pollard-fig10',
    )
    const [table1, fig6, fig7, ...others] = reports
    expect(table1.tables[0].rows.map(([name]) => name)).toEqual([
      'Aug on Cab',
      'Aug-2x on Cab',
      'Aug-2x on Pinot',
      'Aug-3x on Pinot',
    ])
    expect(saying(table1.comparisons, 'mean wait, Aug on Cab, TA V2')).toMatchObject({
      paper: { low: 0.3 },
      ours: number,
    })
    expect(saying(table1.comparisons, 'mean wait, Sept on Cab, TO')).toMatchObject({ paper: { low: 295 }, ours: null })
    // A job of one node in the log requests two or three nodes if sizes are doubled or tripled.
    expect(fig6.tables[0].rows.map(([, one]) => one === '0.0 %')).toEqual([false, true, true, true])
    expect(saying(fig7.comparisons, 'most hops under TA of jobs below 128 nodes: Aug-2x on Cab')).toMatchObject({
      paper: { high: 2 },
      difference: 0,
    })
    expect(others.every(({ tables }) => tables[0].rows.length > 0)).toBe(true)
    expect(specs).toHaveLength(4 * 8)
    expect(specs.flatMap(Object.keys).filter((key) => !isOption(key))).toEqual([])
  })
})

describe('the Mishra paper', () => {
  it('the mishra reproductions have a table row for each pattern, occupation, set and reading of the log at hand', async () => {
    const folder = folderWith({ 'lists/iitk_sample_theta.swf': communicationList(60) })
    const { reports, specs } = await make(
      folder,
      'mishra-table3',
      'mishra-table4',
      'mishra-fig6',
      'mishra-fig7',
      'mishra-fig8',
      'mishra-fig9',
      'mishra-readings',
    )
    const [table3, table4, fig6, ...others] = reports
    expect(table3.tables[0].rows.map(([log, pattern]) => `${log} ${pattern}`)).toEqual(['Theta RHVD', 'Theta RD'])
    expect(table3.comparisons.filter(({ what }) => what === 'hours of execution, Theta, Default')).toHaveLength(1)
    expect(saying(table3.comparisons, 'execution saved by adaptive, Theta, RHVD')).toMatchObject({ ours: number })
    expect(saying(table3.comparisons, 'execution saved by adaptive, Mira, RHVD')).toMatchObject({ ours: null })
    expect(table4.tables[0].rows.map((row) => row.slice(0, 3))).toEqual([
      ['Theta', 'RHVD', 'every second ended'],
      ['Theta', 'RD', 'every second ended'],
      ['Theta', 'RHVD', 'half full'],
      ['Theta', 'RD', 'half full'],
    ])
    const single = specs.filter(({ runTimes }) => runTimes === 'communication')
    expect(new Set(single.map(({ policy }) => policy))).toEqual(
      new Set(['slurm-tree', 'greedy', 'balanced', 'adaptive']),
    )
    expect(single.every(({ trace, queue }) => trace.startsWith(folder) && queue === 'fcfs')).toBe(true)
    expect(fig6.tables[0].rows).toHaveLength(5)
    expect(others.map(({ tables }) => tables[0].rows.length)).toEqual([4, 3, 0, 11])
    expect(others.at(-1)!.tables[1].rows.map(([reading]) => reading)).toEqual([
      'pairs of the code: heads of blocks',
      'pairs of the text: every rank',
    ])
  })
})

describe('the Pascual paper', () => {
  it('pascual-fig2 and pascual-fig3 run under users’ estimates, and contiguous searches at every speed-up', async () => {
    const anyLog = {
      locate: () => Effect.succeed({ trace: 'synth:8:60', arrivals: 'zero' }),
      readText: () => Effect.succeed(undefined),
      write: () => Effect.succeed('jobs.txt'),
      jobs: () => Effect.succeed([]),
    }
    const { reports, specs } = await makeWith(anyLog, '.', ['pascual-fig3', 'pascual-fig2'])
    expect(reports[0].tables.map(({ rows }) => rows.length)).toEqual([9, 9, 2])
    expect(saying(reports[1].comparisons, 'wait, contiguous without speed-up: HPC2N, EASY')).toMatchObject({
      paper: { low: 7 },
      ours: number,
    })
    expect(specs.every(({ estimates }) => estimates === 'requested')).toBe(true)
    expect(specs.flatMap(Object.keys).filter((key) => !isOption(key))).toEqual([])
    expect([...new Set(specs.map(({ scenario }) => scenario))]).toEqual([
      'none',
      ...[5, 10, 15, 20, 25, 30, 35, 40].map((percent) => `all:${percent}%`),
    ])
  })
})

it('pascual-rounding on the first jobs of a log adds seconds to the submit times of these jobs', async () => {
  const log = {
    locate: ({ source }: { readonly source: object }) =>
      Effect.succeed({ trace: 'synth:8:30', arrivals: 'zero', filter: (source as { filter: string }).filter }),
    readText: () => Effect.succeed(undefined),
    write: () => Effect.succeed('jobs.txt'),
    jobs: () => Effect.succeed([]),
  }
  const { specs } = await makeWith(partOf(log, { firstJobs: 5 }).service, '.', ['pascual-rounding'])
  const terms = ['times=minutes', ...[6, 12, 18, 24, 30, 36, 42, 48, 54].map((each) => `times=minutes+${each}`)]
  expect(new Set(specs.map(({ filter }) => filter))).toEqual(
    new Set(terms.map((term) => `size=requested,${term},first-jobs=5`)),
  )
  expect(new Set(specs.map(({ queue }) => queue))).toEqual(new Set(['fcfs']))
})

it('pascual-backfilling runs every reading beside nodes that are not installed', async () => {
  const folder = folderWith({})
  const anyLog = {
    locate: () => Effect.succeed({ trace: 'synth:8:60', arrivals: 'zero' }),
    readText: () => Effect.succeed(undefined),
    write: (name: string, text: string) =>
      Effect.sync(() => {
        writeFileSync(join(folder, name), text)
        return join(folder, name)
      }),
    jobs: () => Effect.succeed([]),
  }
  const { reports, specs } = await makeWith(anyLog, folder, ['pascual-backfilling'])
  expect(reports[0].tables[0].rows).toHaveLength(3)
  expect(new Set(specs.map(({ queue }) => queue))).toEqual(
    new Set(['counting:1000', 'counting:1000000,early', 'counting:1000000,in-order']),
  )
  const outages = readFileSync(join(folder, 'pascual-LLNL-not-installed.ndjson'), 'utf8')
  expect(JSON.parse(outages)).toEqual({ t: 0, type: 'down', nodes: '4008-4095' })
})

it('every report is empty if no log is at hand', async () => {
  // The search of `necessity` needs no job log.
  const names = reproductions.map(({ name }) => name).filter((name) => name !== 'necessity')
  const nothing = {
    locate: () => Effect.succeed(undefined),
    readText: () => Effect.succeed(undefined),
    write: () => Effect.succeed('jobs.txt'),
    jobs: () => Effect.succeed([]),
  }
  const { reports, specs } = await makeWith(nothing, '.', names)
  expect(specs).toEqual([])
  for (const { comparisons, charts } of reports) {
    expect(comparisons.filter(({ ours }) => ours !== null)).toEqual([])
    expect(charts.flatMap(({ chart }) => chart.panels.flatMap(({ groups }) => groups))).toEqual([])
  }
})
