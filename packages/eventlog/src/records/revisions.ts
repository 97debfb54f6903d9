import type { Fields } from './kinds.ts'
import { RecordError } from './record-error.ts'
import { recordTable, type RecordType } from './table.ts'

/** Revision of the version that this program writes: the number of times that an ignorable field or type was added. */
export const REVISION = Math.max(...Object.values(recordTable).map(latestOf))

function latestOf(fields: Fields): number {
  return Object.values(fields).reduce(
    (latest, { since, kind }) => Math.max(latest, since, latestOf(kind.fields ?? {})),
    0,
  )
}

/** First revision with every type of record and every field that may follow a header. */
const REVISION_OF_RECORDS = Math.max(
  ...Object.entries(recordTable).map(([type, fields]) => (type === 'header' ? 0 : latestOf(fields))),
)

/**
 * Returns the revision that the header of a new log names. A header is written before its records, which may have any
 * field of the table. The revision therefore covers the header's own fields and all fields of the other types.
 */
export function revisionOfLog(header: object): number {
  return Math.max(REVISION_OF_RECORDS, revisionOfFields(header, recordTable.header))
}

/** Returns the types of records, except the header, with a field from a later revision. */
export function typesAddedTo(revision: number): ReadonlySet<string> {
  const types = Object.entries(recordTable).filter(([type, fields]) => type !== 'header' && latestOf(fields) > revision)
  return new Set(types.map(([type]) => type))
}

/** Checks the fields of a record. @throws RecordError if a field came after the revision that the log names */
export function checkRevision(record: { readonly type: RecordType }, revision: number): void {
  const needed = revisionOfFields(record, recordTable[record.type])
  if (needed > revision)
    throw new RecordError(
      `the ${record.type} has a field of revision ${needed}, but the header names revision ${revision}: a header names a revision that has all fields of its log`,
    )
}

function revisionOfFields(object: object, fields: Fields): number {
  let revision = 0
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined || !Object.hasOwn(fields, name)) continue
    const { since, kind } = fields[name]
    const objects: ReadonlyArray<object> = kind.fields === undefined ? [] : [value].flat()
    revision = Math.max(revision, since, ...objects.map((each) => revisionOfFields(each, kind.fields!)))
  }
  return revision
}
