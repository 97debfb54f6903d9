import { isJobNumber, isJobTime, type JobHistogram, type JobNumber, jobNumbers } from '@cloister/metrics'
import { type Signal, signal, useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { count, span, unnamedInWords } from '../../words.ts'
import { Choice } from '../controls/inputs.tsx'
import type { Panel } from '../extensions.ts'
import { field } from '../state/address.ts'
import type { RunClient } from '../state/run-client.ts'
import { jobsSort, JobTable, RowPages, sortField } from './job-table.tsx'

/** Query of the panel; an empty text for all jobs. */
export const jobsQuery: Signal<string> = signal('')
/** Field of the jobs, such as `wait`, that the histogram shows. */
const jobsFigure: Signal<JobNumber> = signal('wait')

/** Time between the last change of a query and its request, in ms. */
const REST = 150
const figures = jobNumbers.filter((field) => field !== 'bandwidth')

/** Table and histogram of all jobs or of the jobs of a query. A click on a job moves the cursor to the job's start. */
export const jobsPanel: Panel = {
  name: 'jobs',
  title: 'Jobs',
  key: { key: 't', does: 'table of all jobs' },
  command: 'table of all jobs',
  fields: [
    field(
      'q',
      jobsQuery,
      (query) => (query === '' ? undefined : query),
      (text) => text ?? '',
    ),
    sortField,
    field(
      'count',
      jobsFigure,
      (figure) => (figure === 'wait' ? undefined : figure),
      (figure) => (figure !== null && isJobNumber(figure) ? figure : 'wait'),
    ),
  ],
  content: JobsPanel,
}

function JobsPanel({ run }: { readonly run: RunClient }): JSX.Element {
  const query = useSignal(jobsQuery.value)
  useSignalEffect(() => {
    const wanted = jobsQuery.value
    const timer = setTimeout(() => {
      query.value = wanted
    }, REST)
    return () => clearTimeout(timer)
  })
  const { by, descending } = jobsSort.value
  const version = run.version.value
  const pages = useMemo(
    () =>
      new RowPages((part) =>
        run.answerer.ask('jobs', { query: query.peek(), sort: by, descending, histogram: jobsFigure.peek(), ...part }),
      ),
    [run, version, query.value, by, descending, jobsFigure.value],
  )
  pages.want(0, 0)
  void pages.came.value
  const summary = pages.summary.value
  return (
    <div class="jobs-panel">
      <div class="jobs-query">
        <label>
          Jobs with{' '}
          <input
            name="query"
            aria-label="Which jobs"
            aria-invalid={typeof summary?.error === 'string'}
            placeholder="size>256 wait>3h user=alice|bob"
            value={jobsQuery.value}
            onInput={(event) => {
              jobsQuery.value = event.currentTarget.value
            }}
          />
        </label>
        <output data-testid="jobs-found">
          {summary === undefined
            ? '…'
            : (summary.error ??
              `${count(summary.found)} of ${count(summary.jobs)} jobs${unnamedInWords(summary.unnamed)}`)}
        </output>
      </div>
      <div class="jobs-histogram">
        <Choice label="Counted by" of={jobsFigure} options={figures.map((figure) => [figure, figure])} />
        {summary?.histogram ? <Histogram of={jobsFigure.value} histogram={summary.histogram} /> : null}
      </div>
      <JobTable run={run} pages={pages} rows={summary?.found ?? 0} />
    </div>
  )
}

const HEIGHT = 36

/** Histogram of a field of the found jobs, such as the wait. A click on a bar narrows the query to its jobs. */
function Histogram({
  of,
  histogram: { edges, counts, without },
}: {
  readonly of: JobNumber
  readonly histogram: JobHistogram
}): JSX.Element {
  const most = Math.max(1, ...counts)
  const text = (value: number): string => (isJobTime(of) ? span(value) : count(value))
  return (
    <div class="histogram" role="group" aria-label={`Jobs by ${of}`}>
      <small>{edges.length === 0 ? '' : text(edges[0])}</small>
      <span class="bars">
        {counts.map((jobs, bar) => (
          <button
            key={bar}
            type="button"
            disabled={jobs === 0}
            title={`${count(jobs)} jobs: ${of} from ${text(edges[bar])} to ${text(edges[bar + 1])}`}
            aria-label={`${count(jobs)} jobs with ${of} from ${text(edges[bar])} to ${text(edges[bar + 1])}`}
            onClick={() => {
              jobsQuery.value = narrowed(jobsQuery.peek(), of, edges[bar], edges[bar + 1], bar === counts.length - 1)
            }}
          >
            {/* The height follows the square root of the number of jobs, so a bar of few jobs stays visible. */}
            <i style={{ height: `${jobs === 0 ? 0 : Math.max(2, Math.sqrt(jobs / most) * HEIGHT)}px` }} />
          </button>
        ))}
      </span>
      <small>
        {edges.length === 0 ? `no job has a ${of}` : text(edges[edges.length - 1])}
        {without > 0 && edges.length > 0 ? ` · ${count(without)} jobs without ${of}` : ''}
      </small>
    </div>
  )
}

/**
 * Returns a query in which the bounds of a histogram's bar replace all bounds of the field `of`.
 *
 * @param isLast true for the last bar, which includes its upper edge `to`
 */
export function narrowed(query: string, of: JobNumber, from: number, to: number, isLast: boolean): string {
  const bound = new RegExp(`(^|[\\s,])${of}\\s*(>=|<=|<|>)\\s*[^\\s,|"]+(?=$|[\\s,])`, 'g')
  const rest = query.replaceAll(bound, '$1').trim().replaceAll(/\s+/g, ' ')
  const within = `${of}>=${round(from)} ${of}${isLast ? '<=' : '<'}${round(to)}`
  return rest === '' ? within : `${rest} ${within}`
}

function round(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}
