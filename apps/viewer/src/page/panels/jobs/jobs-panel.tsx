import { useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { jobNumbers, type JobNumber } from '@cloister/metrics'
import type { RunClient } from '../../state/run-client.ts'
import { jobsFigure, jobsQuery, jobsSort } from '../../state/view-state.ts'
import { count } from '../../text/times.ts'
import { Histogram } from './histogram.tsx'
import { JobTable } from './job-table.tsx'
import { RowPages } from './row-pages.ts'

/** Time between the last change of a query and its request, in ms. */
const REST = 150
const figures = jobNumbers.filter((field) => field !== 'bandwidth')

/** Table and histogram of all jobs or of the jobs of a query. A click on a job moves the cursor to the job's start. */
export function JobsPanel({ run }: { readonly run: RunClient }): JSX.Element {
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
          {summary === undefined ? '…' : (summary.error ?? `${count(summary.found)} of ${count(summary.jobs)} jobs`)}
        </output>
      </div>
      <div class="jobs-histogram">
        <label>
          <span class="hidden">Counted by</span>
          <select
            value={jobsFigure.value}
            onChange={(event) => {
              jobsFigure.value = event.currentTarget.value as JobNumber
            }}
          >
            {figures.map((figure) => (
              <option key={figure} value={figure}>
                {figure}
              </option>
            ))}
          </select>
        </label>
        {summary?.histogram ? <Histogram of={jobsFigure.value} histogram={summary.histogram} /> : null}
      </div>
      <JobTable run={run} pages={pages} rows={summary?.found ?? 0} />
    </div>
  )
}
