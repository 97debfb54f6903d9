import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reproductions } from '@cloister/reproduce'
import { Folder, complaint, namesIn } from './cloister.ts'

interface Made {
  readonly comparisons: ReadonlyArray<{
    readonly what: string
    readonly paper: { readonly low: number } | null
    readonly ours: number | boolean | null
    readonly difference: number | null
  }>
  readonly files: ReadonlyArray<string>
}

/** Returns an invented job log of a month of Cab: jobs a minute apart, every tenth job large. */
function cabLog(jobs: number): string {
  const time = (minutes: number): string => new Date(Date.UTC(2014, 7, 1) + minutes * 60_000).toISOString().slice(0, 19)
  const rows = Array.from({ length: jobs }, (_, job) => {
    const size = job % 10 === 0 ? 200 : 1 + ((job * 37) % 64)
    return `${1000 + job},u,pbatch,${size},${16 * size},01:00:00,COMPLETED,${time(job)},${time(job)},00:${10 + (job % 50)}:00,${time(job + 60)},0:0`
  })
  return ['JobID,User,Partition,NNodes,NCPUS,Timelimit,State,Submit,Start,Elapsed,End,ExitCode', ...rows].join('\n')
}

const known = ({ comparisons }: Made): Made['comparisons'] => comparisons.filter(({ ours }) => ours !== null)

describe('cloister reproduce', () => {
  it('reproduce --print-experiment prints an experiment with the runs of the reproduction, and runs nothing', async () => {
    const folder = new Folder()
    folder.write('aug-cab.csv', cabLog(3))
    const words = ['reproduce', 'jigsaw-fig7', '--trace-dir', '.', '--out', 'made', '--first-jobs', '2'] as const
    const printed = await folder.cloister(...words, '--print-experiment')
    expect(printed.code).toBe(0)
    expect(printed.stdout).toMatch(/^\{"note":"jigsaw-fig7: Average turnaround[^\n]*"cells":\[\n {2}\{"trace"/)
    folder.write('fig7.json', printed.stdout)
    expect(existsSync(join(folder.path, 'made/results.ndjson'))).toBe(false)
    expect((await folder.cloister('sweep', 'fig7.json', '--trace-dir', '.', '--out', 'swept.ndjson')).code).toBe(0)
    // Equal cells: the results of the sweep answer all runs of the reproduction.
    const swept = readFileSync(join(folder.path, 'swept.ndjson'), 'utf8')
    folder.write('made/results.ndjson', swept)
    const reproduced = await folder.cloister(...words)
    expect([reproduced.code, readFileSync(join(folder.path, 'made/results.ndjson'), 'utf8')]).toEqual([0, swept])
    const runs = swept.split('\n').length - 1
    expect(reproduced.stderr).toContain(`audit: ${runs} runs audited, no violation\n`)
  })

  it('reproduce --print-experiment refuses a reproduction that is no plain sweep, with the reason', async () => {
    const folder = new Folder()
    folder.write('aug-cab.csv', cabLog(3))
    const refused = await folder.cloister('reproduce', 'jigsaw-table1', 'near-misses', '--print-experiment')
    expect(refused.code).toBe(2)
    expect(complaint(refused)).toContain('jigsaw-table1 is no plain sweep: it describes job logs and simulates nothing')
    // These two read records only if their runs have results, and a plan has none.
    const reading = ['mishra-table3', 'packing-rules']
    const alsoRefused = await folder.cloister('reproduce', ...reading, '--print-experiment')
    for (const name of reading)
      expect(complaint(alsoRefused)).toContain(`${name} is no plain sweep: it reads the records of its runs`)
  })

  it('reproduce list prints all experiments within 80 columns', async () => {
    const folder = new Folder()
    const { code, stdout } = await folder.cloister('reproduce', 'list')
    expect(code).toBe(0)
    for (const name of [
      'jigsaw-table1',
      'jigsaw-fig6',
      'jigsaw-1024',
      'jigsaw-table2',
      'jigsaw-fig7',
      'jigsaw-fig8',
      'jigsaw-table3',
      'pascual-fig2',
      'pascual-fig3',
      'pascual-fig4',
      'pascual-fig5',
      'pollard-table1',
      'pollard-fig5',
      'pollard-fig10',
      'mishra-table3',
      'mishra-fig9',
    ])
      expect(stdout).toContain(name)
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(namesIn(await folder.json('reproduce', 'list'))).toEqual([
      { name: 'string', title: 'string', source: 'string', withoutLogs: 'string' },
    ])
    expect(complaint(await folder.cloister('reproduce', 'jigsaw-fig9'))).toMatch(
      /there is no reproduction "jigsaw-fig9"; did you mean jigsaw-fig\d\?/,
    )
    expect(complaint(await folder.cloister('reproduce', 'mishra-fig5'))).toContain('did you mean mishra-fig')
    expect(complaint(await folder.cloister('reproduce', 'everything'))).toContain('expected one of jigsaw-table1, ')
  })

  it('reproduce runs the experiment on the available job logs, and prints the names of the missing job logs', async () => {
    const folder = new Folder()
    folder.write('aug-cab.csv', cabLog(12))
    const answer = await folder.cloister('reproduce', 'jigsaw-table1', '--trace-dir', '.')
    expect(answer.code).toBe(0)
    expect(answer.stderr).toContain("Thunder is left out: the log 'thunder'")
    expect(answer.stderr).toContain('Sep-Cab is left out: there is no sep-cab.csv in .')
    expect(answer.stderr).not.toContain('Aug-Cab is left out')
    expect(answer.stdout).toMatch(/Table 1 +jobs, Synth-28 +10,000 +10,000 +0\n/)
    expect(answer.stdout).toMatch(/Table 1 +jobs, Aug-Cab +30,691 +12 +-30,679\n/)
    expect(answer.stdout).toContain('25 more statements of the paper are about traces or policies that are not at hand')
  })

  it('reproduce runs an experiment, draws the chart, and takes existing results from the folder of --out', async () => {
    const folder = new Folder()
    folder.write('aug-cab.csv', cabLog(20))
    const arguments_ = ['reproduce', 'jigsaw-fig7', '--trace-dir', '.', '--out', 'made'] as const
    const made = (await folder.json(...arguments_)) as Made
    expect(namesIn(made)).toMatchInlineSnapshot(`
      {
        "comparisons": [
          {
            "difference": "null",
            "ours": "null",
            "paper": {
              "high": "number",
              "low": "number",
            },
            "section": "string",
            "unit": "string",
            "what": "string",
          },
        ],
        "files": [
          "string",
        ],
        "firstJobs": "null",
        "name": "string",
        "source": "string",
        "tables": [
          {
            "heading": [
              "string",
            ],
            "rows": [
              [
                "string",
              ],
            ],
            "title": "string",
          },
        ],
        "title": "string",
      }
    `)
    expect(
      known(made).some(
        ({ what, ours }) =>
          what === 'turnaround of all jobs under Jigsaw, 20%, Aug-Cab' && typeof ours === 'number' && ours > 0,
      ),
    ).toBe(true)
    expect(
      made.comparisons.find(({ what }) => what === 'turnaround of all jobs under LaaS, 10%, Oct-Cab'),
    ).toMatchObject({ paper: { low: 1 }, ours: null, difference: null })
    expect(made.files).toEqual([join('made', 'jigsaw-fig7.svg')])
    expect(readFileSync(join(folder.path, 'made/jigsaw-fig7.svg'), 'utf8')).toMatch(
      /^<svg [\s\S]*Aug-Cab[\s\S]*<\/svg>\n$/,
    )

    const lines = (): number => readFileSync(join(folder.path, 'made/results.ndjson'), 'utf8').split('\n').length - 1
    const before = lines()
    const again = await folder.cloister(...arguments_, '--json')
    expect(JSON.parse(again.stdout)).toEqual(made)
    expect(again.stderr).toContain(`made/results.ndjson already has ${before} results of the experiment`)
    expect(lines()).toBe(before)
  })

  it('reproduce --traces and --first-jobs run only some job logs and their first jobs, with a remark', async () => {
    const folder = new Folder()
    folder.write('aug-cab.csv', cabLog(20))
    const part = ['reproduce', 'jigsaw-table1', '--trace-dir', '.', '--first-jobs', '7'] as const
    const { stdout, stderr } = await folder.cloister(...part, '--traces', 'Aug-Cab')
    expect(stderr).not.toContain('left out')
    expect(stdout).toContain('a taste, not a result: only the first 7 jobs of each log')
    expect(stdout).toMatch(/Table 1 +jobs, Aug-Cab +30,691 +7 +-30,684\n/)
    expect(stdout).not.toMatch(/jobs, Synth-28 +10,000 +10,000/)
    expect(complaint(await folder.cloister(...part, '--traces', 'Aug-Cap'))).toContain(
      '--traces: found Aug-Cap, expected one of Synth-16, ',
    )
    expect(complaint(await folder.cloister('reproduce', 'jigsaw-table1', '--first-jobs', '0'))).toContain(
      '--first-jobs: found 0, expected at least 1',
    )
  })

  it('reproduce prints empty tables without any job log', async () => {
    const folder = new Folder()
    for (const [name, missing] of [
      ['jigsaw-fig8', 'Thunder is left out'],
      ['pascual-fig2', "LLNL is left out: the log 'thunder'"],
    ] as const) {
      const { code, stdout, stderr } = await folder.cloister('reproduce', name)
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(missing) as string })
      expect(stdout).toContain('not at hand')
    }
    expect(existsSync(join(folder.path, 'reproduced/jigsaw-fig8.svg'))).toBe(false)
    expect(existsSync(join(folder.path, 'reproduced/pascual-fig2.svg'))).toBe(false)
  })

  it('reproduce audits and keeps also the logs of runs whose records a reproduction reads one by one', async () => {
    const folder = new Folder()
    folder.write('aug-cab.csv', cabLog(20))
    const { code } = await folder.cloister('reproduce', 'pollard-fig7', '--trace-dir', '.', '--keep-logs', 'logs')
    expect(code).toBe(0)
    const kept = readdirSync(join(folder.path, 'logs'))
    expect(kept.map((name) => /_(baseline|ta)_/.exec(name)![1]).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      'baseline',
      'baseline',
      'ta',
      'ta',
    ])
    expect((await folder.cloister('audit', join('logs', kept[0]))).code).toBe(0)
  })

  it('shards of a reproduction give the output of one run, also of runs whose records a reproduction reads one by one', async () => {
    const folder = new Folder()
    folder.write('aug-cab.csv', cabLog(20))
    const run = async (...args: ReadonlyArray<string>) =>
      folder.cloister('reproduce', 'pollard-fig7', 'pollard-table1', '--trace-dir', '.', ...args)
    const whole = await run('--out', 'one')
    const kept = ['--out', 'made', '--keep-logs', 'logs'] as const
    const ran: Array<number> = []
    for (const shard of [['1/2'], ['2/2', '--claim']])
      ran.push((JSON.parse((await run(...kept, '--json', '--shard', ...shard)).stdout) as { ran: number }).ran)
    const cells = ran[0] + ran[1]
    expect(Math.abs(ran[0] - ran[1])).toBeLessThan(2)
    expect(readdirSync(join(folder.path, 'logs'))).toHaveLength(cells)
    const joined = await run(...kept)
    expect(joined.stdout).toBe(whole.stdout.replaceAll('chart: one', 'chart: made'))
    // The joined results of both shards answer all runs, so that no run starts again.
    expect(readFileSync(join(folder.path, 'made/results.ndjson'), 'utf8').trimEnd().split('\n')).toHaveLength(cells)
    expect(joined.stderr).toMatch(/made\/results\.ndjson already has \d+ results of the experiment/)
    expect(complaint(await run('--shard', '1/2', '--force'))).toContain('--force and --shard exclude each other')
    const refused = await folder.cloister('reproduce', 'jigsaw-table1', '--shard', '1/2')
    expect(complaint(refused)).toContain('--shard cannot be used here:\n  jigsaw-table1 writes no event log')
  })

  it('reproduce --emit prints a script of shards that ends with the command that joins the results', async () => {
    const folder = new Folder()
    folder.write('aug-cab.csv', cabLog(6))
    const part = ['--trace-dir', '.', '--traces', 'Aug-Cab'] as const
    const { code, stdout } = await folder.cloister(
      'reproduce',
      'jigsaw-fig7',
      ...part,
      '--emit',
      'make',
      '--shards',
      '2',
    )
    expect(code).toBe(0)
    expect(stdout.replaceAll(folder.path, 'FOLDER').replaceAll(/program\/[0-9a-f]{12}/g, 'program/BUILD'))
      .toMatchInlineSnapshot(`
      "# "jigsaw-fig7": 31 cells as 2 shards. make -j 8 -f FILE runs eight shards at a time, and merges the results.
      # The script can be run again at any time: finished cells do not run again.
      shards := shard-1 shard-2
      .PHONY: merge $(shards)

      merge: $(shards)
      	cd FOLDER && node reproduced/shards/program/BUILD/cloister.js reproduce jigsaw-fig7 --out reproduced --traces Aug-Cab --shard none --trace-dir .

      $(shards): shard-%:
      	cd FOLDER && exec node reproduced/shards/program/BUILD/cloister.js reproduce jigsaw-fig7 --out reproduced --traces Aug-Cab --shard $*/2 --trace-dir . --lease 120 --claim --workers 1
      "
    `)
  })

  it('reproduce exits with 3 and prints the reasons if runs fail', async () => {
    const folder = new Folder()
    folder.write('aug-cab.csv', cabLog(3).replaceAll('pbatch,', 'pbatch,many'))
    const { code, stderr } = await folder.cloister('reproduce', 'jigsaw-fig7', '--trace-dir', '.')
    expect(code).toBe(3)
    expect(stderr).toMatch(/^(\d+) of \1 runs failed:\n  \1 runs, first aug-cab\.csv, .*many/m)
  })
})

describe('a reproduction without event logs', () => {
  const without = reproductions.filter(({ withoutLogs }) => withoutLogs !== undefined)
  const refusal = (name: string, reason: string): string => `${name} writes no event log: ${reason}`

  it.each(reproductions)(
    'reproduce $name audits, or refuses --audit and --keep-logs',
    async ({ name, withoutLogs }) => {
      const folder = new Folder()
      for (const option of [['--audit'], ['--keep-logs', 'logs']]) {
        // No job log has the name of --traces, so that no run starts.
        const said = complaint(await folder.cloister('reproduce', name, ...option, '--traces', 'Nothing'))
        if (withoutLogs === undefined) expect(said).toContain('--traces: found Nothing')
        else expect(said).toContain(`${option[0]} cannot be used here:\n  ${refusal(name, withoutLogs.reason)}`)
      }
    },
  )

  it('the error about --audit lists all given reproductions without event logs', async () => {
    const folder = new Folder()
    const names = ['jigsaw-fig6', 'jigsaw-table1', 'necessity']
    const said = complaint(await folder.cloister('reproduce', ...names, '--audit', '--keep-logs', 'logs'))
    expect(said).toContain('--audit and --keep-logs cannot be used here:\n  jigsaw-table1 writes')
    expect(said).toContain('\n  necessity writes')
    expect(said).toContain('\n  remove the options for these reproductions')
    expect(said).not.toContain('jigsaw-fig6')
    expect(readdirSync(folder.path)).toEqual([])
  })

  it('a reproduction without event logs refuses --reservation unless the reproduction times runs of simulate', async () => {
    const folder = new Folder()
    const said = complaint(await folder.cloister('reproduce', 'coverage', '--reservation', 'movable'))
    expect(said).toContain('--reservation cannot be used here:\n  coverage writes no event log')
    const timed = await folder.cloister('reproduce', 'jigsaw-table3', '--reservation', 'movable', '--traces', 'Nothing')
    expect(timed.stderr).toContain('--traces: found Nothing')
  })

  it('a reproduction without event logs runs without --audit and --keep-logs, and with --no-audit', async () => {
    const folder = new Folder()
    expect((await folder.cloister('reproduce', 'jigsaw-table1', '--no-audit')).code).toBe(0)
    expect((await folder.cloister('reproduce', 'jigsaw-table1')).code).toBe(0)
  })

  it('a reproduction without event logs is marked in the output of list', async () => {
    const folder = new Folder()
    const listed = (await folder.json('reproduce', 'list')) as ReadonlyArray<{
      name: string
      withoutLogs: string | null
    }>
    expect(listed.filter(({ withoutLogs }) => withoutLogs !== null).map(({ name }) => name)).toEqual(
      without.map(({ name }) => name),
    )
    const { stdout } = await folder.cloister('reproduce', 'list')
    expect(stdout.split('\n').filter((line) => line.endsWith(' (writes no log)'))).toHaveLength(without.length)
  })
})
