import type { JSX } from 'preact'
import type { JobLife } from '../../run/questions.ts'
import { count, span } from '../../words.ts'
import type { RunClient } from '../state/run-client.ts'
import { timeText } from '../state/session.ts'
import { JobLink } from './panel-shell.tsx'

/** Greatest number of listed overtaking jobs. */
const LISTED = 24

/**
 * The part of a job's wait that the records of the log tell: length, passes, place in the queue, reservations, and
 * overtaking jobs. The page shows this part at once, and the policy's reasons later.
 */
export function LogWait({ run, life }: { readonly run: RunClient; readonly life: JobLife }): JSX.Element {
  const submit = life.records.find(({ type }) => type === 'submit')
  const end = life.records.find(({ type }) => type === 'allocate' || type === 'reject' || type === 'cancel')
  const from = submit !== undefined && 't' in submit ? submit.t : 0
  const to = end !== undefined && 't' in end ? end.t : (run.overview.value?.lastTime ?? from)
  const left = end === undefined || end.type === 'allocate' ? Infinity : to
  const places = hasSubmitOrder(run) ? placesOf(run, life.number, { came: from, left }) : undefined
  return (
    <div data-testid="log-wait">
      <p>
        {end === undefined ? 'Has waited' : 'Waited'} <b>{span(to - from)}</b>, from {timeText(from)} to {timeText(to)},
        through {count(life.passes)} scheduling {life.passes === 1 ? 'pass' : 'passes'}.{' '}
        {places === undefined ? '' : placesInWords(places)}
      </p>
      <Reserved life={life} />
      {places === undefined || places.overtakers.length === 0 ? null : (
        <>
          <h4>
            Overtaken by {count(places.overtakers.length)} {places.overtakers.length === 1 ? 'job' : 'jobs'}
          </h4>
          <p>
            {places.overtakers.slice(0, LISTED).map((number) => (
              <span key={number}>
                <JobLink job={run.ids[number]} /> ({count(run.sizes.at(number))}){' '}
              </span>
            ))}
            {places.overtakers.length > LISTED ? `and ${count(places.overtakers.length - LISTED)} more` : ''}
          </p>
        </>
      )}
    </div>
  )
}

/** Returns true if the queue of a run is in order of submit. */
function hasSubmitOrder(run: RunClient): boolean {
  return run.overview.value?.header.order === undefined
}

interface Places {
  /** Number of earlier jobs that waited when the job came. */
  readonly before: number
  /** Number of earlier jobs that started after the job; undefined if the job has not started. */
  readonly passed: number | undefined
  /** Numbers of later jobs that started while the job waited, once for each start. */
  readonly overtakers: ReadonlyArray<number>
}

/**
 * Returns the places of a job in a queue in submit order, until its first start.
 *
 * @param wait times of the submit, and of the end of a wait without a start (else Infinity)
 */
export function placesOf(
  { spans, spanJobs, starts }: Pick<RunClient, 'spans' | 'spanJobs' | 'starts'>,
  job: number,
  { came, left }: { readonly came: number; readonly left: number },
): Places {
  const overtakers: Array<number> = []
  const [waited, later] = [new Set<number>(), new Set<number>()]
  const started = new Set<number>()
  let hasStarted = false
  // The spans are in the order of the starts.
  for (let span = 0; span < spans; span++) {
    const number = spanJobs.at(span)
    if (number === job) hasStarted = true
    else if (number > job && !hasStarted && starts.at(span) < left) overtakers.push(number)
    else if (number < job && !started.has(number)) {
      started.add(number)
      if (starts.at(span) >= came) waited.add(number)
      if (hasStarted) later.add(number)
    }
  }
  return { before: waited.size, passed: hasStarted ? later.size : undefined, overtakers }
}

function placesInWords({ before, passed }: Places): string {
  const jobs = (number: number): string => (number === 1 ? '1 earlier job' : `${count(number)} earlier jobs`)
  const came = before === 0 ? 'No earlier job waited when the job came.' : `${jobs(before)} waited when the job came.`
  return passed === undefined || passed === 0 ? came : `${came} ${jobs(passed)} started later than the job.`
}

function Reserved({ life: { records } }: { readonly life: JobLife }): JSX.Element | null {
  const planned = records.flatMap((record) => (record.type === 'reserve' ? [record.start] : []))
  if (planned.length === 0) return null
  const [first, last] = [planned[0], planned[planned.length - 1]]
  return (
    <p>
      {planned.length === 1 ? 'One reservation' : `${count(planned.length)} reservations`}: the first planned the start
      at {timeText(first)}
      {last === first
        ? ''
        : `, the last at ${timeText(last)}, ${span(Math.abs(last - first))} ${last > first ? 'later' : 'sooner'}`}
      .
    </p>
  )
}
