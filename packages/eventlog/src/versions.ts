import { RecordError } from './record-error.ts'
import type { JsonObject } from './record.ts'

/** The version of the format that is written. */
export const VERSION = 1

/**
 * Makes a record of one version that of the next. A pure function of the record alone; it keeps `seq`, and the digests of
 * seals: what they seal is checked before. A header names the next version.
 */
export type Upcaster = (record: JsonObject) => JsonObject

/** The upcasters by the version that they read; with none for a version, that version and those before it are not read. */
export type Upcasters = ReadonlyMap<number, Upcaster>

/** Version 1 is the first. */
export const upcasters: Upcasters = new Map()

/**
 * From records of a version to records of the present one, by one version after the other; undefined where they are that.
 *
 * @throws RecordError where the version is not read
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
  return `format version ${version}, of which this program knows nothing: it reads ${read}${version > VERSION ? '; a newer program is needed' : ''}`
}
