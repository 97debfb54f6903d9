import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Effect } from 'effect'
import { describe, expect, it } from 'vitest'
import { agrees, rangeOf } from '../src/coverage/agreement.ts'
import type { Claim } from '../src/coverage/claim.ts'
import { numbers } from '../src/coverage/numbers.ts'
import { commandsOf, findValue, type Place, wholeOutputs } from '../src/coverage/place.ts'
import { papers, rowsOf } from '../src/coverage/report.ts'
import { readOutput, Records, type Report, reproductions, Runs, StoredOutputs, Traces } from '../src/index.ts'
import * as mishra from '../src/mishra/paper.ts'
import { compare, state } from '../src/report/comparison.ts'
import { mean } from '../src/report/numbers.ts'
import { folder, stored, storedOutputs } from './experiment-pages.ts'

/** Module of apps/cli that prints reports. */
const { reportText } = (await import(
  pathToFileURL(resolve(import.meta.dirname, '../../cli/src/reproduce/report-text.ts')).href
)) as { readonly reportText: (report: Report) => string }

const outputs = await Effect.runPromise(stored.all)
const rows = rowsOf(outputs)
const claims = papers.flatMap((each) => each.claims)
const values = claims.flatMap((claim) => (claim.kind === 'compared' ? claim.values : []))
const names = reproductions.map(({ name }) => `reproduce ${name}`)

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

/** Returns the commands that the values of a claim, the nearest results, or the explanation name. */
function commandsIn(claim: Claim): ReadonlyArray<string> {
  if (claim.kind === 'shown') return []
  if (claim.kind === 'not compared') return claim.command === undefined ? [] : [claim.command]
  const rest = claim.rest === undefined ? '' : claim.rest.kind === 'open' ? claim.rest.tried : claim.rest.where
  return [
    ...claim.values.flatMap(({ ours }) => commandsOf(ours)),
    ...[...rest.matchAll(/reproduce [a-z]+-[a-z\d]+/g)].map(([command]) => command),
  ]
}

describe.each(papers)('$paper', ({ paper, claims: own }) => {
  it('every figure and every table of the paper has a claim', () => {
    const text = own.map(({ section }) => section).join('; ')
    const found = (word: string): ReadonlyArray<number> =>
      [...new Set(numbersBehind(word, text))].toSorted((a, b) => a - b)
    expect({ figures: found('Figure'), tables: found('Table') }).toEqual({
      figures: upTo(numbered[paper].figures),
      tables: upTo(numbered[paper].tables),
    })
  })

  it('every claim names existing commands and folders of tests, and pages that explain', () => {
    for (const claim of own) {
      for (const command of commandsIn(claim))
        expect(/^interference --study [a-z-]+$/.test(command) ? names[0] : command).toBeOneOf([...names])
      if (claim.kind === 'shown')
        expect(existsSync(resolve(import.meta.dirname, '../../..', claim.tests, 'test'))).toBe(true)
      const rest = claim.kind === 'compared' ? claim.rest : undefined
      const text = rest === undefined ? '' : rest.kind === 'open' ? rest.tried : rest.where
      for (const [page] of text.matchAll(/[\w-]+\.md/g))
        expect({ page, is: existsSync(join(folder, page)) }).toEqual({ page, is: true })
    }
  })

  it('every open claim names a page or a command with everything that was tried', () => {
    const tried = own.flatMap((claim) =>
      claim.kind === 'compared' && claim.rest?.kind === 'open' ? [claim.rest.tried] : [],
    )
    expect(tried.filter((text) => !/[\w-]+\.md|reproduce [a-z]+-/.test(text))).toEqual([])
  })

  it('a claim is explained or open if and only if a value does not agree', () => {
    const wrong = rows.filter(
      (row) =>
        row.paper === paper &&
        row.claim.kind === 'compared' &&
        row.agreeing < row.comparisons.length === (row.claim.rest === undefined),
    )
    expect(wrong.map(({ claim, agreeing }) => ({ section: claim.section, claim: claim.claim, agreeing }))).toEqual([])
  })
})

it('every reproduction of a paper belongs to a claim', () => {
  const named = new Set(claims.flatMap(commandsIn))
  const ofPapers = names.filter((name) => /^reproduce (jigsaw|pascual|pollard|mishra|combal)-/.test(name))
  expect(ofPapers.filter((name) => !named.has(name))).toEqual([])
})

it('no value is from a part of a log', () => {
  for (const command of new Set(values.flatMap(({ ours }) => commandsOf(ours))))
    for (const { command: whole, head } of wholeOutputs(command, outputs)) {
      expect(whole).not.toContain('--first-jobs')
      expect(head).not.toMatch(/the first \d+ jobs|a taste, not a result/)
    }
})

it('the paper’s value of a claim overlaps the paper’s value in the stored output, in the digits of the output', () => {
  const different = values.filter(({ paper, ours }) => {
    const found = findValue(ours, outputs)
    if (paper === 'holds') return typeof found.value !== 'boolean'
    if (found.paper === undefined || found.paper === null) return typeof found.value !== 'number'
    const { unit, low, high } = rangeOf(paper)
    const digit = unit === 'share' || unit === 'points' ? 0.000_51 : unit === 'hours' || unit === 'count' ? 0.51 : 1e-6
    return found.paper.low > high + digit || found.paper.high < low - digit
  })
  expect(different).toEqual([])
})

it('in Table 3 of the Mishra paper the algorithms save 326 hours, which are 14.3 % of the hours under the default', () => {
  const tables = Object.values(mishra.table3).flatMap((log) => Object.values(log).map(({ execution }) => execution))
  const saved = mean(tables.flatMap((hours) => mishra.ours.map((algorithm) => hours.Default - hours[algorithm])))
  expect(saved).toBeCloseTo(326.2, 1)
  expect(saved / mean(tables.map((hours) => hours.Default))).toBeCloseTo(0.143, 3)
})

describe('the stored outputs of the table of claims and of the most important numbers', () => {
  const unused = Effect.die('this experiment needs no job logs and no runs')

  it.each(['coverage', 'numbers'])('%s has the values of the other stored outputs', async (name) => {
    const { title, source, produce } = reproductions.find((each) => each.name === name)!
    const report = await Effect.runPromise(
      produce.pipe(
        Effect.provideService(StoredOutputs, stored),
        Effect.provideService(Runs, { run: () => unused, time: () => unused }),
        Effect.provideService(Records, { watch: () => unused }),
        Effect.provideService(Traces, {
          locate: () => unused,
          readText: () => unused,
          write: () => unused,
          jobs: () => unused,
        }),
      ),
    )
    const { text } = storedOutputs().find(({ command }) => command === `cloister reproduce ${name}`)!
    expect(text).toBe(`${name}: ${title}\n${source}\n\n${reportText(report)}\n\n`)
  })

  it('there are 20 most important numbers, of every paper', () => {
    expect(numbers).toHaveLength(20)
    expect(new Set(numbers.map(({ paper }) => paper))).toEqual(new Set(papers.map(({ paper }) => paper)))
  })
})

describe('agrees', () => {
  it.each([
    ['a share half a point outside', compare('', '', 'share', { low: 0.85, high: 0.88 }, 0.845), true],
    ['a share further outside', compare('', '', 'share', { low: 0.85, high: 0.88 }, 0.844), false],
    ['a value at a bound', compare('', '', 'hours', { low: -Infinity, high: 0.5 }, 0.5), true],
    ['a value below a bound', compare('', '', 'ratio', { low: -Infinity, high: 1 }, -3), true],
    ['hours 5 % higher', compare('', '', 'hours', 100, 105), true],
    ['hours 6 % higher', compare('', '', 'hours', 100, 106), false],
    ['a count 6 % lower', compare('', '', 'count', 100, 94), false],
    ['a ratio 0.006 lower', compare('', '', 'ratio', 1.06, 1.054), false],
    ['a time 5 % longer', compare('', '', 'seconds', 0.1, 0.105), true],
    ['a time 1/54 as long', compare('', '', 'seconds', 0.00283, 0.000052), false],
    ['a statement that holds', state('', '', true), true],
    ['a statement that does not hold', state('', '', false), false],
  ])('%s', (_, comparison, expected) => expect(agrees(comparison)).toBe(expected))

  it('rangeOf reads values, ranges and bounds with their units, and refuses other texts', () => {
    expect(rangeOf('95.0 to 96.0 %')).toEqual({ unit: 'share', low: 0.95, high: 0.96 })
    expect(rangeOf('-101.1 %')).toEqual({ unit: 'share', low: -1.011, high: -1.011 })
    expect(rangeOf('at most 10,000 µs')).toEqual({ unit: 'seconds', low: -Infinity, high: 0.01 })
    expect(rangeOf('at least 1.000')).toEqual({ unit: 'ratio', low: 1, high: Infinity })
    expect(rangeOf('4.0 to 7.0 points')).toEqual({ unit: 'points', low: 0.04, high: 0.07 })
    expect(rangeOf('105,764')).toEqual({ unit: 'count', low: 105_764, high: 105_764 })
    expect(() => rangeOf('a tenth')).toThrow('found the value of a paper "a tenth", expected a number')
  })
})

describe('findValue', () => {
  const read = (command: string, ...lines: ReadonlyArray<string>) =>
    readOutput([`$ cloister ${command}`, 'x: a figure', '', ...lines, ''].join('\n'))
  const table = [
    'Waits',
    '',
    'log    pattern  TO    large  TA',
    '-----  -------  ----  -----  -------------',
    'Theta  RD       2.50  3      9.2 % (7 to 9)',
  ]
  const known = [
    read('reproduce x --first-jobs 9', 'Only here', '', 'log  a', '---  -', 'one  1'),
    read('reproduce x --traces Theta', ...table),
  ]
  const at = (row: string, column: string): Place => ({ command: 'reproduce x', table: 'Waits', row, column })

  it('finds a cell by the first cells of its row, and a column behind another column', () => {
    expect(findValue(at('Theta / RD', 'TO'), known)).toEqual({ value: 2.5 })
    expect(findValue(at('Theta', 'TO, large'), known)).toEqual({ value: 3 })
    expect(findValue(at('Theta', 'TA'), known)).toEqual({ value: expect.closeTo(0.092) })
  })

  it('combines places', () => {
    const [two, three] = [at('Theta', 'TO'), at('Theta', 'TO, large')]
    expect(findValue({ meanOf: [two, three] }, known).value).toBe(2.75)
    expect(findValue({ less: [three, two] }, known).value).toBe(0.5)
    expect(findValue({ over: [three, two] }, known).value).toBe(1.2)
  })

  it('refuses a place that no output, only a part of a log, or several rows have', () => {
    expect(() => findValue(at('Mira', 'TO'), known)).toThrow('found 0 values in 1 stored outputs, expected one')
    expect(() => findValue({ ...at('one', 'a'), table: 'Only here' }, known)).toThrow('found 0 values')
    expect(() => findValue({ command: 'reproduce y', statement: 'z' }, known)).toThrow('in 0 stored outputs')
    const twice = [read('reproduce x', ...table, 'Theta  RD       2.60  3      9.2 %')]
    expect(() => findValue(at('Theta', 'TO'), twice)).toThrow('found 2 values')
  })
})
