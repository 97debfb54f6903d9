import * as Schema from 'effect/Schema'
import { structOf } from '../records/kinds.ts'
import { recordTable } from '../records/table.ts'
import { parameterFields, type RecordedType } from './recorder.ts'

const EXACTLY = { onExcessProperty: 'error' } as const

/** For each type of record: throws a SchemaError if a field of the recorder's argument `more` is wrong or unknown. */
export const checkMore = Object.fromEntries(
  (Object.keys(parameterFields) as ReadonlyArray<RecordedType>).map((type) => {
    const given: ReadonlyArray<string> = parameterFields[type]
    const rest = Object.fromEntries(Object.entries(recordTable[type]).filter(([name]) => !given.includes(name)))
    return [type, Schema.decodeUnknownSync(structOf(rest), EXACTLY)]
  }),
) as unknown as { readonly [Type in RecordedType]: (more: object) => void }
