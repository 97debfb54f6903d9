import type { Field, Fields, JsonObject } from './kinds.ts'
import { RecordError } from '../limits.ts'
import { recordTable, type RecordType, VERSION } from './table.ts'

/** Latest revision of `VERSION` that this program knows: the last revision that added a field or a type of record. */
export const REVISION = Math.max(...Object.values(recordTable).map(latestOf))

/** All features in the table of records: the names that this program knows in a header's `requires`. */
export const FEATURES: ReadonlySet<string> = new Set(Object.values(recordTable).flatMap(featuresOf))

function latestOf(fields: Fields): number {
  return every(fields).reduce((latest, { since }) => Math.max(latest, since), 0)
}

function featuresOf(fields: Fields): ReadonlyArray<string> {
  return every(fields).flatMap(({ feature }) => feature ?? [])
}

/** Returns the given fields and, at any depth, the fields of the objects that the fields hold. */
function every(fields: Fields): ReadonlyArray<Field<any>> {
  return Object.values(fields).flatMap((field) => [field, ...every(field.kind.fields ?? {})])
}

const REVISION_OF_RECORDS = Math.max(
  ...Object.entries(recordTable).map(([type, fields]) => (type === 'header' ? 0 : latestOf(fields))),
)

/**
 * Returns the revision for the header of a new log: the first revision with all fields that this header has, and with
 * all other types of records and their fields. The records after the header are still unknown, and may have any field.
 */
export function revisionOfLog(header: object): number {
  return Math.max(REVISION_OF_RECORDS, revisionOfHeader(header))
}

/** Returns the first revision with all fields of a header. */
export function revisionOfHeader(header: object): number {
  return Math.max(0, ...presentFields(header, recordTable.header).map(({ since }) => since))
}

/** Returns the required features of a new header in ascending order: `requires` and the features of the header's fields. */
export function requirementsOf(header: { readonly requires?: ReadonlyArray<string> }): ReadonlyArray<string> {
  const own = presentFields(header, recordTable.header).flatMap(({ feature }) => feature ?? [])
  return [...new Set([...(header.requires ?? []), ...own])].sort()
}

/** Checks the features that a header requires. @throws RecordError that names the first unknown feature */
export function checkRequired(requires: ReadonlyArray<unknown>): void {
  const unknown = requires.find((feature) => typeof feature !== 'string' || !FEATURES.has(feature))
  if (unknown !== undefined)
    throw new RecordError(
      `the log requires the feature ${JSON.stringify(unknown)}, which this program does not know; a newer program is needed`,
    )
}

/** Additions that a log may use: the revision and the required features in its header. */
export interface Additions<Feature = unknown> {
  readonly revision: number
  readonly requires: ReadonlyArray<Feature>
}

/** Returns true if the field is newer than the revision, or belongs to a feature that `requires` does not name. */
export function isBeyond({ since, feature }: Field<any>, { revision, requires }: Additions): boolean {
  return since > revision || (feature !== undefined && !requires.includes(feature))
}

/** Checks a record. @throws RecordError for a field beyond the header's revision or its required features */
export function checkAdditions(record: { readonly type: RecordType }, additions: Additions): void {
  const fields: Fields = recordTable[record.type]
  // A record of an added type is refused even without any of the type's fields: the first field stands for the type.
  const all = Object.values(fields)
  const ofType = all.every((field) => isBeyond(field, additions)) ? all.slice(0, 1) : []
  for (const field of [...ofType, ...presentFields(record, fields)]) {
    if (!isBeyond(field, additions)) continue
    const { since, feature } = field
    throw new RecordError(
      since > additions.revision
        ? `the ${record.type} has a field of revision ${since}, but the header names revision ${additions.revision}: a header names a revision that has all fields of its log`
        : `the ${record.type} has a field of the feature ${feature}, but the header does not require ${feature}: expected "requires" to name ${feature}`,
    )
  }
}

/** Returns the fields of the table that an object has and, at any depth, the fields that its inner objects have. */
function presentFields(object: object, fields: Fields): ReadonlyArray<Field<any>> {
  return Object.entries(object).flatMap(([name, value]) => {
    if (value === undefined || !Object.hasOwn(fields, name)) return []
    const field = fields[name]
    const { fields: inner } = field.kind
    if (inner === undefined) return [field]
    return [field, ...[value as unknown].flat().flatMap((each) => presentFields(each as object, inner))]
  })
}

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
