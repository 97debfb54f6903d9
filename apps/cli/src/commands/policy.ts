import { Effect } from 'effect'
import { Command } from 'effect/cli'
import { jsonFlag, print } from '../output.ts'
import { builtins, lookupRule } from '../policy-lookup.ts'
import { table } from '../table.ts'

const list = Command.make(
  'list',
  { json: jsonFlag },
  Effect.fn(function* ({ json }) {
    const policies = builtins.map(({ name, version }) => ({ name, version }))
    yield* print(json, { builtin: policies }, () => `${table(['built in', 'version'], policies.map(({ name, version }) => [name, version]))}\n\n${lookupRule}`)
  }),
).pipe(Command.withDescription('List the built-in policies, and say how others are found'))

export const policy = Command.make('policy').pipe(Command.withDescription('Find and check placement policies'), Command.withSubcommands([list]))
