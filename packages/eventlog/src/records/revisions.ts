import type { Fields } from './kinds.ts'
import { recordTable } from './table.ts'

/** Of the version that is written: how many times something was added to it that a reader may ignore. */
export const REVISION = Math.max(...Object.values(recordTable).map(latestOf))

function latestOf(fields: Fields): number {
  return Object.values(fields).reduce(
    (latest, { since, kind }) => Math.max(latest, since, latestOf(kind.fields ?? {})),
    0,
  )
}

/** The first revision that has all that a header names: its log is checked whole by readers that know no later one. */
export function revisionOf(header: object): number {
  return revisionOfFields(header, recordTable.header)
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
