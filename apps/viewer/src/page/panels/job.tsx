import type { Allocate, LogRecord } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import type { JSX } from 'preact'
import type { JobLife } from '../../run/questions.ts'
import { count, nodesInWords, span } from '../../words.ts'
import type { Panel } from '../extensions.ts'
import { nodesByName } from '../state/node-names.ts'
import type { RunClient } from '../state/run-client.ts'
import { timeText } from '../state/session.ts'
import { selectedJob } from '../state/view-state.ts'
import { JobLinks } from './job-links.tsx'
import { Head, RecordLink } from './panel-shell.tsx'
import { WhyWaited } from './why-waited.tsx'

/** Facts, reasons for the wait, and records of the selected job. */
export const jobPanel: Panel = {
  name: 'job',
  title: 'Job',
  key: { key: 'j', does: 'show the selected job' },
  command: 'the selected job',
  content: JobPanel,
}

function JobPanel({ run }: { readonly run: RunClient }): JSX.Element {
  const job = selectedJob.value
  const found = run.lookedUp.value
  if (job === undefined)
    return (
      <p class="empty">
        No job is selected. Click a job in a picture or a table, or type the id of a job into the search field.
      </p>
    )
  // The machine is unknown until the log's header is read.
  if (found?.job !== job || run.overview.value === undefined) return <p class="empty">Looking up job {job}…</p>
  const { life } = found
  if (life === null) return <p class="empty">This log has no job {job}.</p>
  const allocate = life.records.findLast(({ type }) => type === 'allocate')
  return (
    <>
      <h3>Job {life.job}</h3>
      <JobFacts life={life} />
      <WhyWaited run={run} life={life} />
      {allocate?.type === 'allocate' ? <JobLinks run={run} allocate={allocate} /> : null}
      <h3>Records of the job</h3>
      {life.omitted > 0 ? <p class="hint">{count(life.omitted)} records in the middle are left out.</p> : null}
      <table data-testid="life">
        <Head columns={[['record'], 'time', 'what']} />
        <tbody>
          {storyOf(life.records, run.topology).map(({ record, text }) => (
            <tr key={record.seq} data-selected={record.seq === run.moment.value?.seq}>
              <td class="number">
                <RecordLink run={run} seq={record.seq} />
              </td>
              <td class="nowrap">{'t' in record ? timeText(record.t) : ''}</td>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function JobFacts({ life }: { readonly life: JobLife }): JSX.Element {
  const submit = life.records.find((record) => record.type === 'submit')
  const starts = life.records.filter((record) => record.type === 'allocate').filter(({ moved }) => moved === undefined)
  const end = life.records.findLast((record) => record.type === 'finish' || record.type === 'kill')
  const facts: ReadonlyArray<readonly [string, string]> = [
    ...(submit?.type === 'submit'
      ? [
          [
            'asks for',
            `${nodesInWords(submit.size)}${submit.estimate === undefined ? '' : ` for ${span(submit.estimate)}`}${submit.name === undefined ? '' : `, ${submit.name}`}`,
          ] as const,
        ]
      : []),
    ...(submit?.type === 'submit' && submit.communication !== undefined
      ? [['communicates', `${submit.communication.pattern}, ${submit.communication.share / 10} % of its time`] as const]
      : []),
    ...(submit?.type === 'submit' && starts[0] !== undefined
      ? [['waited', span(starts[0].t - submit.t)] as const]
      : []),
    ...(starts.at(-1) !== undefined && end !== undefined && 't' in end
      ? [
          [
            'ran',
            `${span(end.t - starts.at(-1)!.t)}${end.type === 'kill' ? `, then killed: ${end.code}` : ''}`,
          ] as const,
        ]
      : []),
    ['refused', refusalsInWords(life.refusals)],
  ]
  return (
    <dl>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A later reservation of a job is described as a change: sooner, later, or on other nodes or links. */
function storyOf(
  records: ReadonlyArray<LogRecord>,
  topology: Topology,
): ReadonlyArray<{ readonly record: LogRecord; readonly text: string }> {
  let start: number | undefined
  return records.map((record) => {
    switch (record.type) {
      case 'submit':
        return { record, text: 'came to the queue' }
      case 'reserve': {
        const move =
          start === undefined
            ? 'is reserved'
            : record.start < start
              ? `is reserved ${span(start - record.start)} sooner:`
              : record.start > start
                ? `is reserved ${span(record.start - start)} later:`
                : 'is reserved on other nodes or links:'
        start = record.start
        return {
          record,
          text: `${move} nodes ${nodesByName(topology, record.nodes)} from ${timeText(record.start)} on`,
        }
      }
      case 'unreserve':
        return { record, text: 'loses its reservation' }
      case 'allocate':
        return { record, text: startInWords(record, topology) }
      case 'finish':
        return { record, text: record.status === 'failed' ? 'fails' : 'ends' }
      case 'release':
        return {
          record,
          text: record.for === undefined ? 'releases its allocation' : `moves, so that job ${record.for} can start`,
        }
      case 'kill':
        return { record, text: `is killed: ${record.code}` }
      case 'requeue':
        return { record, text: 'waits again' }
      case 'reject':
        return { record, text: `is rejected: ${record.constraint}` }
      case 'cancel':
        return { record, text: 'is cancelled' }
      case 'route':
        return {
          record,
          text:
            record.undo === undefined
              ? 'gets entries in the forwarding tables'
              : 'loses its entries in the forwarding tables',
        }
      default:
        return { record, text: record.type }
    }
  })
}

function startInWords({ backfill, nodes, links, estimate, moved }: Allocate, topology: Topology): string {
  const how = backfill === undefined ? '' : ', backfilled,'
  const own = links === undefined ? '' : ` with ${links.every((ids) => ids === '') ? 'no links' : 'own links'}`
  return `${moved === undefined ? 'starts' : 'goes on'}${how} on nodes ${nodesByName(topology, nodes)}${own}${estimate === undefined ? '' : `, with an expected run time of ${span(estimate)}`}`
}

function refusalsInWords(refusals: number): string {
  if (refusals === 0) return 'the log holds no refusals of the job'
  return refusals === 1 ? 'once' : `${count(refusals)} times`
}
