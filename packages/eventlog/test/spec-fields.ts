import type { Fields } from '../src/records/kinds.ts'
import { REVISION } from '../src/records/versions.ts'
import { recordTable, type RecordType } from '../src/records/table.ts'

const BEGIN = '<!-- The table of records (src/records/table.ts) as it is: `pnpm run spec` writes it. -->\n\n'
const REVISIONS_BEGIN = '<!-- What revisions added, from the same table: `pnpm run spec` writes it. -->\n\n'
const END = '\n<!-- End of the table. -->'

/** Returns SPEC.md with the present tables of records and revisions. */
export function withFields(spec: string): string {
  return withTable(withTable(spec, BEGIN, fieldTable()), REVISIONS_BEGIN, revisionTable())
}

function withTable(spec: string, begin: string, lines: string): string {
  const [before, rest = ''] = spec.split(begin)
  return before + begin + lines + END + rest.slice(rest.indexOf(END) + END.length)
}

function revisionTable(): string {
  const types = Object.keys(recordTable) as ReadonlyArray<RecordType>
  const added = types.flatMap((type) => additionsOf(type, recordTable[type]))
  const rows = Array.from({ length: REVISION }, (_, at) => {
    const fields = added.filter(({ since }) => since === at + 1).map(({ name }) => name)
    return `| ${at + 1} | ${fields.join('; ')} |`
  })
  return ['| Revision of version 3 | Fields that it added |', '|---|---|', ...rows].map((row) => `${row}\n`).join('')
}

function additionsOf(path: string, fields: Fields): ReadonlyArray<{ readonly since: number; readonly name: string }> {
  return Object.entries(fields).flatMap(([name, { kind, since }]) => [
    ...(since === 0 ? [] : [{ since, name: `${path} \`${name}\`` }]),
    ...(kind.fields === undefined ? [] : additionsOf(`${path} \`${name}\``, kind.fields)),
  ])
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
