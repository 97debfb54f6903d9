import { expect, test } from 'vitest'
import { invariants } from '../src/index.ts'

test('INVARIANTS.md lists every invariant; vitest --update writes it', async () => {
  const lines = [
    '# Invariants',
    '',
    'What `cloister audit` tests, in the order of its report.',
    '',
    '| Invariant | What holds |',
    '|---|---|',
    ...invariants.map(({ name, property }) => `| \`${name}\` | ${property} |`),
    '',
  ]
  await expect(lines.join('\n')).toMatchFileSnapshot('../INVARIANTS.md')
})
