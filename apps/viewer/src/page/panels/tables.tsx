import type { TableFormat, TableName } from '@cloister/exports'
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Panel } from '../extensions.ts'
import { saveFile } from '../drawing/save.tsx'
import { useAnswer } from '../state/asking.ts'
import type { RunClient } from '../state/run-client.ts'

/** The tables of `cloister export --table`, each with buttons that save the table of the active run as a file. */
export const tablesPanel: Panel = {
  name: 'tables',
  title: 'Tables',
  command: 'tables: save jobs, allocations, decisions and more for Python, R or DuckDB',
  content: TablesPanel,
}

const formats = [
  { format: 'parquet', label: 'Parquet', ending: 'parquet', type: 'application/vnd.apache.parquet' },
  { format: 'arrow', label: 'Arrow', ending: 'arrows', type: 'application/vnd.apache.arrow.stream' },
  { format: 'csv', label: 'CSV', ending: 'csv', type: 'text/csv' },
  { format: 'ndjson', label: 'NDJSON', ending: 'ndjson', type: 'application/x-ndjson' },
] as const satisfies ReadonlyArray<{ readonly format: TableFormat; readonly [text: string]: string }>

function TablesPanel({ run }: { readonly run: RunClient }): JSX.Element {
  const making = useSignal<string | undefined>(undefined)
  const { answer } = useAnswer(
    run,
    () => run.overview.value?.generation,
    (signal) => run.answerer.ask('tables', {}, signal),
  )
  const save = async (name: TableName, { format, ending, type }: (typeof formats)[number]): Promise<void> => {
    making.value = `${name}.${ending}`
    try {
      const { file } = await run.answerer.ask('table', { name, format })
      saveFile(new Blob([Uint8Array.from(file)], { type }), making.value, type)
    } catch (error) {
      run.fails(error)
    } finally {
      making.value = undefined
    }
  }
  const isReading = run.overview.value?.status === 'reading'
  return (
    <div data-testid="tables">
      <p class="hint">
        {isReading
          ? 'Reading the log…'
          : making.value === undefined
            ? 'Each table has a row for each thing that its name says. The columns are those of cloister export.'
            : `Making ${making.value}…`}
      </p>
      <table>
        <thead>
          <tr>
            <th>table</th>
            <th>a row for</th>
            <th>save as</th>
          </tr>
        </thead>
        <tbody>
          {answer?.tables.map(({ name, row }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{row}</td>
              <td class="links">
                {formats.map((each) => (
                  <button
                    key={each.format}
                    type="button"
                    aria-label={`Save the table ${name} as ${each.label}`}
                    disabled={isReading || making.value !== undefined}
                    onClick={() => void save(name, each)}
                  >
                    {each.label}
                  </button>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
