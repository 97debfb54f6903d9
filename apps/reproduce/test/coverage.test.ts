import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { papers } from '../src/coverage.ts'
import { storedOutputs } from './experiment-pages.ts'
import { reproductions } from '../src/index.ts'

/** Number of figures and tables of each paper; the Combal slides have no numbered figures. */
const numbered: Readonly<Record<string, { readonly figures: number; readonly tables: number }>> = {
  Jigsaw: { figures: 8, tables: 3 },
  Pascual: { figures: 5, tables: 0 },
  Pollard: { figures: 12, tables: 1 },
  Mishra: { figures: 9, tables: 4 },
  Combal: { figures: 0, tables: 0 },
}

/** Returns the numbers of figures or tables in a text: 2, 3 and 4 for `Figures 2 to 4`. */
function numbersBehind(word: string, text: string): ReadonlyArray<number> {
  return [...text.matchAll(new RegExp(`${word}s? (I|\\d+)(?: (to|and) (\\d+))?`, 'g'))].flatMap(
    ([, first, joint, last]) => {
      const from = first === 'I' ? 1 : Number(first)
      if (joint === 'to') return Array.from({ length: Number(last) - from + 1 }, (_, at) => from + at)
      return joint === 'and' ? [from, Number(last)] : [from]
    },
  )
}

const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, at) => at + 1)

describe.each(papers)('$paper', ({ paper, items }) => {
  it('every figure and every table of the paper has a row in the table of coverage', () => {
    const text = items.map(({ item }) => item).join('; ')
    const rows = (word: string): ReadonlyArray<number> =>
      [...new Set(numbersBehind(word, text))].toSorted((a, b) => a - b)
    expect({ figures: rows('Figure'), tables: rows('Table') }).toEqual({
      figures: upTo(numbered[paper].figures),
      tables: upTo(numbered[paper].tables),
    })
  })

  it('in the table of coverage each item of the paper has an existing command or test, or a reason for its absence', () => {
    for (const { item, command, verdict, remark } of items) {
      expect({ item, none: command === undefined }).toEqual({ item, none: verdict === 'none' })
      if (verdict === 'none' || verdict === 'does not hold') expect(remark).toBeDefined()
      const [, name] = /^reproduce (\S+)$/.exec(command ?? '') ?? []
      if (name !== undefined) expect(reproductions.map((each) => each.name)).toContain(name)
      const [, tests] = /^\(tests of (\S+)\)$/.exec(command ?? '') ?? []
      if (tests !== undefined) expect(existsSync(resolve(import.meta.dirname, '../../..', tests, 'test'))).toBe(true)
    }
  })
})

it('every reproduction of a paper has a row in the table of coverage', () => {
  const commands = papers.flatMap(({ items }) => items.map(({ command }) => command))
  const ofPapers = reproductions.filter(({ name }) => /^(jigsaw|pascual|pollard|mishra|combal)-/.test(name))
  expect(ofPapers.filter(({ name }) => !commands.includes(`reproduce ${name}`))).toEqual([])
})

it('the table of coverage has as many items for each paper as counted by hand', () => {
  expect(Object.fromEntries(papers.map(({ paper, items }) => [paper, items.length]))).toEqual({
    Jigsaw: 18,
    Pascual: 9,
    Pollard: 16,
    Mishra: 13,
    Combal: 10,
  })
})

it('the stored output of `reproduce coverage` has a line for each item of coverage.ts', () => {
  const stored = storedOutputs().find(({ command }) => command === 'cloister reproduce coverage')!.text
  const lines = stored.split('\n').map((line) => line.trim().split(/ {2,}/))
  for (const { paper, items } of papers)
    for (const { item, command = '-', verdict, remark } of items)
      expect(lines).toContainEqual([paper, item, command, verdict, ...(remark === undefined ? [] : [remark])])
})
