import { type Signal, signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { reveal } from '../state/reveal.ts'
import { activeRun, epochShown, moveTo, runs, step, timeText, visible, whole } from '../state/session.ts'
import { clockBy, cursor, following, pace, paces, sets, side, speed, speeds } from '../state/view-state.ts'
import { Choice } from './inputs.tsx'
import { parseMoment, parseTimes } from './meanings.ts'

/** Toolbar with the time and the record at the cursor, and with the buttons that move the cursor. */
export function Transport(): JSX.Element {
  const run = activeRun.value
  const moment = run?.moment.value
  const isWritten = run?.overview.value?.status === 'written'
  return (
    <div class="transport" role="toolbar" aria-label="Time">
      <Move label="Beginning" title="Beginning (home)" text="|‹" move={() => reveal({ kind: 'time', t: 0 })} />
      <Move label="Scheduling pass before" title="Pass before (shift ←)" text="«" move={() => void step('pass', -1)} />
      <Move label="Record before" title="Record before (←)" text="‹" move={() => void step('record', -1)} />
      <button
        type="button"
        class="play"
        onClick={togglePlay}
        aria-label={isPlaying.value ? 'Pause' : 'Play'}
        title="Play, pause (space)"
      >
        {isPlaying.value ? '❚❚' : '▶'}
      </button>
      <Move label="Next record" title="Next record (→)" text="›" move={() => void step('record', 1)} />
      <Move label="Next scheduling pass" title="Next pass (shift →)" text="»" move={() => void step('pass', 1)} />
      <Move label="End" title="End (end)" text="›|" move={() => reveal({ kind: 'time', t: whole.peek().to })} />
      <Choice label="Play by" of={pace} options={paces.map((each) => [each, `by ${each}`])} />
      <Choice
        label="Speed"
        of={speed}
        options={speeds.map((each) => [each, pace.value === 'time' ? `${each}×` : `${each} a second`])}
      />
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

/** Button that moves the cursor. */
function Move({
  label,
  title,
  text,
  move,
}: {
  readonly label: string
  readonly title: string
  readonly text: string
  readonly move: () => void
}): JSX.Element {
  return (
    <button type="button" onClick={move} aria-label={label} title={title}>
      {text}
    </button>
  )
}

/** Field for a time or a record to go to. If the log has an epoch, the user can choose the page's clock. */
function TimeField(): JSX.Element {
  const isWrong = useSignal(false)
  const epoch = epochShown()
  const example = epoch === undefined || clockBy.value === 'run' ? '11d 13:46' : '2007-03-02 14:00'
  return (
    <form
      class="time-field"
      onSubmit={(event) => {
        event.preventDefault()
        const field = event.currentTarget.querySelector('input')!
        const times = parseTimes(field.value, epoch, clockBy.value)
        const moment = parseMoment(field.value, epoch, clockBy.value)
        isWrong.value = times === undefined && moment === undefined
        const run = activeRun.peek()
        if (isWrong.value || run === undefined) return
        if (times !== undefined) reveal({ kind: 'times', ...times })
        else if (moment !== undefined)
          reveal('seq' in moment ? { kind: 'record', seq: moment.seq, on: run.side } : { kind: 'time', t: moment.t })
        field.value = ''
        field.blur()
      }}
    >
      <input
        name="time"
        size={16}
        autocomplete="off"
        aria-label="Go to a time or record"
        aria-invalid={isWrong.value}
        title={`A time, a record, or a length of visible times: 11d 13:46, ${epoch === undefined ? '' : '2007-03-02 14:00, '}@3h, #700, 1h, 1h@3d`}
        placeholder={isWrong.value ? 'not read: 11d 13:46' : example}
        onInput={sets(isWrong, false)}
      />
      {epoch === undefined ? null : (
        <Choice
          label="Clock"
          of={clockBy}
          options={[
            ['run', 'since the start'],
            ['utc', 'UTC'],
            ['local', 'local time'],
          ]}
        />
      )}
    </form>
  )
}

const isPlaying: Signal<boolean> = signal(false)

let stepsDue = 0

export function togglePlay(): void {
  if (isPlaying.peek()) {
    isPlaying.value = false
    return
  }
  if (cursor.peek().t >= visible.peek().to) moveTo(visible.peek().from)
  isPlaying.value = true
  let last = performance.now()
  const tick = async (now: number): Promise<void> => {
    if (!isPlaying.peek()) return
    await advance((now - last) / 1000)
    last = now
    requestAnimationFrame((next) => void tick(next))
  }
  requestAnimationFrame((now) => void tick(now))
}

async function advance(seconds: number): Promise<void> {
  if (pace.peek() === 'time') {
    const { from, to } = visible.peek()
    const t = cursor.peek().t + (seconds * speed.peek() * (to - from)) / 60
    moveTo(t)
    if (t >= whole.peek().to) isPlaying.value = false
    return
  }
  stepsDue += seconds * speed.peek()
  if (stepsDue < 1) return
  stepsDue = 0
  await step(pace.peek() === 'pass' ? 'pass' : 'record', 1)
  if (cursor.peek().t >= whole.peek().to) isPlaying.value = false
}
