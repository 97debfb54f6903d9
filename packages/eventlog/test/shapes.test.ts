import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as Schema from 'effect/Schema'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../src/index.ts'
import { shapeOf } from '../src/records/lines.ts'
import { recordSchemas } from '../src/records/schemas.ts'
import { faultOf, known } from '../src/records/shapes.ts'
import { type RecordType, recordTable } from '../src/records/table.ts'
import { anyRecord, appendableTypes } from './any-record.ts'

/** Every record of the golden logs that differs from earlier records in its type, or in the names of its fields. */
const samples = [
  ...new Map(
    globSync('golden/3/{valid,warn}/*.ndjson', { cwd: import.meta.dirname })
      .flatMap((file) => readFileSync(join(import.meta.dirname, file), 'utf8').split('\n'))
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as JsonObject)
      .filter(({ type }) => Object.hasOwn(recordTable, type as string))
      .map((record) => [`${record['type'] as string}: ${namesIn(record)}`, record]),
  ).values(),
]

function namesIn(json: Json): string {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
    ? Object.entries(json as JsonObject)
        .map(([name, inner]) => `${name}{${namesIn(inner)}}`)
        .join()
    : ''
}

const wrong = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, true, false, '', 'x', '0', 'owned', 'fcfs', -1, 0, 1, 2, 0.5, 1e-4, 1e15),
  fc.constantFrom<unknown>(Infinity, NaN, [], [0], ['b', 'a'], [''], [1, 2, 3], [[]], {}, { x: 1 }, [{}], [[[]]]),
  fc.integer({ min: 1, max: 70 }).map((depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown),
)
const step = fc.tuple(fc.nat(), fc.constantFrom('into', 'replace', 'remove', 'add'), wrong)

/** Returns a copy of `json` with a change at the place to which the steps lead. */
function changed(json: unknown, [[at, action, value], ...others]: ReadonlyArray<[number, string, unknown]>): unknown {
  if (typeof json !== 'object' || json === null) return value
  const copy: Record<string, unknown> | Array<unknown> = Array.isArray(json) ? [...json] : { ...json }
  const keys = Object.keys(copy)
  const key = keys[at % keys.length] ?? 'x'
  if (action === 'into' && others.length > 0) Reflect.set(copy, key, changed(Reflect.get(copy, key), others))
  else if (action === 'add')
    Reflect.set(copy, Array.isArray(copy) ? copy.length : ['x', 'name', 'links'][at % 3], value)
  else if (action !== 'remove') Reflect.set(copy, key, value)
  else if (Array.isArray(copy)) copy.splice(at % (copy.length + 1), 1)
  else Reflect.deleteProperty(copy, key)
  return copy
}

const sample = fc.oneof(fc.constantFrom(...samples), ...appendableTypes.map(anyRecord)) as fc.Arbitrary<JsonObject>
const steps = fc.array(step, { minLength: 1, maxLength: 6 })

/** Returns the decoded value, or the message of the error in one line. */
function bySchema(type: RecordType, json: unknown, isExact: boolean): unknown {
  try {
    const decode = Schema.decodeUnknownSync(recordSchemas[type], { onExcessProperty: isExact ? 'error' : 'ignore' })
    return { decoded: JSON.stringify(decode(json)) }
  } catch (error) {
    if (!Schema.isSchemaError(error)) throw error
    return error.message.replaceAll(/\s*\n\s*/g, ' ')
  }
}

function byShape(type: RecordType, json: unknown, isExact: boolean): unknown {
  return faultOf(shapeOf(type), json, isExact) ?? { decoded: JSON.stringify(known(shapeOf(type), json)) }
}

it.each([true, false])(
  'a record has the same fault as under its schema, and the same known fields (exact: %s)',
  (isExact) => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(sample, steps, (record, path) => {
        const type = record['type'] as RecordType
        const json = changed(record, path)
        const found = byShape(type, json, isExact)
        expect(found).toEqual(bySchema(type, json, isExact))
        seen.add(typeof found === 'string' ? found.replaceAll(/ at .*/g, '') : 'decoded')
      }),
      { numRuns: 5000 },
    )
    // Every kind of fault was found.
    for (const kind of [
      'decoded',
      'Missing key',
      'Expected an integer',
      'Expected array',
      'Expected object',
      'Expected JSON value',
    ])
      expect(seen).toContain(kind)
  },
)
