import { runOptionNames, type RunSpec } from '@cloister/run'
import { Effect } from 'effect'
import { optionText } from '../commands/sweep/tables.ts'
import { Problem } from '../errors/errors.ts'

/**
 * Returns the test of a query of runs. Terms are separated by spaces, and all terms must be true: `OPTION=VALUE` or
 * `OPTION!=VALUE`, with alternatives as in `policy=jigsaw|laas`. `seed=` is true for a run without the option `seed`.
 */
export const runTest = Effect.fnUntraced(function* (query: string) {
  const terms = yield* Effect.forEach(
    query.split(/\s+/).filter((term) => term !== ''),
    testOf,
  )
  return (cell: RunSpec): boolean => terms.every((test) => test(cell))
})

const testOf = Effect.fnUntraced(function* (term: string) {
  const [, name, operator, value] = /^([a-zA-Z]+)(!?=)(.*)$/.exec(term) ?? []
  const option = runOptionNames.find((each) => each === name)
  if (option === undefined)
    return yield* new Problem(
      `--where: found ${term}, expected OPTION=VALUE or OPTION!=VALUE with an option of the runs: ${runOptionNames.join(', ')}`,
    )
  const values = value.split('|')
  return (cell: RunSpec): boolean => values.includes(optionText(cell, option)) === (operator === '=')
})
