import type * as Schema from 'effect/Schema'
import { structOf } from './kinds.ts'
import { fieldsOf, recordTable, type RecordType } from './table.ts'
import type { Down, Written } from './types.ts'

export type RecordOfType<Type extends Written['type']> = Type extends Down['type']
  ? Down
  : Extract<Written, { readonly type: Type }>

export type RecordSchemas = { readonly [Type in Written['type']]: Schema.Codec<RecordOfType<Type>> }

/** Schema of each type of record. */
export const recordSchemas: RecordSchemas = Object.fromEntries(
  (Object.keys(recordTable) as ReadonlyArray<RecordType>).map((type) => [type, structOf(fieldsOf(type))]),
) as unknown as RecordSchemas
