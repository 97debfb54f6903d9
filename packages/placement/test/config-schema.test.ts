import { inspect } from 'node:util'
import * as Effect from 'effect/Effect'
import * as Schema from 'effect/Schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  boolean,
  type ConfigFields,
  configSchema,
  eitherOf,
  integer,
  listOf,
  objectOf,
  oneOf,
  readConfig,
  text,
  type ValueType,
  withRule,
} from '../src/index.ts'

/** Type of this package, the schema of Effect for the same values, and values that are often right. */
interface Twin {
  readonly ours: ValueType<any>
  readonly effects: Schema.Codec<any>
  readonly values: fc.Arbitrary<unknown>
  /** Default of a field of the type; absent for types without a default in these tests. */
  readonly byDefault?: unknown
}

const above = (bound: number): Schema.Codec<any> => Schema.Int.check(Schema.isGreaterThan(bound))
const simple: ReadonlyArray<Twin> = [
  {
    ours: oneOf(['a', 'b']),
    effects: Schema.Literals(['a', 'b']),
    values: fc.constantFrom('a', 'b', 'c'),
    byDefault: 'a',
  },
  { ours: boolean, effects: Schema.Boolean, values: fc.boolean(), byDefault: false },
  { ours: text, effects: Schema.String, values: fc.string({ maxLength: 3 }) },
  { ours: integer({ above: 0 }), effects: above(0), values: fc.integer({ min: -1, max: 9 }) },
  {
    ours: integer({ least: 3 }),
    effects: Schema.Int.check(Schema.isGreaterThanOrEqualTo(3)),
    values: fc.constantFrom(2, 3, 2.5),
  },
  {
    ours: eitherOf(oneOf(['all']), integer({ above: 0 })),
    effects: Schema.Union([Schema.Literal('all'), above(0)]),
    values: fc.constantFrom('all', 'any', 1, 0),
    byDefault: 7,
  },
  {
    ours: withRule(text, (value) => (value.length > 1 ? undefined : 'Expected a long text')),
    effects: Schema.String.check(Schema.makeFilter((value) => value.length > 1, { expected: 'a long text' })),
    values: fc.constantFrom('', 'abc'),
  },
]

const names = ['a', 'b', 'c'] as const
const kinds = fc.constantFrom('optional', 'in every config')

const { twin } = fc.letrec<{ twin: Twin; object: Twin; list: Twin }>((tie) => ({
  twin: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constantFrom(...simple), tie('list'), tie('object')),
  list: fc
    .tuple(tie('twin'), fc.boolean())
    .map(([{ ours, effects, values }, isNonEmpty]): Twin => ({
      ours: listOf(ours, { isNonEmpty }),
      effects: isNonEmpty ? Schema.NonEmptyArray(effects) : Schema.Array(effects),
      values: fc.array(values, { maxLength: 3 }),
      ...(!isNonEmpty && { byDefault: [] }),
    })),
  object: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), tie('twin'), kinds), {
      minLength: 1,
      maxLength: 3,
      selector: ([name]) => name,
    })
    .map((fields): Twin => {
      const ours = fields.map(([name, { ours: type, byDefault }, kind]) => {
        if (kind === 'optional') return [name, { type }]
        return [name, byDefault === undefined ? { type, required: true } : { type, default: byDefault }]
      })
      const effects = fields.map(([name, { effects: schema, byDefault }, kind]): [string, Schema.Top] => {
        if (kind === 'optional') return [name, Schema.optionalKey(schema)]
        if (byDefault === undefined) return [name, schema]
        return [name, schema.pipe(Schema.withDecodingDefaultKey(Effect.succeed(byDefault)))]
      })
      const values = Object.fromEntries(fields.map(([name, { values: ofField }]) => [name, ofField]))
      return {
        ours: objectOf<any>(Object.fromEntries(ours) as ConfigFields<any>),
        effects: Schema.Struct(Object.fromEntries(effects)) as unknown as Schema.Codec<any>,
        values: fc.record(values, { requiredKeys: [] }),
      }
    }),
}))

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    NaN,
    Infinity,
    1e20,
    -0.5,
    1n,
    new Date(0),
    Array(1),
    Object.create({ a: 'a' }),
  ),
  fc.anything({ maxDepth: 2 }),
)

/** Returns a copy of a value with an odd value in some place. */
function spoiled(value: unknown, [at, ...others]: ReadonlyArray<number>, by: unknown): unknown {
  if (typeof value !== 'object' || value === null || at === undefined) return by
  const keys = [...Object.keys(value), Array.isArray(value) ? String(value.length) : 'x']
  const key = keys[at % keys.length]
  const copy = Array.isArray(value) ? [...value] : { ...value }
  Reflect.set(copy, key, spoiled(Reflect.get(copy, key), others, by))
  return copy
}

const cases = twin.chain(({ ours, effects, values }) => {
  const right = fc.record({ it: values })
  const path = fc.array(fc.nat(9), { maxLength: 5 })
  return fc.record({
    ours: fc.constant(configSchema<any>({ it: { type: ours, required: true } })),
    effects: fc.constant(Schema.Struct({ it: effects })),
    value: fc.oneof(
      right,
      fc.tuple(right, path, odd).map(([value, at, by]) => spoiled(value, at, by)),
    ),
  })
})

/** Returns the valid config as text with its members in order, or the faults. */
function resultOf(schema: ReturnType<typeof configSchema>, value: unknown): unknown {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) return 'a promise'
  if (result.issues === undefined) return inspect(result.value, { depth: 9 })
  return result.issues.map(({ message, path = [] }) => ({ message, path: path.map(String) }))
}

/** Returns a JSON Schema of Effect in the words of this package, which accepts no unknown fields. */
function inOurWords(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json
  if (Array.isArray(json)) return json.map(inOurWords)
  const { $schema: _draft, prefixItems: _first, additionalProperties, ...rest } = json as Record<string, unknown>
  const members = Object.entries(rest).map(([name, each]) => [name, inOurWords(each)])
  return { ...Object.fromEntries(members), ...(additionalProperties === true && { additionalProperties: false }) }
}

describe('configSchema', () => {
  test('reads configs and names faults like a schema of Effect', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(cases, ({ ours, effects, value }) => {
        const found = resultOf(ours, value)
        const options = { parseOptions: { onExcessProperty: 'error' } } as const
        expect(found).toEqual(resultOf(Schema.toStandardSchemaV1(effects, options) as never, value))
        if (Array.isArray(found)) for (const { message } of found) seen.add(message)
        else seen.add('right')
      }),
      { numRuns: 2000 },
    )
    expect([...seen]).toEqual(
      expect.arrayContaining(['right', 'Missing key', 'Expected no excess property', 'Expected "all" | number']),
    )
  })

  test('has the JSON Schema of a schema of Effect', () => {
    fc.assert(
      fc.property(cases, ({ ours, effects }) => {
        const ofEffect = Schema.toStandardJSONSchemaV1(effects)['~standard'].jsonSchema
        const { jsonSchema } = ours['~standard']
        for (const side of ['input', 'output'] as const)
          expect(jsonSchema[side]({ target: 'draft-07' })).toEqual(
            inOurWords(ofEffect[side]({ target: 'draft-2020-12' })),
          )
      }),
    )
    const { jsonSchema } = configSchema({})['~standard']
    expect(() => jsonSchema.input({ target: 'openapi-3.0' })).toThrow(
      'found the target openapi-3.0, expected draft-2020-12 or draft-07',
    )
  })

  interface Pair {
    readonly low: number
    readonly high?: number
    readonly level: 'leaf' | 'node' | number
  }
  const low = { type: integer({ least: 0 }), required: true } as const
  const high = { type: integer({ least: 0 }) }
  const level = { type: eitherOf(oneOf(['leaf', 'node']), integer({ above: 0 })), default: 'leaf' } as const

  test('names fields that do not fit together, and unknown fields, in words of the policy', () => {
    const schema = configSchema<Pair>(
      { low, high, level },
      {
        defectOf: (config) => ((config.high ?? Infinity) < config.low ? 'high is below low' : undefined),
        excess: 'no such field',
      },
    )
    expect(readConfig(schema, { high: 3, low: 2 })).toEqual({ value: { low: 2, high: 3, level: 'leaf' } })
    expect(readConfig(schema, { high: 1, low: 2 })).toMatchObject({
      wrong: expect.stringMatching(/: high is below low$/),
    })
    expect(readConfig(schema, { high: 'x', low: 2, lo: 1 })).toMatchObject({
      wrong: expect.stringMatching(/: lo: no such field; high: Expected number$/),
    })
    expect(readConfig(schema, { low: 1, level: 'pod' })).toMatchObject({
      wrong: expect.stringMatching(/level: Expected "leaf" \| "node" \| number$/),
    })
  })

  test('has a default or is required exactly for the members that every config has', () => {
    // @ts-expect-error: `low` needs a default, or is required.
    configSchema<Pair>({ low: { type: integer({ least: 0 }) }, high, level })
    // @ts-expect-error: `high` is optional, so a default would never be absent.
    configSchema<Pair>({ low, high: { ...high, default: 3 }, level })
    // @ts-expect-error: the type has no text `pod`.
    configSchema<Pair>({ low, high, level: { type: oneOf(['leaf', 'pod']), default: 'leaf' } })
    // @ts-expect-error: `level` has no type.
    configSchema<Pair>({ low, high })
  })
})
