import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { RunClient } from './run-client.ts'
import { cursor, following, rows, selectedJob, side, type Side, type Span, tab, zoom } from './view-state.ts'

/** The runs that are shown: one or two. */
export const runs: Signal<ReadonlyArray<RunClient>> = signal([])

/** The run that panels and steps refer to. */
export const activeRun: ReadonlySignal<RunClient | undefined> = computed(
  () => runs.value.find((run) => run.side === side.value) ?? runs.value[0],
)

/** From the start of the first run to the end of the last. */
export const whole: ReadonlySignal<Span> = computed(() => {
  const ends = runs.value.map((run) => run.overview.value?.lastTime ?? 0)
  return { from: 0, to: Math.max(1, ...ends) }
})
/** The visible times. */
export const visible: ReadonlySignal<Span> = computed(() => zoom.value ?? whole.value)

export function moveTo(t: number): void {
  following.value = false
  cursor.value = { t: Math.max(0, Math.min(whole.peek().to, t)) }
}

export function moveToRecord(seq: number, on: Side): void {
  following.value = false
  cursor.value = { t: cursor.peek().t, seq, side: on }
}

/** Moves by one record or scheduling pass of the active run. */
export async function step(by: 'record' | 'pass', direction: 1 | -1): Promise<void> {
  const run = activeRun.peek()
  const seq = run?.moment.peek()?.seq
  if (run === undefined || seq === undefined) return
  const next = await run.answerer.ask('step', { seq, by, direction })
  moveToRecord(next.seq, run.side)
}

export function select(job: string | undefined, show: boolean = true): void {
  selectedJob.value = job
  if (job !== undefined && show) tab.value = 'job'
}

/** Multiplies the visible time by a factor, around a time that keeps its place. */
export function zoomBy(factor: number, middle: number = cursor.peek().t): void {
  const { from, to } = visible.peek()
  const all = whole.peek()
  const inside = middle >= from && middle <= to ? middle : (from + to) / 2
  const length = Math.max(0.02, (to - from) * factor)
  if (length >= all.to - all.from) {
    zoom.value = undefined
    return
  }
  showTimes(inside - ((inside - from) / (to - from)) * length, length)
}

export function showAll(): void {
  zoom.value = undefined
  rows.value = undefined
}

export function pan(seconds: number): void {
  const { from, to } = visible.peek()
  if (zoom.peek() !== undefined) showTimes(from + seconds, to - from)
}

function showTimes(from: number, length: number): void {
  const { to: end } = whole.peek()
  const start = Math.max(0, Math.min(from, end - length))
  zoom.value = { from: start, to: start + length }
}

/** Keeps each run's state at the cursor, and the cursor at the end of a run that is being written while `following`. */
export function keepMoments(): void {
  for (const wanted of [wantedOf('a'), wantedOf('b')]) {
    effect(() => {
      const at = wanted.value
      const run = runs.peek().find((each) => each.side === at?.side)
      if (run !== undefined && at !== undefined) void run.look('seq' in at ? { seq: at.seq } : { t: at.t })
    })
  }
  // The time of a record is known once its state is; the other run then follows to that time.
  effect(() => {
    const at = cursor.value
    if (at.seq === undefined) return
    const moment = runs.value.find((run) => run.side === at.side)?.moment.value
    if (moment?.seq === at.seq && moment.t !== at.t) cursor.value = { ...at, t: moment.t }
  })
  effect(() => {
    if (following.value) cursor.value = { t: whole.value.to }
  })
}

/** The moment that a run shows, limited to what is read, so that only a change of it is a new question. */
function wantedOf(
  of: Side,
): ReadonlySignal<
  | { readonly side: Side; readonly seq: number }
  | { readonly side: Side; readonly t: number; readonly generation: number }
  | undefined
> {
  const overview = computed(() => runs.value.find((run) => run.side === of)?.overview.value)
  const seq = computed(() =>
    overview.value === undefined || cursor.value.seq === undefined || cursor.value.side !== of
      ? undefined
      : Math.min(cursor.value.seq, overview.value.seekable - 1),
  )
  const t = computed(() =>
    overview.value === undefined ? undefined : Math.min(cursor.value.t, overview.value.seekableTime),
  )
  const generation = computed(() => overview.value?.generation)
  return computed(() => {
    if (seq.value !== undefined) return { side: of, seq: seq.value }
    return t.value === undefined || generation.value === undefined
      ? undefined
      : { side: of, t: t.value, generation: generation.value }
  })
}
