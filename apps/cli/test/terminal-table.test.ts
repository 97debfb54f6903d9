import { expect, test } from 'vitest'
import { fields, table } from '../src/terminal/table.ts'

test('a table aligns ASCII names and names of wide characters', () => {
  const rows = [
    ['a1', 7],
    ['日本', 12],
    ['é', 3],
  ] as const
  expect(table(['user', 'jobs'], rows)).toBe(
    ['user  jobs', '----  ----', 'a1       7', '日本    12', 'é        3'].join('\n'),
  )
  expect(
    fields([
      ['ab', 1],
      ['日本', 2],
    ]),
  ).toBe('ab    1\n日本  2')
})
