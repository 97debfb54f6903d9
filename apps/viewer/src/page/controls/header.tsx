import { nameWithRails } from '@cloister/topology'
import type { JSX } from 'preact'
import { count, shortened } from '../../words.ts'
import { backfilledColors, colorings, css, scaleColor } from '../drawing/colors.ts'
import { legendOf } from '../gantt/span-colors.ts'
import { faultOf, revealFault } from '../state/faults.ts'
import type { RunClient } from '../state/run-client.ts'
import { activeRun, runs, timeText } from '../state/session.ts'
import { colorBy, sets, theme, themes } from '../state/view-state.ts'
import { Choice } from './inputs.tsx'
import { isHelpOpen } from './keys.tsx'
import { Omnibox } from './omnibox.tsx'

const statusTexts = {
  reading: 'reading',
  written: 'being written',
  whole: 'whole',
  failed: 'policy failed',
  unsealed: 'not finished',
  torn: 'torn',
  corrupt: 'corrupt',
  broken: 'breaks off',
} as const

export function Header(): JSX.Element {
  return (
    <header class="page">
      <h1>Cloister</h1>
      <div class="runs">
        {runs.value.map((run) => (
          <RunTitle key={run.side} run={run} />
        ))}
      </div>
      <Omnibox />
      <ColorChoice />
      <Choice label="Appearance" of={theme} options={themes.map((each) => [each, each])} />
      <button type="button" onClick={sets(isHelpOpen, true)} aria-label="Keys" aria-keyshortcuts="?">
        ?
      </button>
    </header>
  )
}

function RunTitle({ run }: { readonly run: RunClient }): JSX.Element {
  const overview = run.overview.value
  if (overview === undefined) return <p>opening…</p>
  const { header, status, records } = overview
  const { part } = header
  const fault = faultOf(run)
  const ofPart = part === undefined ? [] : [`part of a run, ${timeText(part.from)} to ${timeText(part.until)}`]
  const texts = status === 'whole' && part !== undefined ? ofPart : [statusTexts[status], ...ofPart]
  return (
    <p>
      {runs.value.length > 1 ? <b>{run.side.toUpperCase()} </b> : null}
      <b>{header.policy.name}</b> on {nameWithRails(header.topology)}, {header.workload.name}
      <span class={`status ${status}`} data-testid={`status-${run.side}`}>
        {texts.join(', ')}
        {status === 'reading' ? ` ${Math.floor(run.progress.value * 100)} %` : ''}
      </span>
      {fault === undefined ? null : (
        <button type="button" class="link fault" onClick={revealFault} title={fault.message}>
          at {timeText(fault.t)}
          {fault.job === undefined ? '' : `, job ${shortened(fault.job)}`}
        </button>
      )}
      <small>
        {count(records)} {records === 1 ? 'record' : 'records'}
      </small>
    </p>
  )
}

function ColorChoice(): JSX.Element {
  const run = activeRun.value
  void run?.version.value
  const legend = run?.overview.value === undefined ? undefined : legendOf(run, colorBy.value)
  return (
    <div class="colors">
      <Choice label="colour by" isLabelVisible of={colorBy} options={colorings.map((each) => [each, each])} />
      {legend === undefined ? null : (
        <span class="legend">
          {legend.low}
          {legend.middle === '' ? null : <small> · {legend.middle}</small>}
          <i
            style={{
              background: `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((share) => css(scaleColor(share))).join()})`,
            }}
          />
          {legend.high}
        </span>
      )}
      {colorBy.value === 'backfilled' ? (
        <span class="legend">
          <i style={{ background: css(backfilledColors.inTurn) }} />
          in turn
          <i style={{ background: css(backfilledColors.backfilled) }} />
          backfilled
          <i style={{ background: css(backfilledColors.killed) }} />
          killed
        </span>
      ) : null}
    </div>
  )
}
