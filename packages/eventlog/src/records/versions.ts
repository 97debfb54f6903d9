import { RecordError } from './record-error.ts'
import type { JsonObject } from './json.ts'

/** Version of the format that this program writes. */
export const VERSION = 3

/**
 * Converts a record of one version of the format to the next version, as a pure function of the record alone. The
 * record keeps its `seq`. A seal keeps its digests, because the reader checks the sealed bytes before the conversion. A
 * header that an upcaster converted names the next version.
 */
export type Upcaster = (record: JsonObject) => JsonObject

/**
 * Upcasters by the version of the records that an upcaster converts. If a version has no upcaster, neither this version
 * nor any earlier version can be read.
 */
export type Upcasters = ReadonlyMap<number, Upcaster>

/** Upcasters of all released versions before `VERSION`: none, because no earlier version was released. */
export const upcasters: Upcasters = new Map()

/**
 * Returns the function that converts records of a version to `VERSION`, through each version in between; undefined for
 * `VERSION` itself.
 *
 * @throws RecordError if this program does not read the version
 */
export function upcasterFrom(version: number, known: Upcasters): Upcaster | undefined {
  if (version === VERSION) return undefined
  const chain: Upcaster[] = []
  for (let from = version; from < VERSION && known.has(from); from++) chain.push(known.get(from)!)
  if (version > VERSION || chain.length < VERSION - version) throw new RecordError(unread(version, known))
  return (record) => chain.reduce((changed, upcast) => upcast(changed), record)
}

function unread(version: number, known: Upcasters): string {
  let oldest = VERSION
  while (known.has(oldest - 1)) oldest--
  const read = oldest === VERSION ? `version ${VERSION}` : `versions ${oldest} to ${VERSION}`
  return `format version ${version}, which this program does not read: it reads ${read}${version > VERSION ? '; a newer program is needed' : ''}`
}
