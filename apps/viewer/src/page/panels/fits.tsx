import type { FittingSizes, Relief } from '@cloister/replay'
import type { JSX } from 'preact'
import { count, freeInWords, nodesInWords, percent, span } from '../../words.ts'
import { useAnswer, useSamples } from '../state/asking.ts'
import { reveal } from '../state/reveal.ts'
import type { Panel } from '../extensions.ts'
import type { RunClient } from '../state/run-client.ts'
import { timeText, visible } from '../state/session.ts'
import { Head, JobLink } from './panel-shell.tsx'

/** Greatest number of rows of the table of job sizes, and of jobs in a list of running jobs. */
const [ROWS, NAMED] = [40, 12]

/** Numbers of jobs that would fit at the cursor, and changes that would let the first job of the queue start. */
export const fitsPanel: Panel = {
  name: 'fits',
  title: 'Sizes that fit',
  key: { key: 'g', does: 'sizes of jobs that would fit, and changes that would let the first job of the queue start' },
  command: 'sizes of jobs that would fit',
  content: FitsPanel,
}

function FitsPanel({ run }: { readonly run: RunClient }): JSX.Element {
  const moment = run.moment.value
  const asked = (): number | undefined => (run.overview.value?.status === 'reading' ? undefined : run.moment.value?.seq)
  const fits = useAnswer(run, asked, (signal) => run.answerer.ask('fits', { seq: run.moment.peek()!.seq }, signal))
  const relief = useAnswer(run, asked, (signal) => run.answerer.ask('relief', { seq: run.moment.peek()!.seq }, signal))
  if (run.overview.value?.canAsk !== true)
    return (
      <p class="empty">
        The policy of this log is not available. <code>cloister view --policy</code> names the file of a policy.
      </p>
    )
  if (moment === undefined || fits.answer === undefined) return <p class="empty">Asking the policy…</p>
  const { fits: found } = fits.answer
  return (
    <div class={fits.isOld ? 'old' : ''} data-testid="fits">
      <p class="summary">
        At this moment {freeInWords(moment.free)}.{found === null ? '' : ` ${largestInWords(found)}`}
      </p>
      <h3>Changes that would let the first job start</h3>
      {relief.answer === undefined ? <p class="empty">Asking…</p> : <ReliefOf relief={relief.answer.relief} />}
      {found === null || found.sizes.length === 0 ? null : (
        <>
          <h3>Number of further jobs of each size that would fit</h3>
          <FitsPicture bars={fittingBars(found, moment.free)} />
          <table>
            <Head columns={[['nodes each'], ['jobs'], 'of the free nodes']} />
            <tbody>
              {fittingSteps(found)
                .slice(-ROWS)
                .reverse()
                .map(({ from, to, jobs }) => (
                  <tr key={from}>
                    <td class="number">{from === to ? count(from) : `${count(from)} to ${count(to)}`}</td>
                    <td class="number">{count(jobs)}</td>
                    <td>{jobs === 0 ? 'none' : percent((jobs * to) / moment.free, 0)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
          {found.hasEverySize ? null : (
            <p class="hint">The machine is so large that the policy is not asked about every size.</p>
          )}
        </>
      )}
      <h3>Over the visible times</h3>
      <FitsOverTime run={run} />
    </div>
  )
}

function largestInWords({ largest: { nodes, isExact }, sizes }: FittingSizes): string {
  if (sizes.length === 0) return ''
  if (nodes === 0) return 'No job of any size would fit.'
  return `The largest job that would fit has ${isExact ? '' : 'at least '}${nodesInWords(nodes)}.`
}

function ReliefOf({ relief }: { readonly relief: Relief | null }): JSX.Element {
  if (relief === null) return <p class="empty">No job waits at this moment.</p>
  const { job, size, fits, releases, moves, delay, tried, running } = relief
  const which = (
    <>
      Job <JobLink job={job} />, of {nodesInWords(size)},
    </>
  )
  if (fits)
    return (
      <p>
        {which} fits on the free nodes: the next scheduling pass starts the job, unless the queue discipline holds the
        job back.
      </p>
    )
  return (
    <>
      <p>
        {which} does not fit.{' '}
        {delay === undefined
          ? 'The job would not fit even after the end of all running jobs.'
          : `By estimates the job will fit in ${span(delay)}, when enough running jobs have ended.`}
      </p>
      <Jobs
        jobs={releases}
        none="The end of a single running job would not be enough: at least two jobs would have to end."
        some="The end of any one of these jobs would be enough:"
      />
      <Jobs
        jobs={moves}
        none={releases.length === 0 ? '' : 'For none of these jobs would the policy find other nodes.'}
        some="A move of any one of these jobs to other nodes, which the policy can find, would be enough:"
      />
      {tried < running ? (
        <p class="hint">
          Only the {count(tried)} of {count(running)} running jobs with the earliest expected ends were tried.
        </p>
      ) : null}
    </>
  )
}

function Jobs({
  jobs,
  none,
  some,
}: {
  readonly jobs: ReadonlyArray<string>
  readonly none: string
  readonly some: string
}): JSX.Element {
  if (jobs.length === 0) return <p>{none}</p>
  return (
    <p>
      {some}{' '}
      {jobs.slice(0, NAMED).map((job) => (
        <span key={job}>
          <JobLink job={job} />{' '}
        </span>
      ))}
      {jobs.length > NAMED ? `and ${count(jobs.length - NAMED)} more` : ''}
    </p>
  )
}

function FitsPicture({ bars }: { readonly bars: ReturnType<typeof fittingBars> }): JSX.Element {
  return (
    <div class="fits-bars" role="img" aria-label="Share of the free nodes that jobs of each size would use">
      {bars.map(({ from, to, share }) => (
        <span
          key={from}
          title={`${count(from)} to ${count(to)} nodes each: at least ${percent(share, 0)} of the free nodes`}
        >
          <em>
            <i style={{ height: `${(1 - share) * 100}%` }} />
            <b style={{ height: `${share * 100}%` }} />
          </em>
          <small>{count(from)}</small>
        </span>
      ))}
    </div>
  )
}

/** Number of visible moments about which the policy is asked. The policy is asked about many sizes at each. */
const MOMENTS = 16

/** Table of the share of free nodes that jobs of a bin of sizes (row) could use at a moment (column): dark if low. */
function FitsOverTime({ run }: { readonly run: RunClient }): JSX.Element {
  const samples = useSamples(
    () => run,
    MOMENTS,
    async ({ answerer }, t, signal) => (await answerer.ask('fits', { t }, signal)).fits,
  )
  const columns = [...samples].sort((a, b) => a.t - b.t)
  const { from, to } = visible.value
  const largest = Math.max(1, ...columns.map(({ answer }) => answer?.sizes.at(-1) ?? 1))
  const rows = Array.from({ length: Math.floor(Math.log2(largest)) + 1 }, (_, power) => 2 ** power).reverse()
  if (columns.length === 0) return <p class="empty">Asking the policy about {MOMENTS} moments…</p>
  return (
    <table class="fits-times">
      <tbody>
        {rows.map((size) => (
          <tr key={size}>
            <th scope="row">{count(size)}</th>
            {Array.from({ length: MOMENTS }, (_, at) => {
              const found = columns.find(({ t }) => Math.floor(((t - from) / (to - from)) * MOMENTS) === at)
              return <Cell key={at} size={size} t={found?.t} sizes={found?.answer ?? undefined} />
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Cell({
  size,
  t,
  sizes,
}: {
  readonly size: number
  readonly t: number | undefined
  readonly sizes: FittingSizes | undefined
}): JSX.Element {
  if (t === undefined || sizes === undefined) return <td />
  const free = sizes.sizes.at(-1) ?? 0
  const share = fittingBars(sizes, free).find(({ from }) => from === size)?.share
  if (share === undefined) return <td title={`${timeText(t)}: fewer nodes are free`} />
  return (
    <td
      title={`${timeText(t)}: jobs of ${count(size)} and more could use ${percent(share, 0)} of ${count(free)} free nodes`}
    >
      <button
        type="button"
        tabIndex={-1}
        aria-label={`${timeText(t)}, ${count(size)} nodes: ${percent(share, 0)}`}
        style={{ opacity: 0.12 + 0.88 * (1 - share) }}
        onClick={() => reveal({ kind: 'time', t })}
      />
    </td>
  )
}

/** Consecutive sizes, from `from` to `to` nodes, for which the same number `jobs` of jobs would fit. */
interface FittingStep {
  readonly from: number
  readonly to: number
  readonly jobs: number
}

/** Joins consecutive job sizes of which the same number of jobs would fit. A size not asked about is in no step. */
export function fittingSteps({ sizes, jobs }: Pick<FittingSizes, 'sizes' | 'jobs'>): ReadonlyArray<FittingStep> {
  const steps: Array<{ readonly from: number; to: number; readonly jobs: number }> = []
  for (const [at, size] of sizes.entries()) {
    const last = steps.at(-1)
    if (last !== undefined && last.jobs === jobs[at] && last.to === size - 1) last.to = size
    else steps.push({ from: size, to: size, jobs: jobs[at] })
  }
  return steps
}

/** A bin of job sizes, `from` (a power of two) to `to` nodes, and the share (0 to 1) of the free nodes in use. */
interface FittingBar {
  readonly from: number
  readonly to: number
  readonly share: number
}

/** Returns for each bin of job sizes the least share of the `free` nodes that jobs of one size of the bin would use. */
export function fittingBars(found: Pick<FittingSizes, 'sizes' | 'jobs'>, free: number): ReadonlyArray<FittingBar> {
  const bars = new Map<number, FittingBar>()
  for (const [at, size] of found.sizes.entries()) {
    const from = 2 ** Math.floor(Math.log2(size))
    const share = (found.jobs[at] * size) / free
    const before = bars.get(from)
    bars.set(from, { from, to: size, share: Math.min(before?.share ?? 1, share) })
  }
  return [...bars.values()]
}
