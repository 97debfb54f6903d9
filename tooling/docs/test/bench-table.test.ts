import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { benchedCases, quotedOutput, readOutput, readSpeedPage, UNMEASURED, withOutput } from '../bench-table.ts'

const root = resolve(import.meta.dirname, '../../..')
const page = readSpeedPage(root)
const isMeasured = quotedOutput(page) !== UNMEASURED

const example = `growth
trace     topology  policy  jobs    cold
--------  --------  ------  ----  ------
synth:16  radix:16  jigsaw    10  4.2 µs
All times are with log.

options
trace     topology  policy  options       jobs    cold
--------  --------  ------  ------------  ----  ------
synth:16  radix:16  jigsaw                  10  4.2 µs
synth:16  radix:16  jigsaw  --queue fcfs    10  4.2 µs

Each figure is the median of 7 processes. Without other options: EASY(50), exact; Node 24.1.0, Processor (R).`

test('readOutput returns groups, columns, cases and runs of an output of `cloister bench`', () => {
  expect(readOutput(example)).toEqual({
    tables: [
      {
        group: 'growth',
        columns: ['trace', 'topology', 'policy', 'jobs', 'cold'],
        cases: ['synth:16 radix:16 jigsaw'],
      },
      {
        group: 'options',
        columns: ['trace', 'topology', 'policy', 'options', 'jobs', 'cold'],
        cases: ['synth:16 radix:16 jigsaw', 'synth:16 radix:16 jigsaw --queue fcfs'],
      },
    ],
    runs: 7,
    settings: 'Without other options: EASY(50), exact',
  })
})

test.runIf(isMeasured)(
  'docs/speed.md has a row for each case of the groups of `cloister bench` in order, or for each case with a synthetic trace',
  async () => {
    const groups = await benchedCases(root)
    const { tables } = readOutput(quotedOutput(page))
    expect(tables.map(({ group }) => group)).toEqual(Object.keys(groups).filter((group) => group !== 'large'))
    for (const { group, cases } of tables) {
      const { all, synthetic } = groups[group]
      const named = cases.map((each) => each.split(' ').slice(0, 3).join(' '))
      expect(named).toEqual(named.length === all.length ? all : synthetic)
    }
  },
)

test('docs/speed.md quotes the columns of `cloister bench` and the line below the tables', () => {
  const program = join(root, 'apps/cli/dist/cloister.js')
  const words = [program, 'bench', '--quick', '--runs', '1', '--group', 'small,growth']
  const run = spawnSync(process.execPath, words, { encoding: 'utf8' })
  expect(run).toMatchObject({ status: 0 })
  const printed = readOutput(run.stdout)
  expect(printed.tables.map(({ group }) => group)).toEqual(['small', 'growth'])
  expect(printed.tables.every(({ columns }) => columns.includes('cold') && columns.includes('warm'))).toBe(true)
  if (!isMeasured) return
  const { tables, runs, settings } = readOutput(quotedOutput(page))
  for (const { group, columns } of printed.tables)
    expect(tables.find((each) => each.group === group)).toMatchObject({ columns })
  expect(settings).toBe(printed.settings)
  const groups = tables.map(({ group }) => group).join(',')
  expect(page).toContain(`$ npm run cloister -- bench --group ${groups} --runs ${runs}\n`)
})

test('withOutput replaces the whole output of bench and the number of runs in docs/speed.md', () => {
  const replaced = withOutput(page, example)
  expect(quotedOutput(replaced)).toBe(example)
  expect(replaced).toContain('bench --group growth,options --runs 7\n')
  const other = example.replace('median of 7', 'median of 9').replaceAll('jigsaw', 'mosaic')
  expect(withOutput(replaced, other)).toBe(withOutput(page, other))
})

test.each(['', 'a\n', 'trace  policy\n-----  ------\nx      y\n', example.slice(0, example.lastIndexOf('\n'))])(
  'withOutput refuses %j as an output of bench',
  (text) => {
    expect(() => withOutput(page, text)).toThrow(/no (output|table) of cloister bench/)
    expect(() => withOutput('# T\n', example)).toThrow('quotes no output')
  },
)
