import { expect, test } from 'vitest'
import { invariants, isUnnoticed, unnoticedChanges } from '../src/index.ts'

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
    '## Changes that no log shows',
    '',
    '`cloister fuzz --forge` changes sound logs, and seals the changed logs again. The following changes alter metrics of a log, but neither `cloister audit` nor `cloister audit --rerun` notices them, even with the trace of the run. The command names any other such change as a fault of the auditor.',
    '',
    '| Change | Reason |',
    '|---|---|',
    ...unnoticedChanges.map(
      ({ changes, reason }) => `| ${changes.map((change) => `\`${change}\``).join(', ')} | ${reason} |`,
    ),
    '',
  ]
  await expect(lines.join('\n')).toMatchFileSnapshot('../INVARIANTS.md')
})

test('regression: fuzz --forge reported a changed option migrate as a fault of the auditor although no job moved', () => {
  const t = 0
  const stayed = [{ seq: 1, t, type: 'allocate', job: '1', cause: 0, nodes: '0' }] as const
  const moved = [{ ...stayed[0], moved: 3 }]
  expect(isUnnoticed('header.options.migrate', stayed)).toBe(true)
  expect(isUnnoticed('header.options.migrate', moved)).toBe(false)
  expect(isUnnoticed('header.options.queue', stayed)).toBe(false)
})
