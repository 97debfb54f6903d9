import type { PlacementPolicy } from '@cloister/placement'
import * as Effect from 'effect/Effect'
import * as Schema from 'effect/Schema'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { policyOptions } from '../src/index.ts'

const policy = (config: PlacementPolicy<any>['config']) =>
  ({ contract: 1, name: 'mine', version: '1.0.0', config, make: () => ({ unsupported: 'nothing' }) }) as const

const Order = v.pipe(v.picklist(['first', 'last']), v.description('free nodes that a job gets'))
const ofValibot = v.pipe(
  v.strictObject({
    order: v.exactOptional(Order, 'first'),
    sizes: v.exactOptional(v.array(v.pipe(v.number(), v.integer(), v.gtValue(0)))),
    seed: v.pipe(v.number(), v.integer(), v.minValue(0)),
  }),
  v.check(({ sizes = [], seed }) => !sizes.includes(seed), 'seed is one of the sizes'),
)

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
  ['a schema of valibot', ofValibot],
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
  const config = v.strictObject({ order: v.exactOptional(v.picklist(['first', 'last']), 'last') })
  expect(policyOptions(policy(config))).toEqual([
    { name: 'order', type: '"first" | "last"', default: 'last', required: false },
  ])
})
