import type { Header as LogHeader } from '@cloister/eventlog'
import { useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { stateInWords } from '../words.ts'
import { Header } from './controls/header.tsx'
import { Help } from './controls/keys.tsx'
import { Separator } from './controls/inputs.tsx'
import { Transport } from './controls/transport.tsx'
import { Fabrics } from './fabric/fabric.tsx'
import { Gantt, JobsBar, TimeAxis } from './gantt/gantt.tsx'
import { Panels } from './panels/panel-shell.tsx'
import type { RunClient } from './state/run-client.ts'
import { activeRun, runs, timeText } from './state/session.ts'
import { panes } from './state/view-state.ts'
import { Minimap } from './tracks/minimap.tsx'
import { Tracks } from './tracks/track-shell.tsx'

export function App(): JSX.Element {
  useSignalEffect(() => {
    const names = runs.value.flatMap(({ overview: { value } }) =>
      value === undefined ? [] : [titleWords(value.header)],
    )
    document.title = names.length === 0 ? 'Cloister' : `${names.join(' / ')} · Cloister`
  })
  const shown = runs.value.filter((run) => run.overview.value !== undefined)
  return (
    <>
      <Header />
      <nav aria-label="In time">
        <Transport />
      </nav>
      <Troubles />
      <main style={paneStyle()}>
        <div class="over-time">
          <Minimap />
          <JobsBar />
          {shown.length > 1 ? <TimeAxis /> : null}
          {shown.length === 0 ? (
            <p class="empty large">Opening the log…</p>
          ) : (
            shown.map((run) => <Gantt key={run.side} run={run} title={titleOf(run)} />)
          )}
          <Separator pane="tracks" label="Height of the tracks" sized="after" across={false} />
          <div class="tracks" data-set={panes.value.tracks !== undefined}>
            <Tracks />
          </div>
        </div>
        <Separator pane="time" label="Width of the views over time" sized="before" across />
        <div class="at-cursor">
          <Fabrics titleOf={titleOf} />
          <Separator pane="fabric" label="Height of the fabric" sized="before" across={false} />
          <Panels />
        </div>
      </main>
      <Announcer />
      <Help />
    </>
  )
}

function paneStyle(): Record<string, string> {
  return Object.fromEntries(Object.entries(panes.value).map(([name, share]) => [`--pane-${name}`, `${share}%`]))
}

function titleWords({ policy, workload }: LogHeader): string {
  return `${policy.name}, ${workload.name}`
}

function titleOf(run: RunClient): string | undefined {
  return runs.value.length > 1
    ? `${run.side.toUpperCase()} · ${run.overview.value?.header.policy.name ?? ''}`
    : undefined
}

function Troubles(): JSX.Element {
  const troubles = runs.value.flatMap((run) => {
    const overview = run.overview.value
    const name = runs.value.length > 1 ? `${run.side.toUpperCase()}: ` : ''
    return [
      ...(run.error.value === undefined ? [] : [`${name}${run.error.value}`]),
      ...(overview === undefined || overview.message === null
        ? []
        : [
            `${name}This log ${overview.status === 'failed' ? '' : 'is '}${overview.message}. ${advice[overview.status] ?? ''}`,
          ]),
    ]
  })
  return (
    <div class="troubles" role="alert">
      {troubles.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  )
}

const advice: Readonly<Record<string, string>> = {
  failed: 'The page shows all records before the failure; cloister rerun tells whether the policy still fails.',
  torn: 'The page shows every sealed record; cloister simulate --resume completes the log.',
  unsealed: 'The log may still grow; if no program writes the log, cloister simulate --resume completes the log.',
  corrupt: 'The page shows the records up to the last seal before the corrupt place.',
  broken: 'The page shows the state before the inconsistent record; cloister audit lists all faults.',
}

/** Tells screen readers the state at the cursor after the cursor has rested for 700 ms. */
function Announcer(): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  useSignalEffect(() => {
    const moment = activeRun.value?.moment.value
    if (moment === undefined) return undefined
    const timer = setTimeout(() => {
      if (place.current !== null)
        place.current.textContent = `${timeText(moment.t)}, record ${moment.seq}: ${stateInWords(moment)}.`
    }, 700)
    return () => clearTimeout(timer)
  })
  return <div class="hidden" role="status" ref={place} />
}
