import type { Fields } from '../src/records/kinds.ts'
import { recordTable, type RecordType } from '../src/records/table.ts'

const BEGIN = '<!-- The table of records (src/records/table.ts) as it is: `pnpm run spec` writes it. -->\n\n'
const END = '\n<!-- End of the table. -->'

/** SPEC.md with the table of records as it is now. */
export function withFields(spec: string): string {
  const [before, rest = ''] = spec.split(BEGIN)
  return before + BEGIN + fieldTable() + END + rest.slice(rest.indexOf(END) + END.length)
}

function fieldTable(): string {
  const types = (Object.keys(recordTable) as ReadonlyArray<RecordType>).filter((type) => type !== 'up')
  const rows = types.flatMap((type) => rowsOf(type === 'down' ? 'down, up' : type, recordTable[type]))
  return ['| Record | Field | Value | |', '|---|---|---|---|', ...rows].map((row) => `${row}\n`).join('')
}

function rowsOf(path: string, fields: Fields): ReadonlyArray<string> {
  return Object.entries(fields).flatMap(([name, { kind, isOptional, says }]) => [
    `| ${path} | \`${name}\`${isOptional ? ', *optional*' : ''} | ${kind.name} | ${says} |`,
    ...(kind.fields === undefined ? [] : rowsOf(`${path} \`${name}\``, kind.fields)),
  ])
}
