import * as Schema from 'effect/Schema'
import { structOf } from '../records/kinds.ts'
import { recordTable } from '../records/table.ts'
import { parameterFields, type RecordedType } from './recorder.ts'

const EXACTLY = { onExcessProperty: 'error' } as const

/** Functions by type of record: each throws a SchemaError if a field of a recorder's argument `more` is wrong. */
export const checkMore = Object.fromEntries(
  (Object.keys(parameterFields) as ReadonlyArray<RecordedType>).map((type) => {
    const given: ReadonlyArray<string> = parameterFields[type]
    const rest = Object.fromEntries(Object.entries(recordTable[type]).filter(([name]) => !given.includes(name)))
    return [type, Schema.decodeUnknownSync(structOf(rest), EXACTLY)]
  }),
) as unknown as { readonly [Type in RecordedType]: (more: object) => void }
