import { DEPTH_LIMIT } from '../limits.ts'
import {
  anyInteger,
  anyText,
  arrayOf,
  finiteNumber,
  integerFrom,
  isNotEmpty,
  rule,
  type Shape,
  textLike,
  textWith,
} from './shapes.ts'

/** Kind of value that a field can hold. */
export interface Kind<Value> {
  /** Name of the kind in SPEC.md. */
  readonly name: string
  readonly shape: Shape
  /** Returns the canonical spelling of a value. */
  readonly encode: (value: Value) => string
  /** Fields of an object, or of the objects in a list, in order; absent for other kinds. */
  readonly fields?: Fields
  /** Permitted values; absent unless the kind is a choice of values. */
  readonly values?: ReadonlyArray<Value>
}

/** Field of a record, or of an object in a record. */
export interface Field<Value, Optional extends boolean = boolean> {
  readonly kind: Kind<Value>
  readonly isOptional: Optional
  /** Meaning of the field, for the row of the field in the table of SPEC.md. */
  readonly says: string
  /** Revision that added the field to the version of the format; 0 if the version had the field at its release. */
  readonly since: number
  /** Feature that the header names in `requires` if the log has the field; absent if readers may ignore the field. */
  readonly feature?: string
}

/** Fields of a record or object by name, in the order of writing. */
export interface Fields {
  // `any`: a kind is invariant in its type of values, so `Field<unknown>` does not cover all kinds.
  readonly [name: string]: Field<any>
}

/** Type of the objects with the fields `Of`. */
export type ObjectOf<Of extends Fields> = {
  readonly [Name in keyof Of as Of[Name]['isOptional'] extends true ? never : Name]: ValueOf<Of[Name]>
} & {
  readonly [Name in keyof Of as Of[Name]['isOptional'] extends true ? Name : never]?: ValueOf<Of[Name]>
}
/** Type of the values of a field. */
export type ValueOf<Of> = Of extends Field<infer Value> ? Value : never

/** Returns a required field: every record or object of its type has the field. */
export function required<Value>(kind: Kind<Value>, says: string = ''): Field<Value, false> {
  return { kind, isOptional: false, says, since: 0 }
}

/** Returns an optional field: a record or object without a value for the field lacks the field. */
export function optional<Value>(kind: Kind<Value>, says: string = ''): Field<Value, true> {
  return { kind, isOptional: true, says, since: 0 }
}

/** Returns an optional field that a revision of the format added and that earlier readers may ignore. */
export function addedBy<Value>(revision: number, field: Field<Value, true>): Field<Value, true> {
  return { ...field, since: revision }
}

/** Returns the fields of a type of record that a revision of the format added. */
export function typeAddedBy<Of extends Fields>(revision: number, fields: Of): Of {
  return eachField(fields, (field) => ({ ...field, since: revision }))
}

/** Returns an optional field that a reader must know: the header of a log with the field requires `feature`. */
export function mustBeKnown<Value>(feature: string, field: Field<Value, true>): Field<Value, true> {
  return { ...field, feature }
}

/** Returns the fields of a record type that a reader must know: the header of a log with the type names `feature`. */
export function typeMustBeKnown<Of extends Fields>(feature: string, fields: Of): Of {
  return eachField(fields, (field) => ({ ...field, feature }))
}

function eachField<Of extends Fields>(fields: Of, change: (field: Field<any>) => Field<any>): Of {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)])) as Of
}

const shallow = rule(`JSON nested at most ${DEPTH_LIMIT} deep`, (json: Json) => isNestedAtMost(DEPTH_LIMIT, json))
const encodeTexts = (texts: ReadonlyArray<string>): string => `[${texts.map(encodeText).join(',')}]`

export const natural: Kind<number> = naturalFrom(0)
export function naturalFrom(least: number): Kind<number> {
  return { name: `integer from ${least}`, shape: integerFrom(least), encode: String }
}
/** Integer from 1. Unlike other results of `naturalFrom`, this kind has a fast reader (`LineScanner`). */
export const positive: Kind<number> = naturalFrom(1)
export const integer: Kind<number> = { name: 'integer', shape: anyInteger, encode: String }
/** Seq of an earlier record. `extractWindow` replaces such a seq by the seq of the same record in the copy. */
export const reference: Kind<number> = { ...natural, name: 'seq' }
export const time: Kind<number> = {
  name: 'time',
  shape: finiteNumber(rule('seconds from 0 with at most 3 decimals', isTime)),
  encode: String,
}
export const text: Kind<string> = { name: 'text', shape: anyText, encode: encodeText }
export const flag: Kind<boolean> = { name: 'true or false', shape: { of: 'boolean', checks: [] }, encode: String }
export const digest: Kind<string> = {
  name: 'digest',
  shape: textLike(/^[A-Za-z0-9_-]{43}$/, '43 characters of base64url'),
  encode: encodeText,
}
export const hexSha256: Kind<string> = {
  name: 'SHA-256 in hexadecimal',
  shape: textLike(/^[0-9a-f]{64}$/, '64 lower-case hex digits'),
  encode: encodeText,
}
/** Ids of nodes as an idset, such as `0-17,36`; the shape does not check the spelling, `resourcesOf` does. */
export const idset: Kind<string> = { name: 'idset', shape: anyText, encode: encodeText }
const endsWithText = (texts: ReadonlyArray<string>): boolean => texts.length > 0 && texts[texts.length - 1] !== ''
/** Ids of links, one idset a level from the leaf up-ports on. The last idset of `links` is not empty. */
export const links: Kind<ReadonlyArray<string>> = {
  name: 'links',
  shape: arrayOf(
    anyText,
    rule('one idset a level, the last idset not empty (no "links" if no level has a link)', endsWithText),
  ),
  encode: encodeTexts,
}
/** Entries of forwarding tables (`table-entries.ts`); the shape does not check the spelling, `entriesOf` does. */
export const tableEntries: Kind<ReadonlyArray<string>> = {
  name: 'table entries',
  shape: arrayOf(anyText, rule('at least one text of switches and ranges, such as 0,2 0-8:0+9', endsWithText)),
  encode: encodeTexts,
}
export const naturals: Kind<ReadonlyArray<number>> = {
  name: 'list of integers from 0',
  shape: arrayOf(natural.shape),
  encode: (list) => `[${list.join(',')}]`,
}
/** Exact ratio of two positive integers: numerator, denominator. */
export const ratio: Kind<readonly [number, number]> = {
  name: 'ratio of two integers from 1',
  shape: { of: 'tuple', items: [positive.shape, positive.shape] },
  encode: ([over, under]) => `[${over},${under}]`,
}
/** List of names in ascending order, at least one name. */
export const names: Kind<ReadonlyArray<string>> = {
  name: 'list of names, ascending',
  shape: arrayOf(
    anyText,
    rule(
      'at least one name, in ascending order',
      (list: ReadonlyArray<string>) => list.length > 0 && list.every((name, at) => at === 0 || name > list[at - 1]),
    ),
  ),
  encode: encodeTexts,
}
export const json: Kind<Json> = {
  name: 'free JSON',
  shape: { of: 'JSON value', checks: [shallow] },
  encode: encodeJson,
}
export const jsonObject: Kind<JsonObject> = {
  name: 'free JSON object',
  shape: { of: 'JSON object', checks: [shallow] },
  encode: encodeJson,
}

/**
 * Spelling of a queue discipline with its window: `fcfs`, `easy:50,kill`, `conservative:9`. `external` is the unknown discipline of a foreign scheduler.
 */
export const queueSpec: Kind<string> = {
  name: 'queue discipline',
  shape: textLike(
    /^(?:external|fcfs|(?:easy|conservative|unreserved|counting):[1-9]\d{0,8}|easy:[1-9]\d{0,8},kill|counting:[1-9]\d{0,8},(?:early|in-order))$/,
    'external, fcfs, easy:WINDOW, conservative:WINDOW, unreserved:WINDOW or counting:WINDOW, then ,kill for easy, or ,early or ,in-order for counting',
  ),
  encode: encodeText,
}

/** Spelling of the cost of a move, in seconds, and of the most moves for one start: `cost=60,limit=2`. */
export const migrateSpec: Kind<string> = {
  name: 'cost and limit of moves',
  shape: textWith(rule('cost=SECONDS,limit=N', (spec: string) => migrationOf(spec) !== undefined)),
  encode: encodeText,
}

/** Cost and limit of the moves of running jobs. */
export interface MigrationRules {
  /** Time that a move adds to the run time and to the estimate of the moved job, integer milliseconds. */
  readonly cost: number
  /** Greatest number of running jobs that move for one start, at least 1. */
  readonly limit: number
}

/** Returns the rules in a text such as `cost=60,limit=2`, with the cost in seconds; undefined for any other text. */
export function migrationOf(text: string | undefined): MigrationRules | undefined {
  const [, cost, limit] = /^cost=(0|[1-9]\d{0,8}),limit=([1-9]\d{0,2})$/.exec(text ?? '') ?? []
  return limit === undefined ? undefined : { cost: 1000 * Number(cost), limit: Number(limit) }
}

/** Returns the kind of a field that holds one of the given words, numbers or `true`. */
export function oneOf<const Value extends string | number | true>(...values: ReadonlyArray<Value>): Kind<Value> {
  return {
    name: values.map((value) => `\`${value}\``).join(', '),
    shape: { of: 'values', values },
    encode: (value) => JSON.stringify(value),
    values,
  }
}

export function list<Value>(of: Kind<Value>): Kind<ReadonlyArray<Value>> {
  return {
    name: `list of ${of.name.startsWith('list') ? `lists${of.name.slice('list'.length)}` : `${of.name}s`}`,
    shape: arrayOf(of.shape),
    encode: (values) => `[${values.map(of.encode).join(',')}]`,
    ...(of.fields === undefined ? {} : { fields: of.fields }),
  }
}

/** Returns the kind of a list with at least one item. A record without items lacks the field. */
export function someOf<Value>(of: Kind<Value>): Kind<ReadonlyArray<Value>> {
  return { ...list(of), shape: arrayOf(of.shape, isNotEmpty) }
}

/** Returns the kind of an object with the given fields, in the given order. */
export function object<Of extends Fields>(of: Of): Kind<ObjectOf<Of>> {
  return { name: 'object', shape: objectShape(of), encode: objectEncoder(of), fields: of }
}

/** Returns the kind of an object that has the fields of one of the given sets. */
export function either<Of extends ReadonlyArray<Fields>>(...each: Of): Kind<ObjectOf<Of[number]>> {
  const all: Fields = Object.assign({}, ...each)
  return {
    name: 'object',
    shape: { of: 'either', each: each.map(objectShape) },
    encode: objectEncoder(all),
    fields: all,
  }
}

/** Returns the shape of the objects with the given fields. */
export function objectShape(of: Fields): Shape {
  const members = Object.entries(of).map(
    ([name, { kind, isOptional, says }]) => [name, { shape: kind.shape, isOptional, says }] as const,
  )
  return { of: 'object', members: new Map(members) }
}

/** Returns an encoder of objects with the given fields, in order and without white space. */
export function objectEncoder(of: Fields): (value: object) => string {
  const writers = Object.entries(of).map(([name, { kind }]) => ({ name, key: `"${name}":`, encode: kind.encode }))
  return (value) => {
    const fields = value as { readonly [name: string]: unknown }
    let text = '{'
    for (const { name, key, encode } of writers) {
      const field = fields[name]
      if (field === undefined) continue
      if (text.length > 1) text += ','
      // All kinds spell numbers alike, and texts alike. A test of the type is faster than a call of `encode`.
      if (typeof field === 'number') text += key + String(field)
      else text += key + (typeof field === 'string' ? encodeText(field) : encode(field))
    }
    return `${text}}`
  }
}

/** Any JSON value. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** Returns JSON in ASCII without white space. A character beyond ASCII becomes \u and four lower-case hex digits. */
export function encodeJson(json: Json): string {
  return JSON.stringify(json).replace(
    NOT_ASCII,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Returns a string as JSON in ASCII, in the same spelling as `encodeJson`. */
export function encodeText(text: string): string {
  return NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : encodeJson(text)
}

/** Returns true if arrays and objects are nested at most `depth` deep. */
export function isNestedAtMost(depth: number, json: Json): boolean {
  if (typeof json !== 'object' || json === null) return true
  return depth > 0 && Object.values(json).every((inner: Json) => isNestedAtMost(depth - 1, inner))
}

export function isJsonObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

const NOT_ASCII = /[\u0080-\uffff]/g
const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/

// Times in memory are integer milliseconds. Times in records are seconds with at most 3 decimals.

/** Largest time of a log in ms (31,000 years): up to this time, every millisecond has its own spelling in seconds. */
export const MAX_MS = 1e15

export function isMilliseconds(ms: number): boolean {
  return Number.isInteger(ms) && ms >= 0 && ms <= MAX_MS
}

/** Returns true if `t` is a time of a record: seconds from 0 to 10^12 with at most 3 decimals. */
export function isTime(t: number): boolean {
  const ms = milliseconds(t)
  return isMilliseconds(ms) && ms / 1000 === t
}

/** Returns the integer milliseconds of a record's seconds. */
export function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000)
}

/** Returns `to - from` in seconds, without the rounding errors of a plain subtraction. */
export function secondsBetween(from: number, to: number): number {
  return (milliseconds(to) - milliseconds(from)) / 1000
}
