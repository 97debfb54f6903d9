import { nodeName, portOfLink, switchOfLink } from '@cloister/topology'
import type { JSX } from 'preact'
import type { FaultRecord } from '../../run/questions.ts'
import { nodesInWords, span, stateInWords } from '../../words.ts'
import { type Place, placeOfLink } from '../controls/places.ts'
import { describeSquare } from '../fabric/fabric-words.ts'
import type { Panel } from '../extensions.ts'
import { type Fault, faultOf } from '../state/faults.ts'
import { reveal } from '../state/reveal.ts'
import type { RunClient } from '../state/run-client.ts'
import { runs, timeText } from '../state/session.ts'
import { JobLink, RecordLink, TimeLink } from './panel-shell.tsx'

/** The last fault of the log: the policy's question and its answer, or the record that contradicts earlier records. */
export const faultPanel: Panel = {
  name: 'fault',
  title: 'Fault',
  isOffered: () => runs.value.some((run) => faultOf(run) !== undefined),
  content: FaultPanel,
}

function FaultPanel({ run }: { readonly run: RunClient }): JSX.Element {
  const fault = faultOf(run)
  if (fault === undefined) return <p class="empty">This log has no fault.</p>
  return (
    <div data-testid="fault">
      {fault.failure === undefined ? (
        <Contradiction fault={fault} />
      ) : (
        <Failure run={run} fault={fault} failure={fault.failure} />
      )}
      <Resources run={run} fault={fault} />
    </div>
  )
}

function Failure({
  run,
  fault: { seq, t, message },
  failure,
}: {
  readonly run: RunClient
  readonly fault: Fault
  readonly failure: FaultRecord
}): JSX.Element {
  const policy = run.overview.value?.header.policy.name ?? ''
  const moment = run.moment.value
  return (
    <>
      <p class="summary">
        At <TimeLink t={t} />, record <RecordLink run={run} seq={seq} />, the policy <b>{policy}</b> failed on a request
        of job <JobLink job={failure.job} />.
      </p>
      <h3>Question</h3>
      <dl>
        {questionOf(failure).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {moment?.seq === seq ? (
          <div>
            <dt>state</dt>
            <dd>{stateInWords(moment)}</dd>
          </div>
        ) : null}
      </dl>
      <h3>Answer</h3>
      <p>
        {kinds[failure.code ?? ''] ?? 'The policy failed'}: the policy {message}.
      </p>
      <p class="hint">
        <code>cloister rerun LOG --until {seq}</code> repeats the question; <code>--policy FILE</code> names a policy
        that is not built in.
      </p>
    </>
  )
}

/** Kinds of failures in words, by the code of the fault record. */
const kinds: Readonly<Record<string, string>> = {
  throws: 'The policy threw an error',
  answer: 'The answer has no valid form',
  placement: 'The answer is a wrong placement',
  rewritten: 'The policy changed an earlier answer',
  time: 'The answer came too late',
}
const purposes: Readonly<Record<string, string>> = {
  start: 'start the job now',
  reserve: 'reserve nodes for a later start of the job',
  backfill: 'start the job now, beside the reservations',
}

/** Returns the fields of a request to the policy in words. Times of a request are in milliseconds. */
function questionOf({ request, purpose }: FaultRecord): ReadonlyArray<readonly [name: string, value: string]> {
  const { job, purpose: _, nodes, now, ...others } = request as Readonly<Record<string, unknown>>
  const inWords = (name: string, value: unknown): string => {
    if (typeof value !== 'number') return typeof value === 'string' ? value : JSON.stringify(value)
    if (name === 'estimate') return span(value / 1000)
    return ['submitted', 'decidedAt', 'startsAt'].includes(name) ? timeText(value / 1000) : String(value)
  }
  return [
    ['purpose', purposes[purpose] ?? purpose],
    ['job', `${String(job)}, ${nodesInWords(Number(nodes))}`],
    ['at', timeText(Number(now) / 1000)],
    ...Object.entries(others).map(([name, value]) => [name, inWords(name, value)] as const),
  ]
}

function Contradiction({ fault: { t, message, contradiction } }: { readonly fault: Fault }): JSX.Element {
  return (
    <>
      <p class="summary">
        At <TimeLink t={t} /> a record contradicts the records before: {message}.
      </p>
      <h3>The record</h3>
      <pre>{JSON.stringify(contradiction, null, 1)}</pre>
      <p class="hint">The page shows the state before this record.</p>
    </>
  )
}

/** Greatest number of listed nodes and links. */
const LISTED = 24

function Resources({
  run,
  fault: { nodes, links },
}: {
  readonly run: RunClient
  readonly fault: Fault
}): JSX.Element | null {
  const { topology } = run
  const all: ReadonlyArray<{ readonly place: Place; readonly text: string }> = [
    ...nodes.map((node) => ({
      place: { kind: 'nodes', name: nodeName(topology, node), from: node, to: node + 1 } as const,
      text: describeSquare(run, { kind: 'node', node }),
    })),
    ...links.map(({ level, link }) => {
      const [sw, port] = [switchOfLink(topology, level, link), portOfLink(topology, level, link)]
      return {
        place: placeOfLink(topology, level, link),
        text: describeSquare(run, { kind: 'link', level, sw, port, link }),
      }
    }),
  ]
  if (all.length === 0) return null
  return (
    <>
      <h3>Nodes and links of the fault</h3>
      <ul class="links">
        {all.slice(0, LISTED).map(({ place, text }) => (
          <li key={place.name}>
            <button type="button" class="link" onClick={() => reveal({ kind: 'place', run, place })}>
              {text}
            </button>
          </li>
        ))}
      </ul>
      {all.length > LISTED ? <p class="hint">and {all.length - LISTED} more</p> : null}
    </>
  )
}
