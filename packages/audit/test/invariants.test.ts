import { expect, test } from 'vitest'
import { invariants } from '../src/index.ts'

test('INVARIANTS.md has the name and property of every invariant; `vitest --update` writes INVARIANTS.md', async () => {
  const lines = [
    '# Invariants',
    '',
    'The invariants that `cloister audit` tests, in the order of its report.',
    '',
    '| Invariant | Property |',
    '|---|---|',
    ...invariants.map(({ name, property }) => `| \`${name}\` | ${property} |`),
    '',
  ]
  await expect(lines.join('\n')).toMatchFileSnapshot('../INVARIANTS.md')
})
