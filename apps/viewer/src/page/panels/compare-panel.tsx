import type { JSX } from 'preact'
import type { JobInBoth } from '../state/comparison.ts'
import { comparison, jumpToDivergence } from '../state/divergences.ts'
import { JobLink, TimeLink } from './links.tsx'
import { count, span } from '../text/times.ts'
import { cursor, selectedJob } from '../state/view-state.ts'

/** What differs between the two runs. */
export function ComparePanel(): JSX.Element {
  const found = comparison.value
  if (found === undefined) return <p class="empty">Both logs are still being read.</p>
  const { divergences, jobs, mean, sooner, same, later, winners, losers } = found
  if (jobs.length === 0)
    return <p class="empty">The two logs have no job in common: they are runs of different workloads.</p>
  const passed = divergences.filter(({ t }) => t <= cursor.value.t).length
  const own = jobs.find(({ job }) => job === selectedJob.value)
  return (
    <>
      <p class="summary" data-testid="comparison">
        {divergences.length === 0 ? (
          'The two runs decide the same throughout.'
        ) : (
          <>
            They decide differently about {count(divergences.length)} of {count(jobs.length)} jobs, {count(passed)} of
            them up to here. The first is job <JobLink job={divergences[0].job} /> at <TimeLink t={divergences[0].t} />.
          </>
        )}
      </p>
      <p>
        <button type="button" onClick={() => jumpToDivergence(-1)} aria-keyshortcuts="Shift+N">
          ‹ previous difference
        </button>{' '}
        <button type="button" onClick={() => jumpToDivergence(1)} aria-keyshortcuts="N">
          next difference ›
        </button>
      </p>
      <p>
        In B {count(sooner)} jobs wait less, {count(same)} as long, {count(later)} longer
        {mean === undefined ? (
          ''
        ) : (
          <>
            ; on average {mean > 0 ? '+' : ''}
            {span(mean)}
          </>
        )}
        .
      </p>
      {own === undefined ? null : <JobDifferences title={`Job ${own.job}`} jobs={[own]} />}
      <JobDifferences title="Who gains most in B" jobs={winners} />
      <JobDifferences title="Who loses most in B" jobs={losers} />
    </>
  )
}

function JobDifferences({
  title,
  jobs,
}: {
  readonly title: string
  readonly jobs: ReadonlyArray<JobInBoth>
}): JSX.Element | null {
  if (jobs.length === 0) return null
  const wait = (value: number | undefined): string => (value === undefined ? 'never starts' : span(value))
  return (
    <>
      <h3>{title}</h3>
      <table>
        <thead>
          <tr>
            <th>job</th>
            <th class="number">nodes</th>
            <th>waits in A</th>
            <th>in B</th>
            <th>change</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map(({ job, size, waitA, waitB }) => (
            <tr key={job} data-selected={job === selectedJob.value}>
              <td>
                <JobLink job={job} />
              </td>
              <td class="number">{count(size)}</td>
              <td>{wait(waitA)}</td>
              <td>{wait(waitB)}</td>
              <td>
                {waitA === undefined || waitB === undefined ? '' : `${waitB > waitA ? '+' : ''}${span(waitB - waitA)}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
