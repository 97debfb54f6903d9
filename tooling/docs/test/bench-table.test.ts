import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { benchedCases, quotedTable, readSpeedPage, tableOf, withTable } from '../bench-table.ts'

const root = resolve(import.meta.dirname, '../../..')
const page = readSpeedPage(root)

test('docs/speed.md has a table row for each case of `cloister bench --large` in order, or for each case with a synthetic trace', async () => {
  const [all, publicOnes] = await benchedCases(root)
  expect(all.length).toBeGreaterThan(publicOnes.length)
  const { cases } = tableOf(quotedTable(page))
  expect(cases).toEqual(cases.length === all.length ? all : publicOnes)
})

test('docs/speed.md quotes the columns of `cloister bench` and the line below the table', () => {
  const program = join(root, 'apps/cli/dist/cloister.js')
  const run = spawnSync(process.execPath, [program, 'bench', '--quick', '--runs', '1'], { encoding: 'utf8' })
  expect(run).toMatchObject({ status: 0 })
  const { columns, runs } = tableOf(quotedTable(page))
  expect(columns).toEqual(tableOf(run.stdout).columns)
  expect(columns.length).toBeGreaterThan(8)
  const below = (text: string): string =>
    text
      .trim()
      .split('\n')
      .at(-1)!
      .replace(/^[^.]*\. |; .*$/g, '')
  expect(below(quotedTable(page))).toBe(below(run.stdout))
  expect(page).toContain(`$ npm run cloister -- bench --large --runs ${runs}\n`)
})

test('withTable replaces the whole bench table and the number of runs in docs/speed.md', () => {
  const quoted = quotedTable(page)
  const other = quoted.replace(/median of \d+/m, 'median of 9').replaceAll('baseline', 'greatest')
  const replaced = withTable(page, other)
  expect(quotedTable(replaced)).toBe(other)
  expect(replaced).toContain('bench --large --runs 9\n')
  expect(withTable(replaced, quoted)).toBe(page)
  expect(tableOf(other).cases[0]).toMatch(/ greatest$/)
})

test.each(['', 'a\n', 'trace  policy\n-----  ------\nx      y\n'])(
  'withTable refuses %j as a table of bench',
  (text) => {
    expect(() => withTable(page, text)).toThrow('no table of cloister bench')
    expect(() => withTable('# T\n', quotedTable(page))).toThrow('quotes no table')
  },
)
