import * as Schema from 'effect/Schema'
import type { Check, Shape } from './shapes.ts'
import { shapeOf } from './lines.ts'
import { type RecordType, recordTable } from './table.ts'
import type { Down, Written } from './types.ts'

type RecordOfType<Type extends Written['type']> = Type extends Down['type']
  ? Down
  : Extract<Written, { readonly type: Type }>

export type RecordSchemas = { readonly [Type in Written['type']]: Schema.Codec<RecordOfType<Type>> }

/** Schema of each type of record. A program that does not use the schemas need not carry Effect. */
export const recordSchemas: RecordSchemas = /* @__PURE__ */ schemasOfRecords()

function schemasOfRecords(): RecordSchemas {
  const types = Object.keys(recordTable) as ReadonlyArray<RecordType>
  return Object.fromEntries(types.map((type) => [type, schemaOf(shapeOf(type))])) as unknown as RecordSchemas
}

/** Returns the schema of the values of a shape. */
export function schemaOf(shape: Shape): Schema.Codec<any> {
  switch (shape.of) {
    case 'number':
      return withChecks(Schema.Number, shape.checks)
    case 'string':
      return withChecks(Schema.String, shape.checks)
    case 'boolean':
      return withChecks(Schema.Boolean, shape.checks)
    case 'JSON value':
      return withChecks(Schema.Json, shape.checks)
    case 'JSON object':
      return withChecks(Schema.JsonObject, shape.checks)
    case 'values':
      return Schema.Literals(shape.values)
    case 'array':
      return withChecks(Schema.Array(schemaOf(shape.items)), shape.checks)
    case 'tuple':
      return Schema.Tuple(shape.items.map(schemaOf))
    case 'object':
      return Schema.Struct(
        Object.fromEntries(
          Array.from(shape.members, ([name, { shape: of, isOptional, says }]) => {
            const member = isOptional ? Schema.optionalKey(schemaOf(of)) : schemaOf(of)
            return [name, says === '' ? member : member.annotateKey({ description: says })]
          }),
        ),
      )
    case 'either':
      return Schema.Union(shape.each.map(schemaOf))
  }
}

function withChecks(schema: Schema.Codec<any>, checks: ReadonlyArray<Check>): Schema.Codec<any> {
  return checks.reduce((checked, check) => checked.check(filterOf(check)), schema)
}

function filterOf({ expected, holds, known }: Check) {
  if (known === undefined) return Schema.makeFilter(holds, { expected })
  if (known === 'integer') return Schema.isInt()
  if (known === 'finite') return Schema.isFinite()
  if (known === 'not empty') return Schema.isMinLength(1)
  return 'least' in known ? Schema.isGreaterThanOrEqualTo(known.least) : Schema.isPattern(known.pattern, { expected })
}
