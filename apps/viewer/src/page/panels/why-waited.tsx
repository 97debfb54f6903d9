import { changeInWords, type Explanation, type ReservationChange, type Wait, waitInWords } from '@cloister/replay'
import type { JSX } from 'preact'
import type { JobLife, WholeWhy } from '../../run/questions.ts'
import { count, span } from '../../words.ts'
import { useAnswer } from '../state/asking.ts'
import { reveal } from '../state/reveal.ts'
import { nodesByName } from '../state/node-names.ts'
import type { RunClient } from '../state/run-client.ts'
import { isObserved, timeText } from '../state/session.ts'
import { cursor } from '../state/view-state.ts'
import { LogWait } from './log-wait.tsx'
import { Head, JobLink, RecordLink } from './panel-shell.tsx'

/** Greatest number of listed released jobs, and of changes of the reservation; twice as many for overtaking jobs. */
const ROWS = 12

/** Reasons for a job's wait from submit to start, the overtaking jobs, and the changes of the job's reservation. */
export function WhyWaited({ run, life }: { readonly run: RunClient; readonly life: JobLife }): JSX.Element {
  const { job } = life
  const { answer, isOld } = useAnswer<WholeWhy>(
    run,
    () => `${run.overview.value?.status === 'reading'} ${job}`,
    () => run.answerer.ask('explain', { job }),
  )
  if (answer === undefined || isOld)
    return (
      <>
        <h3>Reasons for the wait</h3>
        <LogWait run={run} life={life} />
        <p class="empty">Running the policy again to find the reasons for the wait…</p>
      </>
    )
  const { explanation, source, differsFrom, reasonsUntil } = answer
  if (explanation === null) return <p class="empty">This log has no job {job}.</p>
  return (
    <section aria-label="Reasons for the wait" data-testid="why-waited">
      <h3>Reasons for the wait</h3>
      <WaitBar explanation={explanation} />
      {source === 'none' && !isObserved.value && explanation.waits.some(({ reason }) => reason === null) ? (
        <p class="hint">
          The log has the job's places in the queue, but no reasons. <code>simulate --refusals</code> writes reasons,
          and <code>cloister view</code> asks policies that are built in.
        </p>
      ) : null}
      {reasonsUntil === null ? null : (
        <p class="hint">
          {differsFrom === null
            ? 'The policy decides as in the log, but answers differently to further requests'
            : `From record ${count(differsFrom)} on the policy decides differently than the log`}
          : reasons are known until record {count(reasonsUntil)}.
        </p>
      )}
      <Freed run={run} explanation={explanation} />
      <Reservations run={run} changes={explanation.reservations} />
      <Overtakers run={run} explanation={explanation} />
    </section>
  )
}

function WaitBar({ explanation: { waits, passes } }: { readonly explanation: Explanation }): JSX.Element {
  const parts = waitParts(waits)
  const [from, to] = [waits[0]?.from ?? 0, waits.at(-1)?.to ?? 0]
  const times = passes.head + passes.window + passes.outside
  if (to <= from)
    return (
      <p>
        {times === 0 ? 'The job did not wait.' : `The job waited for ${count(times)} scheduling passes of one instant.`}
      </p>
    )
  const totals = waitTotals(parts)
  const x = (t: number): number => (100 * (t - from)) / (to - from)
  const at = x(cursor.value.t)
  return (
    <>
      <div
        class="wait-bar"
        role="img"
        aria-label={totals.map(({ cause, seconds }) => `${cause}: ${span(seconds)}`).join('; ')}
        onClick={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect()
          reveal({ kind: 'time', t: from + ((event.clientX - left) / width) * (to - from) })
        }}
      >
        {parts.map(({ from: begin, to: end, cause, kind }) => (
          <i
            key={begin}
            class={`because-${kind}`}
            style={{ left: `${x(begin)}%`, width: `${x(end) - x(begin)}%` }}
            title={`${timeText(begin)} to ${timeText(end)}: ${cause}`}
          />
        ))}
        {at < 0 || at > 100 ? null : <b style={{ left: `${at}%` }} />}
      </div>
      <p class="wait-ends">
        <small>came {timeText(from)}</small>
        <small>
          {span(to - from)}, {count(times)} {times === 1 ? 'pass' : 'passes'}
        </small>
        <small>{timeText(to)}</small>
      </p>
      <ul class="causes">
        {totals.map(({ cause, kind, seconds }) => (
          <li key={cause}>
            <i class={`because-${kind}`} />
            {cause} <b>{span(seconds)}</b>
          </li>
        ))}
      </ul>
    </>
  )
}

function Freed({
  run,
  explanation: { ends, waits },
}: {
  readonly run: RunClient
  readonly explanation: Explanation
}): JSX.Element | null {
  const start = ends.findLast((end) => end.type === 'allocate')
  if (start === undefined || start.type !== 'allocate' || waits.length === 0) return null
  const passed = start.ahead === 0 ? 'as the head of the queue' : `past ${count(start.ahead)} jobs before it`
  return (
    <p>
      The job started at {timeText(start.t)}, {passed}
      {start.freed.length === 0
        ? '.'
        : `, on nodes or links that ${start.freed.length === 1 ? 'a job' : `${count(start.freed.length)} jobs`} released:`}
      {start.freed.slice(0, ROWS).map(({ job, seq, nodes }) => (
        <span key={seq}>
          {' '}
          <JobLink job={job} />{' '}
          <span class="nowrap">
            (<RecordLink run={run} seq={seq} />
          </span>
          {nodes === '' ? '' : `, nodes ${nodesByName(run.topology, nodes)}`})
        </span>
      ))}
    </p>
  )
}

function Reservations({
  run,
  changes,
}: {
  readonly run: RunClient
  readonly changes: ReadonlyArray<ReservationChange>
}): JSX.Element | null {
  if (changes.length === 0) return null
  const first = changes[0].start
  return (
    <>
      <h4>Reservation of the job</h4>
      <table>
        <Head columns={[['record'], 'at', 'reserved start', ['slip'], 'because']} />
        <tbody>
          {changes.slice(-ROWS).map(({ seq, t, change, start, because }) => (
            <tr key={seq}>
              <td class="number">
                <RecordLink run={run} seq={seq} />
              </td>
              <td class="nowrap">{timeText(t)}</td>
              <td>{start === null ? 'withdrawn' : `${timeText(start)} (${change})`}</td>
              <td class="number">{start === null || first === null || start === first ? '' : span(start - first)}</td>
              <td>{because.map(changeInWords).join('; ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {changes.length > ROWS ? (
        <p class="hint">
          the last {ROWS} of {count(changes.length)} changes
        </p>
      ) : null}
    </>
  )
}

function Overtakers({
  run,
  explanation: { overtakenBy },
}: {
  readonly run: RunClient
  readonly explanation: Explanation
}): JSX.Element | null {
  if (overtakenBy.length === 0) return null
  const backfilled = overtakenBy.filter((each) => each.backfilled).length
  return (
    <>
      <h4>
        Overtaken by {count(overtakenBy.length)} {overtakenBy.length === 1 ? 'job' : 'jobs'}, {count(backfilled)}{' '}
        backfilled while the job had a reservation
      </h4>
      <p>
        {overtakenBy.slice(0, ROWS * 2).map(({ seq, job, size }) => (
          <span key={seq}>
            <JobLink job={job} /> ({count(size)} {size === 1 ? 'node' : 'nodes'}, <RecordLink run={run} seq={seq} />
            ){' '}
          </span>
        ))}
        {overtakenBy.length > ROWS * 2 ? `and ${count(overtakenBy.length - ROWS * 2)} more` : ''}
      </p>
    </>
  )
}

/** A part of a job's wait with a single cause; times are in seconds. */
interface WaitPart {
  readonly from: number
  readonly to: number
  readonly cause: string
  readonly kind: WaitKind
}

/** Kind of the cause of a wait; each kind has a colour in the wait bar. */
type WaitKind = 'nodes' | 'placement' | 'reservation' | 'untried' | 'unknown'

/** Returns the parts of a job's wait. Joins successive parts with the same cause; all reservations are one cause. */
export function waitParts(waits: ReadonlyArray<Wait>): ReadonlyArray<WaitPart> {
  const parts: Array<WaitPart> = []
  for (const wait of waits) {
    const cause = waitInWords(wait).replace(/^reservation of job .*/, 'a reservation of another job')
    const before = parts.at(-1)
    if (before !== undefined && before.cause === cause && before.to === wait.from)
      parts[parts.length - 1] = { ...before, to: wait.to }
    else parts.push({ from: wait.from, to: wait.to, cause, kind: kindOf(wait, cause) })
  }
  return parts
}

function kindOf({ place, reason }: Wait, cause: string): WaitKind {
  if (place === 'outside' || place === 'early') return 'untried'
  if (reason === null) return 'unknown'
  if (reason.code === 'too-few-nodes') return 'nodes'
  return cause.startsWith('a reservation') ? 'reservation' : 'placement'
}

/** Returns the total time of each cause of a wait, in seconds; the cause with the longest time comes first. */
export function waitTotals(
  parts: ReadonlyArray<WaitPart>,
): ReadonlyArray<{ readonly cause: string; readonly kind: WaitKind; readonly seconds: number }> {
  const totals = new Map<string, { cause: string; kind: WaitKind; seconds: number }>()
  for (const { from, to, cause, kind } of parts) {
    const total = totals.get(cause) ?? { cause, kind, seconds: 0 }
    total.seconds += to - from
    totals.set(cause, total)
  }
  return [...totals.values()].sort((a, b) => b.seconds - a.seconds)
}
