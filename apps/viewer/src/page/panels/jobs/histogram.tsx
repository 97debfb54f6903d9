import { isJobTime, type JobHistogram, type JobNumber } from '@cloister/metrics'
import type { JSX } from 'preact'
import { jobsQuery } from '../../state/view-state.ts'
import { count, span } from '../../text/times.ts'
import { narrowed } from './narrow.ts'

const HEIGHT = 36

/** Histogram of a field of the found jobs, such as the wait. A click on a bar narrows the query to its jobs. */
export function Histogram({
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
