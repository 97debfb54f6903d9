import type { LogRecord } from '@cloister/eventlog'
import { useSignal, useSignalEffect } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import type { JobLife, RecordView, Why } from '../run/questions.ts'
import { comparison, jumpToDivergence } from './divergences.ts'
import type { JobInBoth } from './comparison.ts'
import { FiguresPanel } from './figures.tsx'
import type { RunClient } from './run-client.ts'
import { activeRun, moveTo, moveToRecord, runs, select } from './session.ts'
import { clock, count, span } from './times.ts'
import { cursor, hoveredJob, selectedJob, side, type Tab, tab } from './view-state.ts'

const names: Readonly<Record<Tab, string>> = { queue: 'Queue', job: 'Job', record: 'Record', compare: 'Compare', figures: 'Figures' }

/** What is known of the moment, of the selected job and of the record, one at a time. */
export function Panels(): JSX.Element {
  const run = activeRun.value
  const shown = (Object.keys(names) as ReadonlyArray<Tab>).filter((each) => each !== 'compare' || runs.value.length === 2)
  return (
    <section class="panels" aria-label="Details">
      <div role="tablist" aria-label="Details" onKeyDown={(event) => {
        const move = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
        if (move === 0) return
        event.stopPropagation()
        tab.value = shown[(shown.indexOf(tab.value) + move + shown.length) % shown.length]
        ;(event.currentTarget.children[shown.indexOf(tab.value)] as HTMLElement).focus()
      }}>
        {shown.map((each) => (
          <button key={each} type="button" role="tab" id={`tab-${each}`} aria-selected={tab.value === each} aria-controls="panel" tabIndex={tab.value === each ? 0 : -1} onClick={(event) => {
            tab.value = each
            // Whoever points and clicks wants the arrow keys to step on, not to change tabs.
            if (event.detail > 0) event.currentTarget.blur()
          }}>{names[each]}</button>
        ))}
        {runs.value.length === 2 ? <SideChoice /> : null}
      </div>
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${tab.value}`} tabIndex={0}>
        {run === undefined ? null : <Panel key={`${tab.value}-${run.side}`} run={run} />}
      </div>
    </section>
  )
}

function SideChoice(): JSX.Element {
  return (
    <span class="sides" role="group" aria-label="Of which run">
      {runs.value.map((run) => <button key={run.side} type="button" aria-pressed={activeRun.value === run} onClick={() => { side.value = run.side }}>{run.side.toUpperCase()}</button>)}
    </span>
  )
}

function Panel({ run }: { readonly run: RunClient }): JSX.Element {
  switch (tab.value) {
    case 'queue': return <QueuePanel run={run} />
    case 'job': return <JobPanel run={run} />
    case 'record': return <RecordPanel run={run} />
    case 'compare': return <ComparePanel />
    case 'figures': return <FiguresPanel run={run} />
  }
}

function JobLink({ job, children }: { readonly job: string; readonly children?: ComponentChildren }): JSX.Element {
  return <button type="button" class="link" onClick={() => select(job)} onPointerEnter={() => { hoveredJob.value = job }} onPointerLeave={() => { hoveredJob.value = undefined }}>{children ?? job}</button>
}

function RecordLink({ run, seq }: { readonly run: RunClient; readonly seq: number }): JSX.Element {
  return <button type="button" class="link" onClick={() => {
    moveToRecord(seq, run.side)
    tab.value = 'record'
  }}>{seq}</button>
}

/** An answer that belongs to the moment at the cursor; asked for once the cursor rests. */
function useAnswer<Answer>(run: RunClient, about: () => number | string | undefined, ask: () => Promise<Answer>): { readonly answer: Answer | undefined; readonly isOld: boolean } {
  const known = useSignal<{ readonly about: number | string; readonly answer: Answer } | undefined>(undefined)
  useSignalEffect(() => {
    const wanted = about()
    if (wanted === undefined) return undefined
    let isCurrent = true
    const timer = setTimeout(() => {
      ask().then((answer) => { if (isCurrent) known.value = { about: wanted, answer } }, (error: unknown) => { run.error.value = (error as Error).message })
    }, 80)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  })
  return { answer: known.value?.answer, isOld: known.value?.about !== about() }
}

function QueuePanel({ run }: { readonly run: RunClient }): JSX.Element {
  const moment = run.moment.value
  const seq = (): number | undefined => run.moment.value?.seq
  const { answer, isOld } = useAnswer<Why>(run, seq, () => run.answerer.ask('why', { seq: run.moment.peek()!.seq }))
  if (moment === undefined) return <p class="empty">Looking up the state at the cursor…</p>
  const reserved = new Map(moment.reservations.map((each) => [each.job, each]))
  return (
    <>
      <p class="summary" data-testid="moment">
        At <b>{clock(moment.t)}</b>, after record <b>{moment.seq}</b>: {count(moment.running.length)} jobs run, {count(moment.waiting)} wait, {count(moment.free)} nodes are free{moment.down > 0 ? `, ${count(moment.down)} down` : ''}.
        {answer?.largest === null || answer === undefined || isOld ? '' : ` The largest job that would fit has ${count(answer.largest)} nodes.`}
      </p>
      <h3>Why they wait</h3>
      {moment.waiting === 0 ? <p class="empty">Nobody waits at this moment.</p> : answer === undefined ? <p class="empty">Asking…</p> : (
        <table class={isOld ? 'old' : ''} data-testid="why">
          <thead><tr><th>job</th><th class="number">nodes</th><th>stands</th><th>why not started</th></tr></thead>
          <tbody>
            {answer.lines.map(({ job, size, place, why, nearest }) => (
              <tr key={job} data-selected={job === selectedJob.value}>
                <td><JobLink job={job} /></td><td class="number">{count(size)}</td><td class="nowrap">{place === 'head' ? 'first' : place === 'window' ? 'in the window' : 'behind it'}</td>
                <td>{why}{nearest === null ? '' : <small> · nearest miss: {nearest}</small>}{reserved.has(job) ? <small> · reserved from {clock(reserved.get(job)!.start)}</small> : null}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {answer?.source === 'none' ? <p class="hint">This log does not say why. <code>cloister view</code> asks the policy where it is built in, and <code>simulate --decisions</code> writes the reasons into the log.</p> : null}
      {moment.waiting > (answer?.lines.length ?? Infinity) ? <p class="hint">and {count(moment.waiting - answer!.lines.length)} more</p> : null}
      <h3>Running</h3>
      {moment.running.length === 0 ? <p class="empty">Nothing runs at this moment.</p> : (
        <table>
          <thead><tr><th>job</th><th class="number">nodes</th><th>since</th><th>expected end</th><th>on</th></tr></thead>
          <tbody>
            {moment.running.slice(0, 300).map(({ job, size, start, expectedEnd, nodes }) => (
              <tr key={job} data-selected={job === selectedJob.value}><td><JobLink job={job} /></td><td class="number">{count(size)}</td><td class="nowrap">{clock(start)}</td><td class="nowrap">{expectedEnd === null ? '–' : clock(expectedEnd)}</td><td class="ids">{nodes}</td></tr>
            ))}
          </tbody>
        </table>
      )}
      {moment.running.length > 300 ? <p class="hint">and {count(moment.running.length - 300)} more</p> : null}
    </>
  )
}

function JobPanel({ run }: { readonly run: RunClient }): JSX.Element {
  const { answer: life, isOld } = useAnswer<JobLife | null>(
    run, () => (selectedJob.value === undefined ? undefined : `${run.version.value} ${selectedJob.value}`), () => run.answerer.ask('job', { job: selectedJob.peek()! }))
  const job = selectedJob.value
  if (job === undefined) return <p class="empty">No job is selected. Click one in a picture or a table, or type its name into the search above.</p>
  if (life === undefined || (isOld && life?.job !== job)) return <p class="empty">Looking up job {job}…</p>
  if (life === null) return <p class="empty">This log has no job {job}.</p>
  return (
    <>
      <h3>Job {life.job}</h3>
      <JobFacts life={life} />
      <h3>What happened to it</h3>
      {life.omitted > 0 ? <p class="hint">{count(life.omitted)} records in between are left out.</p> : null}
      <table data-testid="life">
        <thead><tr><th class="number">record</th><th>time</th><th>what</th></tr></thead>
        <tbody>
          {storyOf(life.records).map(({ record, text }) => (
            <tr key={record.seq} data-selected={record.seq === run.moment.value?.seq}><td class="number"><RecordLink run={run} seq={record.seq} /></td><td class="nowrap">{'t' in record ? clock(record.t) : ''}</td><td>{text}</td></tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function JobFacts({ life }: { readonly life: JobLife }): JSX.Element {
  const submit = life.records.find((record) => record.type === 'submit')
  const starts = life.records.filter((record) => record.type === 'allocate')
  const end = life.records.findLast((record) => record.type === 'finish' || record.type === 'kill')
  const facts: ReadonlyArray<readonly [string, string]> = [
    ...(submit?.type === 'submit' ? [['asks for', `${count(submit.size)} nodes${submit.walltime === undefined ? '' : ` for ${span(submit.walltime)}`}${submit.name === undefined ? '' : `, ${submit.name}`}`] as const] : []),
    ...(submit?.type === 'submit' && submit.comm !== undefined ? [['communicates', `${submit.comm.pattern}, ${submit.comm.share / 10} % of its time`] as const] : []),
    ...(submit?.type === 'submit' && starts[0] !== undefined ? [['waited', span(starts[0].t - submit.t)] as const] : []),
    ...(starts.at(-1) !== undefined && end !== undefined && 't' in end ? [['ran', `${span(end.t - starts.at(-1)!.t)}${end.type === 'kill' ? `, then killed: ${end.why}` : ''}`] as const] : []),
    ['refused', life.refusals === 0 ? 'the log holds no refusals of it' : `${count(life.refusals)} times`],
  ]
  return <dl>{facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
}

/** The records of a job in words; a reservation that follows on another one says how it moved. */
function storyOf(records: ReadonlyArray<LogRecord>): ReadonlyArray<{ readonly record: LogRecord; readonly text: string }> {
  let start: number | undefined
  return records.map((record) => {
    switch (record.type) {
      case 'submit': return { record, text: 'came to the queue' }
      case 'reserve': {
        const move = start === undefined ? 'is promised' : record.start < start ? `is promised ${span(start - record.start)} sooner:` : record.start > start ? `is promised ${span(record.start - start)} later:` : 'is promised other parts:'
        start = record.start
        return { record, text: `${move} nodes ${record.nodes} from ${clock(record.start)} on` }
      }
      case 'unreserve': return { record, text: 'loses its reservation' }
      case 'allocate': return { record, text: `starts${record.backfill === undefined ? '' : ', backfilled,'} on nodes ${record.nodes}${record.links === undefined ? '' : ` with ${record.links.filter((ids) => ids !== '').length === 0 ? 'no links' : 'links of its own'}`}` }
      case 'finish': return { record, text: record.status === 'failed' ? 'fails' : 'ends' }
      case 'release': return { record, text: 'gives back what it held' }
      case 'kill': return { record, text: `is killed: ${record.why}` }
      case 'requeue': return { record, text: 'waits again' }
      case 'reject': return { record, text: `is turned away: ${record.constraint}` }
      case 'cancel': return { record, text: 'is taken back' }
      case 'route': return { record, text: `${record.op === 'add' ? 'gets' : 'loses'} ${count(record.entries)} forwarding entries` }
      default: return { record, text: record.type }
    }
  })
}

function RecordPanel({ run }: { readonly run: RunClient }): JSX.Element {
  const { answer, isOld } = useAnswer<RecordView>(run, () => run.moment.value?.seq, () => run.answerer.ask('record', { seq: run.moment.peek()!.seq }))
  if (answer === undefined) return <p class="empty">Looking up the record at the cursor…</p>
  const { record, line, causes, before, after } = answer
  const last = (run.overview.value?.seekable ?? 1) - 1
  return (
    <div class={isOld ? 'old' : ''}>
      <form class="goto" onSubmit={(event) => {
        event.preventDefault()
        const seq = Number(new FormData(event.currentTarget).get('seq'))
        if (Number.isInteger(seq) && seq >= 0) moveToRecord(Math.min(seq, last), run.side)
      }}>
        <label>Record <input name="seq" type="number" min={0} max={last} value={record.seq} /></label> of {count(last)}
      </form>
      <pre data-testid="record">{pretty(line)}</pre>
      {'job' in record ? <p>About job <JobLink job={record.job} />.</p> : null}
      <h3>State</h3>
      <table>
        <thead><tr><th /><th class="number">before</th><th class="number">after</th></tr></thead>
        <tbody>
          {(['free', 'running', 'waiting', 'reservations', 'down'] as const).map((figure) => (
            <tr key={figure} data-selected={before[figure] !== after[figure]}><td>{figure === 'free' ? 'free nodes' : figure === 'down' ? 'nodes down' : figure}</td><td class="number">{count(before[figure])}</td><td class="number">{count(after[figure])}</td></tr>
          ))}
        </tbody>
      </table>
      <h3>What made it happen</h3>
      {causes.length === 0 ? <p class="empty">It came from outside.</p> : (
        <ol>{causes.map((cause) => <li key={cause.seq}><RecordLink run={run} seq={cause.seq} /> {cause.type}{'job' in cause ? <> of job <JobLink job={cause.job} /></> : null}{'t' in cause ? ` at ${clock(cause.t)}` : ''}</li>)}</ol>
      )}
    </div>
  )
}

/** Of long records the beginning: the header of an uneven machine may be megabytes. */
function pretty(line: string): string {
  const text = JSON.stringify(JSON.parse(line), null, 1).replaceAll(/\n\s+/g, '\n ')
  return text.length > 4000 ? `${text.slice(0, 4000)}\n…` : text
}

function ComparePanel(): JSX.Element {
  const found = comparison.value
  if (found === undefined) return <p class="empty">Both logs are still being read.</p>
  const { divergences, jobs, mean, sooner, same, later, winners, losers } = found
  if (jobs.length === 0) return <p class="empty">The two logs have no job in common: they are runs of different workloads.</p>
  const passed = divergences.filter(({ t }) => t <= cursor.value.t).length
  const own = jobs.find(({ job }) => job === selectedJob.value)
  return (
    <>
      <p class="summary" data-testid="comparison">
        {divergences.length === 0 ? 'The two runs decide the same throughout.' : <>They decide differently about {count(divergences.length)} of {count(jobs.length)} jobs, {count(passed)} of them up to here. The first is job <JobLink job={divergences[0].job} /> at <button type="button" class="link" onClick={() => moveTo(divergences[0].t)}>{clock(divergences[0].t)}</button>.</>}
      </p>
      <p><button type="button" onClick={() => jumpToDivergence(-1)} aria-keyshortcuts="Shift+N">‹ previous difference</button> <button type="button" onClick={() => jumpToDivergence(1)} aria-keyshortcuts="N">next difference ›</button></p>
      <p>In B {count(sooner)} jobs wait less, {count(same)} as long, {count(later)} longer{mean === undefined ? '' : <>; on average {mean > 0 ? '+' : ''}{span(mean)}</>}.</p>
      {own === undefined ? null : <JobDifferences title={`Job ${own.job}`} jobs={[own]} />}
      <JobDifferences title="Who gains most in B" jobs={winners} />
      <JobDifferences title="Who loses most in B" jobs={losers} />
    </>
  )
}

function JobDifferences({ title, jobs }: { readonly title: string; readonly jobs: ReadonlyArray<JobInBoth> }): JSX.Element | null {
  if (jobs.length === 0) return null
  const wait = (value: number | undefined): string => (value === undefined ? 'never starts' : span(value))
  return (
    <>
      <h3>{title}</h3>
      <table>
        <thead><tr><th>job</th><th class="number">nodes</th><th>waits in A</th><th>in B</th><th>change</th></tr></thead>
        <tbody>{jobs.map(({ job, size, waitA, waitB }) => (
          <tr key={job} data-selected={job === selectedJob.value}><td><JobLink job={job} /></td><td class="number">{count(size)}</td><td>{wait(waitA)}</td><td>{wait(waitB)}</td><td>{waitA === undefined || waitB === undefined ? '' : `${waitB > waitA ? '+' : ''}${span(waitB - waitA)}`}</td></tr>
        ))}</tbody>
      </table>
    </>
  )
}
