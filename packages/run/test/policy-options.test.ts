import { configSchema, integer, listOf, oneOf, type PlacementPolicy } from '@cloister/placement'
import * as Effect from 'effect/Effect'
import * as Schema from 'effect/Schema'
import { expect, test } from 'vitest'
import { policyOptions } from '../src/index.ts'

interface Config {
  readonly order: 'first' | 'last'
  readonly sizes?: ReadonlyArray<number>
  readonly seed: number
}

const policy = (config: PlacementPolicy<any>['config']) =>
  ({ contract: 1, name: 'mine', version: '1.0.0', config, make: () => ({ unsupported: 'nothing' }) }) as const

const ofFields = configSchema<Config>({
  order: { type: oneOf(['first', 'last']), default: 'first', description: 'free nodes that a job gets' },
  sizes: { type: listOf(integer({ above: 0 })) },
  seed: { type: integer({ least: 0 }), required: true },
})

const ofEffect = Schema.toStandardSchemaV1(
  Schema.Struct({
    order: Schema.Literals(['first', 'last'])
      .annotate({ description: 'free nodes that a job gets' })
      .pipe(Schema.withDecodingDefaultKey(Effect.succeed('first' as const))),
    sizes: Schema.optionalKey(Schema.Array(Schema.Int.check(Schema.isGreaterThan(0)))),
    seed: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  }),
)

test.each([
  ['configSchema', ofFields],
  ['a schema of Effect', ofEffect],
])('the options of a policy follow from %s', (_, config) => {
  // A config without the required field is not valid, so the schema gives no defaults.
  expect(policyOptions(policy(config))).toEqual([
    { name: 'order', type: '"first" | "last"', required: false, description: 'free nodes that a job gets' },
    { name: 'sizes', type: 'list of integer > 0', required: false },
    { name: 'seed', type: 'integer >= 0', required: true },
  ])
})

test('the options of a policy have the defaults of the schema', () => {
  const config = configSchema<Pick<Config, 'order'>>({ order: { type: oneOf(['first', 'last']), default: 'last' } })
  expect(policyOptions(policy(config))).toEqual([
    { name: 'order', type: '"first" | "last"', default: 'last', required: false },
  ])
})
