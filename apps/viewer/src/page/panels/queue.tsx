import type { Topology } from '@cloister/topology'
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Moment, Why, WhyLine } from '../../run/questions.ts'
import { count, nodesInWords, stateInWords } from '../../words.ts'
import { useAnswer } from '../state/asking.ts'
import type { Panel } from '../extensions.ts'
import { nodesByName } from '../state/node-names.ts'
import type { RunClient } from '../state/run-client.ts'
import { isObserved, timeText } from '../state/session.ts'
import { selectedJob } from '../state/view-state.ts'
import { Head, JobLink, More } from './panel-shell.tsx'

/** Number of listed jobs of a group of waiting jobs, until the user asks for the whole group. */
const LISTED = 4
/** Number of listed running jobs, until the user asks for all running jobs. */
const RUNNING_LISTED = 40

const placesInWords: Readonly<Record<WhyLine['place'], string>> = {
  head: 'first',
  window: 'in the window',
  outside: 'behind the window',
  early: 'before its turn',
}

function QueueGroupRows({
  group: { why, lines, nodes },
  reserved,
}: {
  readonly group: QueueGroup
  readonly reserved: ReadonlyMap<string, { readonly start: number }>
}): JSX.Element {
  const isOpen = useSignal(false)
  const shown = isOpen.value ? lines : lines.slice(0, LISTED)
  return (
    <tbody>
      <tr class="group">
        <th scope="rowgroup" colSpan={4}>
          {count(lines.length)} {lines.length === 1 ? 'job' : 'jobs'} of {nodesInWords(nodes)}: {why}
        </th>
      </tr>
      {shown.map((line) => (
        <tr key={line.job} data-job={line.job} data-selected={line.job === selectedJob.value}>
          <td>
            <JobLink job={line.job} />
          </td>
          <td class="number">{count(line.size)}</td>
          <td class="nowrap">{placesInWords[line.place]}</td>
          <td>
            {line.why === why && lines.length > 1 ? '' : line.why}{' '}
            <small>
              {[
                ...(line.nearest === null ? [] : [`nearest miss: ${line.nearest}`]),
                ...(reserved.has(line.job) ? [`reserved from ${timeText(reserved.get(line.job)!.start)}`] : []),
              ].join(' · ')}
            </small>
          </td>
        </tr>
      ))}
      {lines.length <= LISTED ? null : (
        <tr>
          <td colSpan={4}>
            <More isOpen={isOpen} more={`and ${count(lines.length - LISTED)} more`} />
          </td>
        </tr>
      )}
    </tbody>
  )
}

/** The waiting jobs at the cursor with their reasons, and the running jobs. */
export const queuePanel: Panel = {
  name: 'queue',
  title: 'Queue',
  key: { key: 'q', does: 'queue: why jobs wait' },
  command: 'queue: why jobs wait',
  content: QueuePanel,
}

function QueuePanel({ run }: { readonly run: RunClient }): JSX.Element {
  const moment = run.moment.value
  // The policy is not asked while the log is read, because its answers would slow down the reading.
  const asked = (): number | undefined => (run.overview.value?.status === 'reading' ? undefined : run.moment.value?.seq)
  const { answer, isOld } = useAnswer<Why>(run, asked, (signal) =>
    run.answerer.ask('why', { seq: run.moment.peek()!.seq }, signal),
  )
  if (moment === undefined) return <p class="empty">Looking up the state at the cursor…</p>
  const reserved = new Map(moment.reservations.map((each) => [each.job, each]))
  return (
    <>
      <p class="summary" data-testid="moment">
        At <b>{timeText(moment.t)}</b>, after record <b>{moment.seq}</b>: {stateInWords(moment)}.
        {answer?.largest === null || answer === undefined || isOld
          ? ''
          : ` The largest job that would fit has ${nodesInWords(answer.largest)}.`}
      </p>
      <h3>Waiting jobs, by reason</h3>
      {moment.waiting === 0 ? (
        <p class="empty">No job waits at this moment.</p>
      ) : answer === undefined ? (
        <p class="empty">Asking…</p>
      ) : (
        <table class={isOld ? 'old' : ''} data-testid="why">
          <Head columns={['job', ['nodes'], 'stands', 'why not started']} />
          {queueGroups(answer.lines).map((group) => (
            <QueueGroupRows key={group.why} group={group} reserved={reserved} />
          ))}
        </table>
      )}
      {answer?.source === 'none' ? (
        <p class="hint">
          {isObserved.value ? (
            "This log is of a real machine, and has no reasons of the machine's scheduler."
          ) : (
            <>
              The log has no reasons. <code>cloister view</code> asks policies that are built in, and{' '}
              <code>simulate --refusals</code> writes reasons into the log.
            </>
          )}
        </p>
      ) : null}
      {moment.waiting > (answer?.lines.length ?? Infinity) ? (
        <p class="hint">
          and {count(moment.waiting - answer!.lines.length)} more jobs, about which the policy is not asked
        </p>
      ) : null}
      <h3>Running</h3>
      <RunningJobs running={moment.running} topology={run.topology} />
    </>
  )
}

/** At first only 40 running jobs are listed, because the layout of rows takes most of the time of a new moment. */
function RunningJobs({ running, topology }: Pick<Moment, 'running'> & { readonly topology: Topology }): JSX.Element {
  const isOpen = useSignal(false)
  if (running.length === 0) return <p class="empty">No job runs at this moment.</p>
  return (
    <>
      <table data-testid="running">
        <Head columns={['job', ['nodes'], 'since', 'expected end', 'on']} />
        <tbody>
          {(isOpen.value ? running : running.slice(0, RUNNING_LISTED)).map(
            ({ job, size, start, expectedEnd, nodes }) => (
              <tr key={job} data-selected={job === selectedJob.value}>
                <td>
                  <JobLink job={job} />
                </td>
                <td class="number">{count(size)}</td>
                <td class="nowrap">{timeText(start)}</td>
                <td class="nowrap">{expectedEnd === null ? '–' : timeText(expectedEnd)}</td>
                <td class="ids">{nodesByName(topology, nodes)}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
      {running.length <= RUNNING_LISTED ? null : (
        <More isOpen={isOpen} more={`and ${count(running.length - RUNNING_LISTED)} more running jobs`} />
      )}
    </>
  )
}

/** Waiting jobs that have not started for the same reason. */
interface QueueGroup {
  readonly why: string
  readonly lines: ReadonlyArray<WhyLine>
  /** Number of nodes that the jobs request together. */
  readonly nodes: number
}

/** Groups waiting jobs by reason, in the order of their first jobs. Numbers and job ids in a reason do not count. */
export function queueGroups(lines: ReadonlyArray<WhyLine>): ReadonlyArray<QueueGroup> {
  const groups = new Map<string, Array<WhyLine>>()
  for (const line of lines) {
    const why = line.why
      .replace(/^needs \d[\d,]* nodes?, /, 'needs more: ')
      .replace(/would delay job .*, which/, 'would delay a job that')
      .replace(/ \(at [\d.]+ s\)$/, '')
      .replace(/^the policy gave up the search after .*/, 'the policy gave up the search')
    const group = groups.get(why)
    if (group === undefined) groups.set(why, [line])
    else group.push(line)
  }
  return Array.from(groups, ([why, members]) => ({
    why,
    lines: members,
    nodes: members.reduce((sum, { size }) => sum + size, 0),
  }))
}
