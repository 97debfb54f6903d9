import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reproductions } from '../src/index.ts'
import {
  complaintsOf,
  folder,
  isOfPart,
  type Output,
  pages,
  paperOf,
  parseOutput,
  storedOutputs,
} from './experiment-pages.ts'

const outputs = storedOutputs()

describe('the pages of experiments', () => {
  it.each(pages())('$name.md has only numbers that commands printed or that the paper states', ({ name, text }) => {
    expect(complaintsOf(text, outputs, paperOf(name))).toEqual([])
  })

  it('no stored output has results of only a part of a job log, so no verdict rests on a part', () => {
    expect(outputs.filter(isOfPart).map(({ command }) => command)).toEqual([])
  })

  it('every reproduction in the table of coverage has a stored output', () => {
    const { text } = outputs.find(({ command }) => command === 'cloister reproduce coverage')!
    const named = new Set([...text.matchAll(/ (reproduce [a-z]+-\w+)/g)].map(([, name]) => `cloister ${name}`))
    expect(named.size).toBeGreaterThan(20)
    const stored = new Set(outputs.map(({ command }) => command.split(' ').slice(0, 3).join(' ')))
    expect([...named].filter((name) => !stored.has(name))).toEqual([])
  })

  it('experiments/README.md lists every page of experiments', () => {
    const list = readFileSync(join(folder, 'README.md'), 'utf8')
    for (const { name } of pages()) if (name !== 'README') expect(list).toContain(`(${name}.md)`)
  })

  it('every page of experiments begins with a list of one to five verdicts', () => {
    for (const { name, text } of pages()) {
      if (name === 'README') continue
      const [, , summary] = text.split('\n\n')
      expect(`${name}: ${summary.split('\n').filter((line) => line.startsWith('- ')).length}`).toMatch(/: [1-5]$/)
    }
  })

  it('every stored output belongs to an existing command, and is quoted on a page', () => {
    const known = reproductions.map(({ name }) => `reproduce ${name}`)
    const all = pages().map(({ text }) => text)
    for (const { command } of outputs) {
      const [, what] = /^cloister (reproduce \S+|interference)/.exec(command) ?? []
      expect(['interference', ...known]).toContain(what)
      expect({ command, stands: all.some((text) => text.includes(`$ ${command}\n`)) }).toEqual({
        command,
        stands: true,
      })
    }
  })
})

it.each([
  ['a command with `--first-jobs`', '$ cloister reproduce x --first-jobs 9\n1.25\n'],
  ['a report of `--first-jobs`', '$ cloister reproduce x\na taste, not a result: only the first 9 jobs of each log\n'],
  ['the last jobs of a log', '$ cloister reproduce x\nThunder, the last 2,000 jobs on radix:18\n'],
  ['a stretch', '$ cloister reproduce x\nMakespan: mean of 3 stretches\n'],
])('isOfPart finds %s', (_, text) => {
  expect(isOfPart(parseOutput(text))).toBe(true)
})

describe('the check of a page', () => {
  const output: Output = parseOutput('$ cloister reproduce x\nTitle\n\nname  a  b\none   1  2.50 %\ntwo   3  40,000\n')
  const page = (body: string): string =>
    `# A paper of 1999\n\nA. Author, 2001: [what it says](src/paper.ts).\n\n${body}`
  const block = (...lines: ReadonlyArray<string>): string => ['```console', ...lines, '```'].join('\n')
  const complaints = (body: string, paper = ''): ReadonlyArray<string> => complaintsOf(page(body), [output], paper)

  it('complaintsOf accepts excerpts of outputs, printed numbers, numbers of the paper, and numbers of figures and sections', () => {
    const excerpt = block('$ cloister reproduce x', 'name  a  b', '…', 'two   3  40,000')
    expect(
      complaints(`${excerpt}\n\nIt is 2.50 %, not 40,000 (Figure 12, section 6.4), in Synth-16 with \`64\`.`),
    ).toEqual([])
    expect(complaints(`${excerpt}\n\nThe paper has 95 %, 0.95 and 1000.`, 'low: 0.95, jobs: 1_000')).toEqual([])
  })

  it.each([
    ['a number from nowhere', 'It is 2.6 %.', 'prints 2.6'],
    ['an output that the page does not name', 'It is 2.50 %.', 'prints 2.50'],
    ['a changed cell', block('$ cloister reproduce x', 'one   1  2.60 %'), 'not what the command printed'],
    [
      'a line too few',
      block('$ cloister reproduce x', 'name  a  b', 'two   3  40,000'),
      'not what the command printed',
    ],
    [
      'another order',
      block('$ cloister reproduce x', 'two   3  40,000', '…', 'name  a  b'),
      'not what the command printed',
    ],
    ['another command', block('$ cloister reproduce y', 'one   1  2.50 %'), 'no stored output'],
    ['no command', block('one   1  2.50 %'), 'no stored output'],
    ['another kind of block', '```text\n77\n```', 'a block of kind "text"'],
  ])('complaintsOf finds a fault of a page: %s', (_, body, complaint) => {
    expect(complaints(body).join('\n')).toContain(complaint)
  })
})
