// Tests the JSON Schemas of the log and of the tables against golden logs, by a validator that shares no code with ours.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LogRecord, readLog } from '@cloister/eventlog'
import { openLogFile, sha256 } from '@cloister/eventlog/node'
import { tableFormats, tables } from '@cloister/exports'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildOnce, root, siteFile } from './built-site.ts'
import { faultsBy, schemaOf } from './schema-faults.ts'

beforeAll(buildOnce)

type Described = Readonly<Record<string, { readonly description?: string }>>

const golden = join(root, 'packages/eventlog/test/golden/3/valid')
/** Log of a later revision, with fields and a type of record that the schemas lack. */
const NEWER = 'newer-revision.ndjson'
const logs = globSync('*.ndjson', { cwd: golden, exclude: [NEWER] }).sort()

function linesOf(log: string): ReadonlyArray<string> {
  return readFileSync(join(golden, log), 'utf8').trimEnd().split('\n')
}

describe('the JSON Schema of a log', () => {
  it('allows every record of the golden logs, and knows every field', () => {
    const faults = faultsBy('log')
    const types = new Set<unknown>()
    for (const log of logs)
      for (const line of linesOf(log)) {
        const record = JSON.parse(line) as LogRecord
        types.add(record.type)
        expect(faults(record), `${log}: ${line}`).toEqual([])
      }
    expect(types.size).toBeGreaterThan(18)
  })

  it('explains every field of every type of record, as SPEC.md does', () => {
    const { $defs } = schemaOf('log') as { readonly $defs: Record<string, { readonly properties: Described }> }
    expect(Object.keys($defs)).toHaveLength(21)
    const unexplained = Object.entries($defs).flatMap(([type, { properties }]) =>
      Object.entries(properties).flatMap(([name, { description = '' }]) =>
        description === '' ? [`${type}.${name}`] : [],
      ),
    )
    expect(unexplained).toEqual([])
  })

  it('knows neither the further fields nor the further type of record in the log of a later revision', () => {
    const unknown = linesOf(NEWER).filter((line) => faultsBy('log')(JSON.parse(line)).length > 0)
    expect(unknown.map((line) => (JSON.parse(line) as LogRecord).type)).toEqual([
      'header',
      'forecast',
      'finish',
      'finish',
    ])
  })

  it('finds a missing field, a wrong value, a wrong type and an unknown field', () => {
    const faults = faultsBy('log')
    const cancel = { seq: 9, t: 12.5, type: 'cancel', job: '2001' }
    const { job: _job, ...withoutJob } = cancel
    expect(faults(cancel)).toEqual([])
    for (const wrong of [
      withoutJob,
      { ...cancel, seq: -1 },
      { ...cancel, t: '1' },
      { ...cancel, type: 'stop' },
      { ...cancel, jobs: 1 },
    ])
      expect(faults(wrong), JSON.stringify(wrong)).not.toEqual([])
  })
})

describe('the JSON Schemas of the tables', () => {
  it.each(Object.values(tables))(
    'the table $name of every golden log has rows of its JSON Schema',
    ({ name, columns, batches }) => {
      const faults = faultsBy(`table-${name}`)
      let rows = 0
      for (const log of logs) {
        const records = [...readLog(openLogFile(join(golden, log)), sha256)]
        for (const piece of tableFormats.ndjson({ columns, batches: batches(records) }))
          for (const line of String(piece).trimEnd().split('\n')) {
            const row = JSON.parse(line) as Record<string, unknown>
            expect(faults(row), `${log}: ${line}`).toEqual([])
            if (rows++ > 0) continue
            expect(faults({ ...row, more: 1 }), 'a further column').not.toEqual([])
            for (const column of columns) {
              const { [column.name]: _value, ...rest } = row
              expect(faults(rest), `without ${column.name}`).not.toEqual([])
              expect(faults({ ...row, [column.name]: [] }), `wrong ${column.name}`).not.toEqual([])
              expect(faults({ ...row, [column.name]: null }).length > 0, `null ${column.name}`).toBe(!column.nullable)
            }
          }
      }
      expect(rows).toBeGreaterThan(0)
    },
  )
})

it('the pages of the log and of the tables have links to the JSON Schemas', () => {
  expect(siteFile('reference/log/fields.html')).toContain('schemas/log.schema.json')
  for (const { name } of Object.values(tables))
    expect(siteFile('reference/log/tables.html')).toContain(`schemas/table-${name}.schema.json`)
})
