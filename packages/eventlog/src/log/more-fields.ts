import * as Schema from 'effect/Schema'
import { objectEncoder, structOf } from '../records/kinds.ts'
import { recordTable } from '../records/table.ts'
import { parameterFields, type RecordedType } from './recorder.ts'

const EXACTLY = { onExcessProperty: 'error' } as const

/** Of each type the fields that `more` can give: their schema, and how they are written. */
export const moreFields: MoreFields = Object.fromEntries(
  (Object.keys(parameterFields) as ReadonlyArray<RecordedType>).map((type) => {
    const given: ReadonlyArray<string> = parameterFields[type]
    const rest = Object.fromEntries(Object.entries(recordTable[type]).filter(([name]) => !given.includes(name)))
    return [type, { encode: objectEncoder(rest), check: Schema.decodeUnknownSync(structOf(rest), EXACTLY) }]
  }),
) as unknown as MoreFields

type MoreFields = {
  readonly [Type in RecordedType]: { readonly encode: (more: object) => string; readonly check: (more: object) => void }
}
