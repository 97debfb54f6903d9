import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
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

/** A month of Cab, made up: jobs a minute apart, every tenth a large one. */
function cabLog(jobs: number): string {
  const time = (minutes: number): string => new Date(Date.UTC(2014, 7, 1) + minutes * 60_000).toISOString().slice(0, 19)
  const rows = Array.from({ length: jobs }, (_, job) => {
    const size = job % 10 === 0 ? 200 : 1 + ((job * 37) % 64)
    return `${1000 + job},u,pbatch,${size},${16 * size},01:00:00,COMPLETED,${time(job)},${time(job)},00:${10 + (job % 50)}:00,${time(job + 60)},0:0`
  })
  return ['JobID,User,Partition,NNodes,NCPUS,Timelimit,State,Submit,Start,Elapsed,End,ExitCode', ...rows].join('\n')
}

const known = ({ comparisons }: Made): Made['comparisons'] => comparisons.filter(({ ours }) => ours !== null)

describe('reproduce', () => {
  it('lists what it can make', async () => {
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
    expect(namesIn(await folder.json('reproduce', 'list'))).toEqual([
      { name: 'string', title: 'string', source: 'string' },
    ])
    expect(complaint(await folder.cloister('reproduce', 'jigsaw-fig9'))).toMatch(
      /there is nothing to reproduce as "jigsaw-fig9"; did you mean jigsaw-fig\d\?/,
    )
    expect(complaint(await folder.cloister('reproduce', 'everything'))).toContain('known are jigsaw-table1, ')
  })

  it('compares what is at hand, and names what is not', async () => {
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

  it('runs an experiment, draws its figure, and takes up the results that there are', async () => {
    const folder = new Folder()
    folder.write('aug-cab.csv', cabLog(40))
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
    expect(again.stderr).toContain(`${before} results are in made/results.ndjson already`)
    expect(lines()).toBe(before)
  }, 120_000)

  it('runs the TA paper on the months of Cab at hand, doubled and tripled too, and shares the runs between its figures', async () => {
    const folder = new Folder()
    folder.write('aug-cab.csv', cabLog(70))
    const [table1, fig6, fig7, ...others] = (await folder.json(
      'reproduce',
      'pollard-table1',
      'pollard-fig6',
      'pollard-fig7',
      'pollard-fig5',
      'pollard-fig8',
      'pollard-fig9',
      'pollard-fig10',
      '--trace-dir',
      '.',
      '--out',
      'made',
    )) as ReadonlyArray<
      Made & {
        readonly tables: ReadonlyArray<{ readonly title: string; readonly rows: ReadonlyArray<ReadonlyArray<string>> }>
      }
    >
    expect(table1.tables[0].rows.map(([name]) => name)).toEqual([
      'Aug on Cab',
      'Aug-2x on Cab',
      'Aug-2x on Pinot',
      'Aug-3x on Pinot',
    ])
    expect(table1.comparisons.find(({ what }) => what === 'mean wait, Aug on Cab, TA V2')).toMatchObject({
      paper: { low: 0.3 },
      ours: expect.any(Number) as number,
    })
    expect(table1.comparisons.find(({ what }) => what === 'mean wait, Sept on Cab, TO')).toMatchObject({
      paper: { low: 295 },
      ours: null,
    })
    // A job of one node in the log asks for three.
    expect(fig6.tables[0].rows.map(([, one]) => one === '0.0 %')).toEqual([false, true, true, true])
    expect(
      fig7.comparisons.find(({ what }) => what === 'most hops under TA of jobs below 128 nodes: Aug-2x on Cab'),
    ).toMatchObject({ paper: { high: 2 }, difference: 0 })
    expect(others.every(({ tables }) => tables[0].rows.length > 0)).toBe(true)
    expect(readFileSync(join(folder.path, 'made/results.ndjson'), 'utf8').split('\n').length - 1).toBe(4 * 7)
  }, 120_000)

  it('runs the communication-aware policies continuously, and each job alone in one machine', async () => {
    const folder = new Folder()
    const rows = Array.from(
      { length: 60 },
      (_, job) => `${job + 1} ${1000 + job} ${600 + 7 * job} ${2 ** (3 + (job % 6))} 1 50`,
    )
    mkdirSync(join(folder.path, 'lists'))
    folder.write('lists/iitk_sample_theta.swf', ['Job_name Submit Runtime Nodes Comment Perc', ...rows].join('\n'))
    const names = [
      'mishra-table3',
      'mishra-table4',
      'mishra-fig6',
      'mishra-fig7',
      'mishra-fig8',
      'mishra-fig9',
    ] as const
    const [table3, table4, fig6, ...others] = (await folder.json(
      'reproduce',
      ...names,
      '--trace-dir',
      '.',
      '--out',
      'made',
    )) as ReadonlyArray<
      Made & { readonly tables: ReadonlyArray<{ readonly rows: ReadonlyArray<ReadonlyArray<string>> }> }
    >
    expect(table3.tables[0].rows.map(([log, pattern]) => `${log} ${pattern}`)).toEqual(['Theta RHVD', 'Theta RD'])
    expect(table3.comparisons.find(({ what }) => what === 'execution saved by adaptive, Theta, RHVD')).toMatchObject({
      ours: expect.any(Number) as number,
    })
    expect(table3.comparisons.find(({ what }) => what === 'execution saved by adaptive, Mira, RHVD')).toMatchObject({
      ours: null,
    })
    expect(table4.tables[0].rows.map((row) => row.slice(0, 3))).toEqual([
      ['Theta', 'RHVD', '60'],
      ['Theta', 'RD', '60'],
    ])
    expect(fig6.tables[0].rows).toHaveLength(5)
    expect(others.map(({ tables }) => tables[0].rows.length)).toEqual([4, 3, 0])
    expect(complaint(await folder.cloister('reproduce', 'mishra-fig5'))).toContain('did you mean mishra-fig')
  }, 120_000)

  it('is empty, not wrong, where nothing is at hand', async () => {
    const folder = new Folder()
    for (const name of ['jigsaw-fig8', 'jigsaw-table2', 'jigsaw-1024']) {
      const { code, stdout, stderr } = await folder.cloister('reproduce', name)
      expect({ code, stderr }).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('Thunder is left out') as string,
      })
      expect(stdout).toContain('not at hand')
    }
    for (const name of ['pascual-fig2', 'pascual-fig5']) {
      const { code, stdout, stderr } = await folder.cloister('reproduce', name)
      expect({ code, stderr }).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("LLNL is left out: the log 'thunder'") as string,
      })
      expect(stdout).toContain('not at hand')
    }
    expect(existsSync(join(folder.path, 'reproduced/jigsaw-fig8.svg'))).toBe(false)
    expect(existsSync(join(folder.path, 'reproduced/pascual-fig2.svg'))).toBe(false)
  })
})
