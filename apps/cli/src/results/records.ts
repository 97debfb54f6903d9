// Schemas of the parts of logs in results.
import { type Json as JsonValue, type LogRecord as AnyRecord, recordSchemas, type Written } from '@cloister/eventlog'
import * as Schema from 'effect/Schema'
import { named, number, oneOf, text } from './kinds.ts'

/** Any JSON value. */
export const Json: Schema.Codec<JsonValue> = Schema.Json

/** Schema of each type of record, named after the type. */
const schemas = Object.fromEntries(
  Object.entries(recordSchemas).map(([type, schema]) => [
    type,
    (schema as Schema.Codec<Written>).annotate({ identifier: `${type[0].toUpperCase()}${type.slice(1)}` }),
  ]),
) as typeof recordSchemas

export const RouteRecord = schemas.route

/** Record that a log can hold. */
export const WrittenRecord: Schema.Codec<Written> = Schema.Union(Object.values(schemas))

const UnknownRecord = named(
  'Unknown',
  "Stand-in for a record of a type that a later revision added: a reader needs only the record's seq, time and type.",
  { seq: number(), t: number(), type: oneOf(['unknown']), name: text('Type of the record in the log.') },
)

export const LogRecord: Schema.Codec<AnyRecord> = Schema.Union([...Object.values(schemas), UnknownRecord]).annotate({
  identifier: 'LogRecord',
  description: 'Any record of a log.',
})
