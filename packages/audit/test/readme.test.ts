import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { invariants } from '../src/index.ts'

test('the README has every invariant as the code says it', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const table = [
    '| Invariant | What holds |',
    '|---|---|',
    ...invariants.map(({ name, property }) => `| \`${name}\` | ${property} |`),
  ].join('\n')
  expect(readme).toContain(`\n\n${table}\n\n`)
})
