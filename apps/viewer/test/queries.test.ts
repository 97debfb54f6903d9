import type { Query } from '@cloister/exports'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { timeOfRow } from '../src/page/state/asked-query.ts'
import { QueryAnswers } from '../src/run/queries.ts'
import { runs } from './runs.ts'

const [{ records }] = fc.sample(runs, 1)

it('`QueryAnswers` gives at most 500 rows, and asks a query again only if the log has grown', () => {
  let asked = 0
  const query: Query = {
    contract: 1,
    name: 'numbers',
    description: 'Which numbers?',
    columns: [{ name: 'number', type: 'int32', unit: '', nullable: false, meaning: 'number of the row' }],
    rows: () => {
      asked++
      return Array.from({ length: 501 }, (_, number) => ({ number }))
    },
  }
  const answers = new QueryAnswers([query])
  const answer = answers.answer('numbers', 7, () => records)
  expect([answer.rows.length, answer.more, answer.records]).toEqual([500, true, 7])
  expect(answers.answer('numbers', 7, () => records)).toBe(answer)
  answers.answer('numbers', 8, () => records)
  expect(asked).toBe(2)
  expect(() => answers.answer('letters', 8, () => records)).toThrow('there is no query "letters"')
})

it.each([
  [
    { begin: 3, end: 7 },
    { from: 3, to: 7 },
  ],
  [
    { begin: 3, end: null },
    { from: 3, to: 90 },
  ],
  [
    { begin: null, end: 7 },
    { from: 7, to: 7 },
  ],
  [{ begin: null, end: null }, undefined],
])('the row %j of a query has the time %j', (row, time) => {
  const column = { type: 'float64', unit: 's', nullable: true, meaning: 'a time' } as const
  const columns = (['begin', 'end'] as const).map((mark) => ({ ...column, name: mark, mark }))
  expect(timeOfRow(columns, row, 90)).toEqual(time)
})
