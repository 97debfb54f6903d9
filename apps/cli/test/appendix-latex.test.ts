import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quoteWord } from '@cloister/run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asLatex } from '../src/commands/sweep/appendix-latex.ts'
import type { Block } from '../src/commands/sweep/appendix-text.ts'
import { folded } from '../src/commands/sweep/folded-commands.ts'

const hostile = './my_jobs & 50% of $x #1 {a} ~b ^c \\d \'e\' "f" <g|h> --i äöß 日本 → 😀 \\end{verbatim}.swf'
const sha256 = '4d20fe30622711ca02d8297e03ac23a1f0a2e47463f952daa638adcb8c27ccc2'

/** Returns an appendix with a name at all places of values, and with wide and narrow tables. */
function blocksWith(name: string): ReadonlyArray<Block> {
  const quoted = quoteWord(`${sha256} *${name}`)
  const metrics = ['utilization, steady state', 'makespan', 'turnaround, mean', 'wait, mean', 'slowdown, bounded']
  return [
    { kind: 'heading', level: 1, text: 'Artifact Description (AD)' },
    { kind: 'heading', level: 4, text: 'Relation to Contributions' },
    { kind: 'gap', text: `the relation of \`${name.replaceAll('`', "'")}\`` },
    { kind: 'heading', level: 5, text: 'Software' },
    { kind: 'table', heading: ['option', 'values'], rows: [['trace', name]] },
    { kind: 'heading', level: 5, text: 'Hardware' },
    { kind: 'text', text: `Means of \`${name.replaceAll('`', "'")}\`, by seeds:` },
    { kind: 'table', heading: ['trace', ...metrics], rows: [[name, ...metrics.map(() => '-13.38 ± 9.11 points')]] },
    { kind: 'text', text: 'Commands:' },
    { kind: 'code', text: `printf '%s\\n' ${quoted} | sha256sum --check\ncloister sweep ${quoteWord(name)}` },
  ]
}

describe('asLatex', () => {
  const text = asLatex(blocksWith(hostile))

  it('an appendix in LaTeX has no special characters outside of commands, no dashes and straight quotes', () => {
    expect(text).toContain(
      '\\texttt{./my\\_jobs \\& 50\\% of \\$x \\#1 \\{a\\} \\textasciitilde{}b \\textasciicircum{}c',
    )
    expect(text).toContain(
      '\\textbackslash{}d \\textquotesingle{}e\\textquotesingle{} "f" \\textless{}g\\textbar{}h\\textgreater{} -{}-i',
    )
    expect(text).toContain('$-$13.38 $\\pm$ 9.11 points')
  })

  it('an appendix in LaTeX has no command that the class of IEEE for conferences does not have', () => {
    expect(text).toContain('\\appendixpart{Software}')
    expect(text).not.toContain('\\subparagraph')
  })

  it('a wide table of an appendix goes over all columns with the text before as caption, and long cells have line breaks', () => {
    expect(text).toContain('\\begin{table*}\n\\caption{Means of ')
    expect(text).toMatch(/^See Table~\\ref\{(tab:artifact-\d+)\}\.$[^]*\\label\{\1\}/m)
    expect(text).toContain('\\shortstack[l]{wait,\\\\mean}')
    expect(text).toContain('{@{}l>{\\raggedright\\arraybackslash}X@{}}')
  })

  it('a file name of an appendix can neither end a block of commands nor stop pdflatex', () => {
    expect(text.match(/\\end\{verbatim\}/g)).toHaveLength(1)
    expect(text).toMatch(/^\\ifcsname u8:\\detokenize\{日\}.*\{\\textbackslash\{\}u65e5\}\\fi$/m)
  })
})

describe('folded', () => {
  it('folded keeps the words of each command, and its lines fit in a column', () => {
    const word = fc
      .string({ unit: fc.constantFrom(..."ab-/. '\\\n$`日".split('')), minLength: 1, maxLength: 90 })
      .filter((text) => !text.includes('\0'))
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        const command = folded(`printf '%s\\0' ${words.map(quoteWord).join(' ')}`)
        expect(execFileSync('sh', ['-c', command], { encoding: 'utf8' })).toBe(`${words.join('\0')}\0`)
        for (const line of command.split('\n')) expect(line.length).toBeLessThanOrEqual(52)
      }),
      { numRuns: 100 },
    )
  })

  it('folded leaves a short command, and breaks a command between words first', () => {
    expect(folded('cloister sweep e.json')).toBe('cloister sweep e.json')
    expect(folded('cloister sweep report e.json --from e.results.ndjson --no-audit')).toBe(
      'cloister sweep report e.json --from \\\ne.results.ndjson --no-audit',
    )
  })
})

const hasPackages = ['IEEEtran.cls', 'upquote.sty', 'tabularx.sty'].every(
  (file) => spawnSync('kpsewhich', [file]).status === 0,
)

describe.skipIf(!hasPackages)('pdflatex, skipped without pdflatex, IEEEtran, tabularx and upquote', () => {
  it('pdflatex compiles an appendix with hostile names, and no line is too wide', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloister-appendix-'))
    writeFileSync(join(folder, 'appendix.tex'), asLatex(blocksWith(hostile)))
    writeFileSync(
      join(folder, 'paper.tex'),
      [
        '\\documentclass[conference]{IEEEtran}',
        '\\usepackage[T1]{fontenc}\\usepackage{graphicx,tabularx,upquote}',
        '\\begin{document}\\input{appendix.tex}\\end{document}',
      ].join('\n'),
    )
    const options = ['-interaction=nonstopmode', '-halt-on-error', '-no-shell-escape', 'paper.tex']
    const { status, stdout } = spawnSync('pdflatex', options, { cwd: folder, encoding: 'latin1' })
    expect(status, stdout).toBe(0)
    const log = readFileSync(join(folder, 'paper.log'), 'latin1')
    expect(log.split('\n').filter((line) => line.startsWith('Overfull \\hbox'))).toEqual([])
  })
})
