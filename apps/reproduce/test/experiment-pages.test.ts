import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reproductions } from '../src/index.ts'
import {
  complaintsOf,
  folder,
  type Output,
  pages,
  paperOf,
  parseOutput,
  partialVerdicts,
  storedOutputs,
} from './experiment-pages.ts'

const outputs = storedOutputs()

describe('the pages of experiments', () => {
  it.each(pages())('$name.md has only numbers that commands printed or that the paper states', ({ name, text }) => {
    expect(complaintsOf(text, outputs, paperOf(name))).toEqual([])
  })

  it.each(pages())('$name.md has no verdict with a number from only the first jobs of a log', ({ name, text }) => {
    if (name !== 'README') expect(partialVerdicts(text, outputs, paperOf(name))).toEqual([])
  })

  it.each(outputs.filter(({ command }) => command.includes('--first-jobs')))(
    'the page of $command says that the output concerns only a part of a log',
    ({ command }) => {
      for (const { text } of pages().filter((page) => page.text.includes(command)))
        expect(text).toContain('\n**A part.** ')
    },
  )

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

it('partialVerdicts finds a verdict’s number that only an output of `--first-jobs` has', () => {
  const [part, whole] = ['$ cloister reproduce x --first-jobs 9\n1.25\n', '$ cloister reproduce x\n7.50\n'].map(
    parseOutput,
  )
  const page = (verdict: string): string => `# x\n\nA paper.\n\n- ${verdict}\n\n${part.command} ${whole.command}`
  expect(partialVerdicts(page('Holds: 7.50 of 3 (Figure 2).'), [part, whole], 'low: 3')).toEqual([])
  expect(partialVerdicts(page('Holds: 1.25.'), [part, whole], '')).toEqual(['1.25'])
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
