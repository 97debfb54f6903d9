import type { JSX } from 'preact'
import { backfilledColors, type ColorBy, css, scaleColor } from '../drawing/colors.ts'
import { isPlaying, togglePlay } from './playback.ts'
import { reveal } from '../navigation/reveal.ts'
import { Omnibox } from '../omnibox/omnibox.tsx'
import { timeText } from '../state/clock.ts'
import { activeRun, moveTo, runs, step, whole } from '../state/session.ts'
import { isHelpOpen } from './help-open.ts'
import { TimeField } from './time-field.tsx'
import { legendOf } from '../gantt/span-colors.ts'
import { count } from '../text/times.ts'
import {
  colorBy,
  cursor,
  following,
  pace,
  type Pace,
  side,
  speed,
  speeds,
  theme,
  type Theme,
} from '../state/view-state.ts'
import type { RunClient } from '../state/run-client.ts'

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
      <ThemeChoice />
      <button
        type="button"
        onClick={() => {
          isHelpOpen.value = true
        }}
        aria-label="Keys"
        aria-keyshortcuts="?"
      >
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
  const ofPart = part === undefined ? [] : [`part of a run, ${timeText(part.from)} to ${timeText(part.until)}`]
  const texts = status === 'whole' && part !== undefined ? ofPart : [statusTexts[status], ...ofPart]
  return (
    <p>
      {runs.value.length > 1 ? <b>{run.side.toUpperCase()} </b> : null}
      <b>{header.policy.name}</b> on {header.topology.name}, {header.workload.name}
      <span class={`status ${status}`} data-testid={`status-${run.side}`}>
        {texts.join(', ')}
        {status === 'reading' ? ` ${Math.floor(run.progress.value * 100)} %` : ''}
      </span>
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
      <label>
        colour by{' '}
        <select
          value={colorBy.value}
          onChange={(event) => {
            colorBy.value = event.currentTarget.value as ColorBy
          }}
        >
          {(['job', 'size', 'wait', 'slowdown', 'backfilled'] as const).map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
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

function ThemeChoice(): JSX.Element {
  return (
    <label>
      <span class="hidden">Appearance</span>
      <select
        value={theme.value}
        onChange={(event) => {
          theme.value = event.currentTarget.value as Theme
        }}
      >
        <option value="system">system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  )
}

/** Toolbar with the time and the record at the cursor, and with the buttons that move the cursor. */
export function Transport(): JSX.Element {
  const run = activeRun.value
  const moment = run?.moment.value
  const isWritten = run?.overview.value?.status === 'written'
  return (
    <div class="transport" role="toolbar" aria-label="Time">
      <button
        type="button"
        onClick={() => reveal({ kind: 'time', t: 0 })}
        aria-label="Beginning"
        title="Beginning (home)"
      >
        |‹
      </button>
      <button
        type="button"
        onClick={() => void step('pass', -1)}
        aria-label="Scheduling pass before"
        title="Pass before (shift ←)"
      >
        «
      </button>
      <button
        type="button"
        onClick={() => void step('record', -1)}
        aria-label="Record before"
        title="Record before (←)"
      >
        ‹
      </button>
      <button
        type="button"
        class="play"
        onClick={togglePlay}
        aria-label={isPlaying.value ? 'Pause' : 'Play'}
        title="Play, pause (space)"
      >
        {isPlaying.value ? '❚❚' : '▶'}
      </button>
      <button type="button" onClick={() => void step('record', 1)} aria-label="Next record" title="Next record (→)">
        ›
      </button>
      <button
        type="button"
        onClick={() => void step('pass', 1)}
        aria-label="Next scheduling pass"
        title="Next pass (shift →)"
      >
        »
      </button>
      <button
        type="button"
        onClick={() => reveal({ kind: 'time', t: whole.peek().to })}
        aria-label="End"
        title="End (end)"
      >
        ›|
      </button>
      <label>
        <span class="hidden">Play by</span>
        <select
          value={pace.value}
          onChange={(event) => {
            pace.value = event.currentTarget.value as Pace
          }}
        >
          <option value="time">by time</option>
          <option value="pass">by pass</option>
          <option value="record">by record</option>
        </select>
      </label>
      <label>
        <span class="hidden">Speed</span>
        <select
          value={speed.value}
          onChange={(event) => {
            speed.value = Number(event.currentTarget.value)
          }}
        >
          {speeds.map((each) => (
            <option key={each} value={each}>
              {pace.value === 'time' ? `${each}×` : `${each} a second`}
            </option>
          ))}
        </select>
      </label>
      {isWritten ? (
        <label class="follow">
          <input
            type="checkbox"
            checked={following.value}
            onChange={(event) => {
              following.value = event.currentTarget.checked
            }}
          />{' '}
          follow
        </label>
      ) : null}
      <input
        type="range"
        class="scrub"
        aria-label="Time"
        min={whole.value.from}
        max={whole.value.to}
        step="any"
        value={cursor.value.t}
        aria-valuetext={timeText(cursor.value.t)}
        onInput={(event) => moveTo(Number(event.currentTarget.value))}
      />
      <TimeField />
      <output class="now" data-testid="now">
        <b>{timeText(moment?.t ?? cursor.value.t)}</b> record {moment?.seq ?? '…'}
        {runs.value.length > 1 ? ` of ${side.value.toUpperCase()}` : ''}
      </output>
    </div>
  )
}
