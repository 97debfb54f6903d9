// Schemas of the values in results, each with the description of the field that holds the value. The site publishes the
// descriptions, so a description says the unit, and the meaning of null or of an absent field.
import * as Schema from 'effect/Schema'

type Fields = Schema.Struct.Fields

/** Returns a schema with the description of the field that the schema is for. */
export function of<S extends Schema.Top>(schema: S, description?: string): S {
  return description === undefined ? schema : (schema.annotateKey({ description }) as S)
}

export const text = (description?: string): typeof Schema.String => of(Schema.String, description)
export const number = (description?: string): typeof Schema.Finite => of(Schema.Finite, description)
export const flag = (description?: string): typeof Schema.Boolean => of(Schema.Boolean, description)
export const nothing = (description?: string): typeof Schema.Null => of(Schema.Null, description)
/** Any JSON value. */
export const any = (description?: string): typeof Schema.Unknown => of(Schema.Unknown, description)

export function oneOf<const Values extends ReadonlyArray<string | number | boolean>>(
  values: Values,
  description?: string,
): Schema.Literals<Values> {
  return of(Schema.Literals(values), description)
}

export function list<S extends Schema.Top>(items: S, description?: string): Schema.$Array<S> {
  return of(Schema.Array(items), description)
}

export function tuple<const Items extends ReadonlyArray<Schema.Top>>(
  items: Items,
  description?: string,
): Schema.Tuple<Items> {
  return of(Schema.Tuple(items), description)
}

/** Returns the schema of an object whose fields have arbitrary names, such as the names of invariants. */
export function byName<S extends Schema.Top>(values: S, description?: string): Schema.$Record<Schema.String, S> {
  return of(Schema.Record(Schema.String, values), description)
}

export function struct<const F extends Fields>(fields: F, description?: string): Schema.Struct<F> {
  return of(Schema.Struct(fields), description)
}

/** Returns the schema of an object that several results contain. Each JSON Schema has one definition of the name. */
export function named<const F extends Fields>(identifier: string, description: string, fields: F): Schema.Struct<F> {
  return Schema.Struct(fields).annotate({ identifier, description })
}

export function union<const Members extends ReadonlyArray<Schema.Top>>(
  members: Members,
  description?: string,
): Schema.Union<Members> {
  return of(Schema.Union(members), description)
}

export function orNull<S extends Schema.Top>(schema: S, description?: string): Schema.NullOr<S> {
  return of(Schema.NullOr(schema), description)
}

/** Returns the schema of a field that a result may lack. */
export function optional<S extends Schema.Top>(schema: S): Schema.optionalKey<S> {
  return Schema.optionalKey(schema)
}

/** Returns the schema of a field that is undefined in memory, and that the JSON therefore lacks, without a value. */
export function orUndefined<S extends Schema.Top>(schema: S): Schema.optional<S> {
  return Schema.optionalKey(schema) as unknown as Schema.optional<S>
}
