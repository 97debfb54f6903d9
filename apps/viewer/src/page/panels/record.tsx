import type { JSX } from 'preact'
import type { Counts, RecordView } from '../../run/questions.ts'
import { count } from '../../words.ts'
import { useAnswer } from '../state/asking.ts'
import { reveal } from '../state/reveal.ts'
import type { Panel } from '../extensions.ts'
import type { RunClient } from '../state/run-client.ts'
import { timeText } from '../state/session.ts'
import { JobLink, RecordLink } from './panel-shell.tsx'

/** The record at the cursor, the state before and after the record, and the chain of records that caused the record. */
export const recordPanel: Panel = {
  name: 'record',
  title: 'Record',
  key: { key: 'r', does: 'record at the cursor' },
  command: 'record at the cursor',
  content: RecordPanel,
}

function RecordPanel({ run }: { readonly run: RunClient }): JSX.Element {
  const { answer, isOld } = useAnswer<RecordView>(
    run,
    () => run.moment.value?.seq,
    () => run.answerer.ask('record', { seq: run.moment.peek()!.seq }),
  )
  if (answer === undefined) return <p class="empty">Looking up the record at the cursor…</p>
  const { record, line, causes, before, after } = answer
  const last = (run.overview.value?.seekable ?? 1) - 1
  return (
    <div class={isOld ? 'old' : ''}>
      <form
        class="goto"
        onSubmit={(event) => {
          event.preventDefault()
          const seq = Number(new FormData(event.currentTarget).get('seq'))
          if (Number.isInteger(seq) && seq >= 0) reveal({ kind: 'record', seq: Math.min(seq, last), on: run.side })
        }}
      >
        <label>
          Record <input name="seq" type="number" min={0} max={last} value={record.seq} />
        </label>{' '}
        of {count(last)}
      </form>
      <pre data-testid="record">{pretty(line)}</pre>
      {'job' in record ? (
        <p>
          About job <JobLink job={record.job} />.
        </p>
      ) : null}
      <h3>State</h3>
      {before === null || after === null ? (
        <p class="empty">The log has a part of a run, and this record lies before the part. So the state is unknown.</p>
      ) : (
        <States before={before} after={after} />
      )}
      <h3>Causes of the record</h3>
      {causes.length === 0 ? (
        <p class="empty">The record is an input: an event from outside.</p>
      ) : (
        <ol>
          {causes.map((cause) => (
            <li key={cause.seq}>
              <RecordLink run={run} seq={cause.seq} /> {cause.type}
              {'job' in cause ? (
                <>
                  {' '}
                  of job <JobLink job={cause.job} />
                </>
              ) : null}
              {'t' in cause ? ` at ${timeText(cause.t)}` : ''}
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

function States({ before, after }: { readonly before: Counts; readonly after: Counts }): JSX.Element {
  return (
    <table>
      <thead>
        <tr>
          <td />
          <th class="number">before</th>
          <th class="number">after</th>
        </tr>
      </thead>
      <tbody>
        {(['free', 'running', 'waiting', 'reservations', 'down'] as const).map((figure) => (
          <tr key={figure} data-selected={before[figure] !== after[figure]}>
            <td>{figure === 'free' ? 'free nodes' : figure === 'down' ? 'nodes down' : figure}</td>
            <td class="number">{count(before[figure])}</td>
            <td class="number">{count(after[figure])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Indents a log's line as JSON and cuts it to 4,000 characters: an irregular topology's header may have megabytes. */
function pretty(line: string): string {
  const text = JSON.stringify(JSON.parse(line), null, 1).replaceAll(/\n\s+/g, '\n ')
  return text.length > 4000 ? `${text.slice(0, 4000)}\n…` : text
}
