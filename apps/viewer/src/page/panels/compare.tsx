import type { JSX } from 'preact'
import type { Panel } from '../extensions.ts'
import { count, span } from '../../words.ts'
import { comparison, decisionOf, type JobInBoth, jumpToDivergence, otherRun } from '../state/comparison.ts'
import { nodesByName } from '../state/node-names.ts'
import { runs, timeText } from '../state/session.ts'
import { cursor, selectedJob } from '../state/view-state.ts'
import { Head, JobLink, TimeLink } from './panel-shell.tsx'

/** Differences between the first run and `otherRun`, and the decision of each run about the selected job. */
export const comparePanel: Panel = {
  name: 'compare',
  title: 'Compare',
  comparesRuns: true,
  isOffered: () => runs.value.length > 1,
  content: ComparePanel,
}

function ComparePanel(): JSX.Element {
  const found = comparison.value
  const letter = otherRun.value?.side.toUpperCase() ?? 'B'
  if (found === undefined) return <p class="empty">The comparison is shown after both logs are read.</p>
  const { divergences, jobs, mean, sooner, same, later, winners, losers } = found
  if (jobs.length === 0)
    return <p class="empty">The two logs have no job in common: they are runs of different workloads.</p>
  const passed = divergences.filter(({ t }) => t <= cursor.value.t).length
  const own = jobs.find(({ job }) => job === selectedJob.value)
  return (
    <>
      <p class="summary" data-testid="comparison">
        {divergences.length === 0 ? (
          'The two runs have the same decisions about every job.'
        ) : (
          <>
            A and {letter} decide differently about {count(divergences.length)} of {count(jobs.length)} jobs, up to the
            cursor about {count(passed)} jobs. The first difference is job <JobLink job={divergences[0].job} /> at{' '}
            <TimeLink t={divergences[0].t} />.
          </>
        )}
      </p>
      <p class="steps">
        <button type="button" onClick={() => jumpToDivergence(-1)} aria-keyshortcuts="Shift+N">
          ‹ previous difference
        </button>{' '}
        <button type="button" onClick={() => jumpToDivergence(1)} aria-keyshortcuts="N">
          next difference ›
        </button>
      </p>
      <p>
        In {letter} {count(sooner)} jobs wait less than in A, {count(same)} as long, {count(later)} longer
        {mean === undefined ? (
          ''
        ) : (
          <>
            ; the mean difference is {mean > 0 ? '+' : ''}
            {span(mean)}
          </>
        )}
        .
      </p>
      {own === undefined ? null : <Decisions job={own.job} />}
      <JobDifferences title={`Jobs that gain most in ${letter}`} letter={letter} jobs={winners} />
      <JobDifferences title={`Jobs that lose most in ${letter}`} letter={letter} jobs={losers} />
    </>
  )
}

function Decisions({ job }: { readonly job: string }): JSX.Element {
  return (
    <>
      <h3>
        Job <JobLink job={job} />, in each run
      </h3>
      <table data-testid="decisions">
        <Head columns={['run', 'starts', 'waits', 'runs for', 'on nodes']} />
        <tbody>
          {runs.value.map((run) => {
            void run.version.value
            const decision = decisionOf(run, job)
            const number = run.numbers.get(job)
            return (
              <tr key={run.side}>
                <td>{run.side.toUpperCase()}</td>
                <td class="nowrap">
                  {decision === undefined
                    ? 'never'
                    : `${timeText(decision.start)}${decision.isBackfilled ? ', backfilled' : ''}`}
                </td>
                <td>{decision === undefined ? '' : span(decision.start - run.submits.at(number!))}</td>
                <td>
                  {decision === undefined ? '' : decision.end === undefined ? '…' : span(decision.end - decision.start)}
                </td>
                <td class="ids">{decision && nodesByName(run.topology, decision.nodes)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </>
  )
}

function JobDifferences({
  title,
  letter,
  jobs,
}: {
  readonly title: string
  /** Letter of the run that is compared with run A. */
  readonly letter: string
  readonly jobs: ReadonlyArray<JobInBoth>
}): JSX.Element | null {
  if (jobs.length === 0) return null
  const wait = (value: number | undefined): string => (value === undefined ? 'never starts' : span(value))
  return (
    <>
      <h3>{title}</h3>
      <table>
        <Head columns={['job', ['nodes'], 'waits in A', `in ${letter}`, 'change']} />
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
