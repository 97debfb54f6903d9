import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readOutput, type Report, type StoredOutput } from '../src/index.ts'
import { folder } from './experiment-pages.ts'

const outputs = join(folder, 'outputs')

/** Module of apps/cli that prints reports. */
const { reportText } = (await import(
  pathToFileURL(resolve(import.meta.dirname, '../../cli/src/reproduce/report-text.ts')).href
)) as { readonly reportText: (report: Report) => string }

function printed({ command, head, remarks, ...report }: StoredOutput): string {
  const text = reportText({ ...report, charts: [] })
  return `$ ${command}\n${[head, text, ...remarks].filter((part) => part !== '').join('\n\n')}`
}

describe('readOutput', () => {
  it.each(readdirSync(outputs))('the report that readOutput reads from %s prints the same text', (file) => {
    const text = readFileSync(join(outputs, file), 'utf8')
    expect(printed(readOutput(text))).toBe(text.trimEnd())
  })

  it('readOutput reads tables, comparisons and the lines where they begin', () => {
    const text = [
      '$ cloister reproduce x',
      'x: a figure',
      'a paper',
      '',
      'Title',
      '',
      'trace  Jigsaw',
      '-----  -------',
      'Atlas  91.95 %',
      '',
      'section  what the paper states  paper           here    difference',
      '-------  ---------------------  --------------  ------  ----------',
      '    6.1  a share                95.0 to 96.0 %  94.9 %  -0.1',
      '    6.4  a time                 2,830 µs        52 µs   1/54',
      '',
      '1 more statements',
    ].join('\n')
    const read = readOutput(`${text}\n`)
    expect(read).toMatchObject({ command: 'cloister reproduce x', head: 'x: a figure\na paper' })
    expect(read.tables).toEqual([{ title: 'Title', heading: ['trace', 'Jigsaw'], rows: [['Atlas', '91.95 %']], at: 7 }])
    expect(read.comparisonsAt).toBe(11)
    expect(read.comparisons).toMatchObject([
      { unit: 'share', paper: { low: 0.95, high: 0.96 }, ours: expect.closeTo(0.949), difference: -0.001 },
      { unit: 'seconds', ours: expect.closeTo(0.000052, 8), difference: 1 / 54 },
    ])
    expect(read.remarks).toEqual(['1 more statements'])
    expect(() => readOutput(text.replace('2,830 µs', '       ?'))).toThrow(
      'expected a number in a comparison, found "?"',
    )
    expect(() => readOutput('x\n')).toThrow('expected "$ command" first, found x')
  })
})
