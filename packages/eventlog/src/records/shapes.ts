// Values of fields as data. This file checks values without a library, so programs that read logs carry no Effect;
// schemas.ts makes a schema of Effect from the same data, and a test holds the two equal, message by message.

/** Set of values. */
export type Shape =
  | { readonly of: 'number' | 'string' | 'boolean' | 'JSON value'; readonly checks: ReadonlyArray<Check> }
  | { readonly of: 'values'; readonly values: ReadonlyArray<string | number | true> }
  | { readonly of: 'array'; readonly items: Shape; readonly checks: ReadonlyArray<Check> }
  | { readonly of: 'tuple'; readonly items: ReadonlyArray<Shape> }
  | { readonly of: 'object'; readonly members: ReadonlyMap<string, Member> }
  | { readonly of: 'JSON object'; readonly checks: ReadonlyArray<Check> }
  | { readonly of: 'either'; readonly each: ReadonlyArray<Shape> }

/** Member of an object. */
interface Member {
  readonly shape: Shape
  readonly isOptional: boolean
  /** Meaning of the member; empty for a member without a text. */
  readonly says: string
}

/** Test of a value that has the right type. */
export interface Check {
  /** Right values, after the word "Expected". */
  readonly expected: string
  readonly holds: (value: any) => boolean
  /** Check of Effect that says the same; absent for a check that Effect lacks. */
  readonly known?: 'integer' | 'finite' | { readonly least: number } | { readonly pattern: RegExp } | 'not empty'
}

const isInteger: Check = { expected: 'an integer', holds: Number.isSafeInteger, known: 'integer' }
const isFinite: Check = { expected: 'a finite number', holds: Number.isFinite, known: 'finite' }
/** Check that a list has an item. */
export const isNotEmpty: Check = {
  expected: 'a value with a length of at least 1',
  holds: (list: ReadonlyArray<unknown>) => list.length > 0,
  known: 'not empty',
}

/** Returns a check with a function. */
export function rule<Value>(expected: string, holds: (value: Value) => boolean): Check {
  return { expected, holds }
}

export const anyText: Shape = { of: 'string', checks: [] }
export const anyInteger: Shape = { of: 'number', checks: [isInteger] }

export function integerFrom(least: number): Shape {
  const expected = `a value greater than or equal to ${least}`
  return { of: 'number', checks: [isInteger, { expected, holds: (value) => value >= least, known: { least } }] }
}

export function finiteNumber(check: Check): Shape {
  return { of: 'number', checks: [isFinite, check] }
}

export function textLike(pattern: RegExp, expected: string): Shape {
  return { of: 'string', checks: [{ expected, holds: (value) => pattern.test(value), known: { pattern } }] }
}

export function textWith(check: Check): Shape {
  return { of: 'string', checks: [check] }
}

export function arrayOf(items: Shape, ...checks: ReadonlyArray<Check>): Shape {
  return { of: 'array', items, checks }
}

/**
 * Returns the first fault of a value, for people: `Expected an integer at ["share"]`; undefined if the value has the
 * shape. The words are the words of Effect's schemas.
 *
 * @param isExact false if objects may have further members
 */
export function faultOf(shape: Shape, value: unknown, isExact: boolean): string | undefined {
  const found = faultsOf(shape, value, isExact)
  return found?.map(({ message, path }) => (path === '' ? message : `${message} at ${path}`)).join(' ')
}

/** Returns a copy of a value without the members that the shape lacks, with members in the order of the shape. */
export function known(shape: Shape, value: unknown): unknown {
  if (shape.of === 'array') return (value as ReadonlyArray<unknown>).map((each) => known(shape.items, each))
  if (shape.of === 'either')
    return known(
      shape.each.find((each) => faultsOf(each, value, false) === undefined)!,
      value,
    )
  if (shape.of !== 'object') return value
  const from = value as { readonly [name: string]: unknown }
  const present = [...shape.members].filter(([name]) => Object.hasOwn(from, name))
  return Object.fromEntries(present.map(([name, member]) => [name, known(member.shape, from[name])]))
}

/** Fault at the path of a part, such as `["links"][0]`; several faults for the alternatives of one value. */
type Faults = ReadonlyArray<{ readonly message: string; readonly path: string }>

const expected = (right: string): Faults => [{ message: `Expected ${right}`, path: '' }]
const missing: Faults = [{ message: 'Missing key', path: '' }]
const excess: Faults = expected('no excess property')

const at = (key: string | number, found: Faults | undefined): Faults | undefined =>
  found?.map(({ message, path }) => ({ message, path: `[${JSON.stringify(key)}]${path}` }))

function faultsOf(shape: Shape, value: unknown, isExact: boolean): Faults | undefined {
  switch (shape.of) {
    case 'values':
      if ((shape.values as ReadonlyArray<unknown>).includes(value)) return undefined
      return expected(shape.values.map((each) => JSON.stringify(each)).join(' | '))
    case 'array':
      if (!Array.isArray(value)) return expected('array')
      return faultsOfItems(value, () => shape.items, isExact) ?? failedCheck(shape.checks, value)
    case 'tuple':
      return Array.isArray(value) ? faultsOfTuple(shape.items, value, isExact) : expected('array')
    case 'object':
      return isObject(value) ? faultsOfMembers(shape.members, value, isExact) : expected('object')
    case 'JSON object':
      if (!isObject(value)) return expected('object')
      for (const [key, each] of Object.entries(value)) if (!isJson(each)) return at(key, expected('JSON value'))
      return failedCheck(shape.checks, value)
    case 'either':
      return isObject(value) ? faultsOfEach(shape.each, value, isExact) : expected('object')
    default:
      if (shape.of === 'JSON value' ? !isJson(value) : typeof value !== shape.of) return expected(shape.of)
      return failedCheck(shape.checks, value)
  }
}

function failedCheck(checks: ReadonlyArray<Check>, value: unknown): Faults | undefined {
  for (const check of checks) if (!check.holds(value)) return expected(check.expected)
  return undefined
}

function faultsOfItems(
  items: ReadonlyArray<unknown>,
  shapeOf: (index: number) => Shape,
  isExact: boolean,
): Faults | undefined {
  for (let index = 0; index < items.length; index++) {
    const found = faultsOf(shapeOf(index), items[index], isExact)
    if (found !== undefined) return at(index, found)
  }
  return undefined
}

function faultsOfTuple(
  shapes: ReadonlyArray<Shape>,
  items: ReadonlyArray<unknown>,
  isExact: boolean,
): Faults | undefined {
  const found = faultsOfItems(items.slice(0, shapes.length), (index) => shapes[index], isExact)
  if (found !== undefined || items.length === shapes.length) return found
  return items.length < shapes.length ? at(items.length, missing) : at(shapes.length, excess)
}

function faultsOfMembers(
  members: ReadonlyMap<string, Member>,
  value: { readonly [name: string]: unknown },
  isExact: boolean,
): Faults | undefined {
  if (isExact) for (const key of Object.keys(value)) if (!members.has(key)) return at(key, excess)
  for (const [name, { shape, isOptional }] of members) {
    if (!Object.hasOwn(value, name)) {
      if (isOptional) continue
      return at(name, missing)
    }
    const found = faultsOf(shape, value[name], isExact)
    if (found !== undefined) return at(name, found)
  }
  return undefined
}

function faultsOfEach(each: ReadonlyArray<Shape>, value: unknown, isExact: boolean): Faults | undefined {
  const all: Array<Faults> = []
  for (const shape of each) {
    const found = faultsOf(shape, value, isExact)
    if (found === undefined) return undefined
    all.push(found)
  }
  return all.flat()
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns true for JSON. A list of values to visit replaces recursion, because JSON can be nested too deep for calls. */
function isJson(value: unknown): boolean {
  const left: Array<unknown> = [value]
  while (left.length > 0) {
    const each = left.pop()
    if (typeof each === 'object' && each !== null) for (const inner of Object.values(each)) left.push(inner)
    else if (each !== null && typeof each !== 'string' && typeof each !== 'boolean' && !Number.isFinite(each))
      return false
  }
  return true
}
