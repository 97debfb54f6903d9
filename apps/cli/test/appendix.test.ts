import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { asMarkdown } from '../src/commands/sweep/appendix-text.ts'
import { Folder, complaint } from './cloister.ts'

const seeds = ['synth:4:60', 'synth:4:60:2', 'synth:4:60:3']
const cells = [
  { trace: seeds, topology: 'radix:6', policy: ['baseline', { name: 'jigsaw', config: { order: 'sparsest-first' } }] },
  { trace: 'my jobs.swf', topology: 'radix:6', policy: 'jigsaw', queue: 'fcfs' },
]

function experiment(given: object): Folder {
  const folder = new Folder()
  folder.write('e.json', JSON.stringify({ cells: given }))
  const job = (id: number): string => `${id} ${id} -1 ${id * 10} 4 -1 -1 4 ${id * 20} -1 1 1 1 1 1 1 -1 -1\n`
  folder.write('my jobs.swf', Array.from({ length: 9 }, (_, at) => job(at + 1)).join(''))
  return folder
}

const read = (folder: Folder, file: string): string => readFileSync(join(folder.path, file), 'utf8')

/** Returns the lines of all blocks of commands of an appendix, each line once, without the backslashes before line ends. */
function commandsIn(appendix: string): ReadonlyArray<string> {
  const blocks = appendix
    .replaceAll(/'\\\n'|\\\n/g, '')
    .matchAll(/^(?:```sh|\\begin\{verbatim\})\n([^]*?)\n(?:```|\\end\{verbatim\})$/gm)
  return [...new Set([...blocks].flatMap(([, text]) => text.split('\n')))]
}

describe('cloister sweep report --appendix', () => {
  it.each([
    ['e.md', []],
    ['e.tex', []],
    ['e.md', ['--no-audit']],
  ])('the commands of the appendix %s %o, run in a new folder, write the bytes of the sweep', async (file, flags) => {
    const folder = experiment(cells)
    for (const shard of ['1/2', '2/2']) await folder.cloister('sweep', 'e.json', '--shard', shard, ...flags)
    const report = await folder.cloister(
      'sweep',
      'report',
      'e.json',
      '--appendix',
      file,
      '--baseline',
      'jigsaw',
      ...flags,
    )
    expect(report).toMatchObject({ code: 0, stdout: expect.stringMatching(new RegExp(`^${file}, [\\d.]+ kB$`, 'm')) })
    await folder.cloister('sweep', 'merge', 'e.json', ...flags)

    const again = new Folder()
    for (const input of ['e.json', 'my jobs.swf']) copyFileSync(join(folder.path, input), join(again.path, input))
    const commands = commandsIn(read(folder, file))
    expect(commands.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      "printf '%s\\n'",
      "printf '%s\\n'",
      'npm install',
      'cloister sweep',
      "printf '%s\\n'",
      'cloister sweep',
    ])
    for (const line of commands) {
      if (line.startsWith('printf '))
        expect(execFileSync('sh', ['-c', line], { cwd: again.path, encoding: 'utf8' })).toMatch(/: OK\n$/)
      else if (line.startsWith('cloister '))
        expect(await again.cloister(...line.split(' ').slice(1)), line).toMatchObject({ code: 0 })
    }
    expect(read(again, 'e.results.ndjson')).toBe(read(folder, 'e.results.ndjson'))
    expect(read(again, 'e.report.html')).toBe(read(folder, 'e.report.html'))
  })

  it('the appendix has versions, inputs, options and tables of the sweep, and marks what the sweep does not know', async () => {
    const folder = experiment(cells)
    await folder.cloister('sweep', 'e.json')
    await folder.cloister('sweep', 'report', 'e.json', '--appendix', 'e.md')
    const page = read(folder, 'e.md')
    const [first] = read(folder, 'e.results.ndjson').split('\n')
    const { build, program, policy, workload } = JSON.parse(first)
    expect(page).toContain(`| program | ${program} | build ${build} |`)
    expect(page).toContain(`| policy | ${policy} | part of cloister |`)
    expect(page).toContain(`| synth:4:60 | 60 | - | zero | ${workload.sha256} |`)
    expect(page).toContain('| config | {"order":"sparsest-first"} |')
    expect(page).toMatch(/^\| synth:4:60 \| baseline \|.* 3 \| [\d.]+ ± [\d.]+ % \|/m)
    expect(page).toContain('An auditor that shares no code with the scheduler checked 7 logs: no finding.')
    expect(page).toMatch(/^Artifact Execution: [\d.]+ minutes of worker threads in total, measured;/m)
    const gaps = page.split('\n').filter((line) => line.startsWith('> **TO BE FILLED IN BY THE AUTHORS:** '))
    expect(gaps.map((line) => line.replace(/^.*:\*\* (?:the )?([^ ]+) .*$/, '$1'))).toEqual([
      'contributions',
      'DOI',
      'relation',
      'way',
      'minutes',
      'processors',
      'URL',
      'URL,',
    ])
    expect([...page.matchAll(/^#{1,4} (.*)$/gm)].map(([, title]) => title)).toEqual([
      'Artifact Description (AD)',
      'Overview of Contributions and Artifacts',
      "Paper's Main Contributions",
      'Computational Artifacts',
      'Artifact Identification',
      'Computational Artifact A1',
      'Relation to Contributions',
      'Expected Results',
      'Expected Reproduction Time (in Minutes)',
      'Artifact Setup',
      'Artifact Execution',
      'Artifact Analysis',
      'Artifact Evaluation (AE)',
      'Computational Artifact A1',
      'Artifact Setup',
      'Artifact Execution',
      'Artifact Analysis',
    ])
  })

  it('sweep report refuses an appendix of an incomplete sweep, of several builds, and with another extension', async () => {
    const folder = experiment(cells)
    await folder.cloister('sweep', 'e.json', '--shard', '1/2', '--out', 'shards')
    const report = ['sweep', 'report', 'e.json', '--force', '--appendix']
    expect(complaint(await folder.cloister(...report, 'e.md', '--from', 'shards'))).toMatch(
      /^cloister: --appendix: \d of 7 cells have no result; cloister sweep e\.json runs the missing cells/,
    )
    await folder.cloister('sweep', 'e.json')
    expect(complaint(await folder.cloister(...report, 'e.pdf'))).toContain(
      '--appendix: found e.pdf, expected a name with .md or .tex',
    )
    expect(complaint(await folder.cloister(...report, 'e.report.html'))).toContain('e.report.html')
    folder.write('e.results.ndjson', read(folder, 'e.results.ndjson').replace(/"build":"[^"]*"/, '"build":"0"'))
    expect(complaint(await folder.cloister(...report, 'e.md'))).toContain(
      '--appendix: the results are of 2 builds of the program (0, ',
    )
  })

  it('an appendix escapes the characters with a meaning in Markdown', () => {
    const blocks = [
      { kind: 'text', text: 'The trace `a_b#1` has 95 %.' },
      { kind: 'table', heading: ['a|b'], rows: [['<b>_1\\2']] },
    ] as const
    expect(asMarkdown(blocks)).toBe('The trace `a_b#1` has 95 %.\n\n| a\\|b |\n|---|\n| \\<b\\>\\_1\\\\2 |\n')
  })
})
