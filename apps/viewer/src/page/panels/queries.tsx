import type { QueryColumn, Row } from '@cloister/exports'
import type { JSX } from 'preact'
import { count, nodeHours, span } from '../../words.ts'
import type { Panel } from '../extensions.ts'
import { field } from '../state/address.ts'
import {
  type AnsweredQuery,
  answeredQuery,
  askAgain,
  askedQuery,
  chosenRow,
  placeOfMark,
  showRow,
} from '../state/asked-query.ts'
import { useAnswer } from '../state/asking.ts'
import { reveal } from '../state/reveal.ts'
import type { RunClient } from '../state/run-client.ts'
import { sets } from '../state/view-state.ts'
import { JobLink, RecordLink, TimeLink } from './panel-shell.tsx'

/** The queries of `cloister query`, and the rows of the shown query with links to jobs, times and parts of the machine. */
export const queriesPanel: Panel = {
  name: 'queries',
  title: 'Queries',
  command: 'queries: named questions about the run',
  fields: [
    field(
      'query',
      askedQuery,
      (name) => name,
      (text) => text ?? undefined,
    ),
  ],
  content: QueriesPanel,
}

function QueriesPanel({ run }: { readonly run: RunClient }): JSX.Element {
  const { answer } = useAnswer(
    run,
    () => (run.version.value === 0 ? undefined : run.overview.value?.generation),
    (signal) => run.answerer.ask('queries', {}, signal),
  )
  const answered = answeredQuery.value
  return (
    <div class="queries" data-testid="queries">
      <ul class="links" data-asked={askedQuery.value !== undefined}>
        {answer?.queries.map(({ name, description }) => (
          <li key={name}>
            <button
              type="button"
              title={description}
              aria-pressed={name === askedQuery.value}
              onClick={sets(askedQuery, name)}
            >
              {name}
            </button>
            {askedQuery.value === undefined ? ` ${description}` : null}
          </li>
        ))}
      </ul>
      {askedQuery.value === undefined ? null : answered === undefined ? (
        <p class="empty">{run.overview.value?.status === 'reading' ? 'Reading the log…' : 'Asking…'}</p>
      ) : (
        <Answer answered={answered} />
      )}
    </div>
  )
}

function Answer({ answered }: { readonly answered: AnsweredQuery }): JSX.Element {
  const { run, query, rows, more, records } = answered
  return (
    <>
      <h3>{query.description}</h3>
      <p class="hint">
        {rows.length === 0 ? 'The answer has no rows. ' : more ? `The first ${count(rows.length)} rows. ` : ''}
        <button type="button" class="link" onClick={sets(askedQuery, undefined)}>
          close
        </button>
        {run.overview.value?.seekable === records ? null : (
          <>
            {' '}
            The log has grown.{' '}
            <button type="button" class="link" onClick={askAgain}>
              ask again
            </button>
          </>
        )}
      </p>
      <div class="query-rows">
        <table data-testid="query-rows">
          <thead>
            <tr>
              <th>row</th>
              {query.columns.map(({ name, type, unit, meaning }) => (
                <th key={name} class={type === 'utf8' || type === 'bool' ? undefined : 'number'} title={meaning}>
                  {name.replaceAll('_', ' ')}
                  {unit === 'node·s' ? ' (node-h)' : ''}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={at} data-selected={chosenRow.value === at}>
                <td>
                  <button type="button" class="link" title="select and zoom" onClick={() => showRow(answered, at)}>
                    {at + 1}
                  </button>
                </td>
                {query.columns.map((column) => (
                  <Cell key={column.name} run={run} column={column} value={row[column.name]} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function Cell({
  run,
  column: { name, type, unit, mark },
  value,
}: {
  readonly run: RunClient
  readonly column: QueryColumn
  readonly value: Row[string]
}): JSX.Element {
  const place = placeOfMark(mark, value, run.topology)
  const content =
    value === null ? (
      '–'
    ) : mark === 'job' ? (
      <JobLink job={String(value)} />
    ) : mark === 'record' ? (
      <RecordLink run={run} seq={Number(value)} />
    ) : mark === 'begin' || mark === 'end' || mark === 'time' ? (
      <TimeLink t={Number(value)} />
    ) : place === undefined ? (
      textOf(value, name, unit)
    ) : (
      <button type="button" class="link" onClick={() => reveal({ kind: 'place', run, place })}>
        {value}
      </button>
    )
  return <td class={type === 'utf8' || type === 'bool' ? undefined : 'number'}>{content}</td>
}

function textOf(value: NonNullable<Row[string]>, name: string, unit: string): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return value
  if (unit === 's') return span(value)
  if (unit === 'node·s') return nodeHours(value)
  if (name === 'share') return `${(value * 100).toFixed(1)} %`
  return Number.isInteger(value) ? count(value) : String(Math.round(value * 1000) / 1000)
}
