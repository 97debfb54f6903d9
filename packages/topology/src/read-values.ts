import type { FieldPlace } from './slurm/topology-conf.ts'
import { show, TopologyError } from './topology-error.ts'

/** Fields of an object in a YAML or JSON document. */
export type Fields = Readonly<Record<string, unknown>>

/** Returns a list with at least one part. @throws TopologyError for any other value */
export function listOf(value: unknown, place: FieldPlace): ReadonlyArray<unknown> {
  if (Array.isArray(value) && value.length > 0) return value
  throw new TopologyError(`expected a list, found ${Array.isArray(value) ? 'an empty list' : show(value)}`, place)
}

/** Returns the fields of an object. @throws TopologyError for any other value */
export function fieldsOf(value: unknown, place: FieldPlace): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new TopologyError(`expected fields, found ${show(value)}`, place)
}

/**
 * Returns a text unchanged, an integer as its digits, because YAML reads a name of digits as a number, and undefined
 * for null and undefined.
 *
 * @throws TopologyError for any other value
 */
export function textOf(value: unknown, place: FieldPlace): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  throw new TopologyError(`expected text, found ${show(value)}`, place)
}

/** Reads a JSON document. @throws TopologyError if the text is no JSON */
export function jsonOf(text: string, source: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new TopologyError(`is no JSON: ${(cause as Error).message}`, { source, cause })
  }
}
