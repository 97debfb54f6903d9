import { type NodeTimeUse, nodeTimeUses, observedUses } from '@cloister/figures'
import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { sides } from '../../run/questions.ts'
import { calendarTime, clock } from '../../words.ts'
import type { RunClient } from './run-client.ts'
import { clockBy, cursor, following, rows, selectedJob, side, type Side, type Span, tab, zoom } from './view-state.ts'

/** The shown runs. The first run is the base of comparisons. */
export const runs: Signal<ReadonlyArray<RunClient>> = signal([])

/** The active run: the run that the panels show and the keys step through. */
export const activeRun: ReadonlySignal<RunClient | undefined> = computed(
  () => runs.value.find((run) => run.side === side.value) ?? runs.value[0],
)

/** Earliest begin to latest end of the shown runs, at least 1 s. A log of a part of a run begins with the part. */
export const whole: ReadonlySignal<Span> = computed(() => {
  const overviews = runs.value.flatMap((run) => run.overview.value ?? [])
  const begins = overviews.map(({ header }) => header.part?.from ?? 0)
  const from = begins.length === 0 ? 0 : Math.min(...begins)
  return { from, to: Math.max(from + 1, ...overviews.map(({ lastTime }) => lastTime)) }
})
/** True if every shown log has a part of a run. */
export const isOfParts: ReadonlySignal<boolean> = computed(
  () => runs.value.length > 0 && runs.value.every((run) => run.overview.value?.header.part !== undefined),
)
/** True if every shown log is of a real machine. */
export const isObserved: ReadonlySignal<boolean> = computed(
  () => runs.value.length > 0 && runs.value.every((run) => run.overview.value?.header.origin === 'observed'),
)
/** Uses of nodes, with their names. The log of a real machine does not tell that a policy left nodes fragmented. */
export const shownUses: ReadonlySignal<ReadonlyArray<NodeTimeUse>> = computed(() =>
  isObserved.value ? observedUses : nodeTimeUses,
)
/** The visible times of all views over time. */
export const visible: ReadonlySignal<Span> = computed(() => zoom.value ?? whole.value)

/** Moves the cursor to a time in seconds. If the time is not visible, also moves the visible times. */
export function moveTo(t: number): void {
  following.value = false
  const { from, to } = whole.peek()
  cursor.value = { t: Math.max(from, Math.min(to, t)) }
  revealTime(cursor.peek().t)
}

/** True from `moveToRecord` until the record's time is shown. A record in the page's address moves no visible times. */
let isRecordToReveal = false

export function moveToRecord(seq: number, on: Side): void {
  following.value = false
  isRecordToReveal = true
  cursor.value = { t: cursor.peek().t, seq, side: on }
}

/** Moves the visible times if `t` is not visible; `share` is the new place of `t`, 0 (left edge) to 1 (right edge). */
function revealTime(t: number, share: number = 0.5): void {
  const shown = zoom.peek()
  if (shown === undefined || (t >= shown.from && t <= shown.to)) return
  showTimes(t - share * (shown.to - shown.from), shown.to - shown.from)
}

/** Moves the visible nodes of the job chart if no node of a span is visible. */
export function revealNodes(run: RunClient, span: number): void {
  const shown = rows.peek()
  if (shown === undefined) return
  for (let at = run.rangesFrom.at(span); at < run.rangesFrom.at(span + 1); at += 2)
    if (run.ranges.at(at) < shown.to && run.ranges.at(at + 1) >= shown.from) return
  const length = shown.to - shown.from
  rows.value = within(run.ranges.at(run.rangesFrom.at(span)) - length / 2, length, { from: 0, to: run.topology.nodes })
}

/** Moves the cursor to the next or previous record, or end of a scheduling pass, of the active run. */
export async function step(by: 'record' | 'pass', direction: 1 | -1): Promise<void> {
  const run = activeRun.peek()
  const seq = run?.moment.peek()?.seq
  if (run === undefined || seq === undefined) return
  const next = await run.answerer.ask('step', { seq, by, direction }).catch((error: unknown) => {
    run.fails(error)
    return undefined
  })
  if (next !== undefined) moveToRecord(next.seq, run.side)
}

export function select(job: string | undefined, show: boolean = true): void {
  selectedJob.value = job
  if (job !== undefined && show) tab.value = 'job'
}

/** Multiplies the length of the visible times by a factor. If `middle` is visible, this time keeps its place. */
export function zoomBy(factor: number, middle: number = cursor.peek().t): void {
  const { from, to } = visible.peek()
  const inside = middle >= from && middle <= to ? middle : (from + to) / 2
  const length = Math.max(0.02, (to - from) * factor)
  showTimes(inside - ((inside - from) / (to - from)) * length, length)
}

/** Multiplies the number of visible nodes (at least 4) by a factor. The node `middle` keeps its place in the views. */
export function zoomRows(nodes: number, factor: number, middle: number): void {
  const shown = rows.peek() ?? { from: 0, to: nodes }
  const length = Math.max(4, (shown.to - shown.from) * factor)
  if (length >= nodes) return void (rows.value = undefined)
  const from = middle - ((middle - shown.from) / (shown.to - shown.from)) * length
  rows.value = within(from, length, { from: 0, to: nodes })
}

/** Moves the visible nodes of the job chart by `by` nodes. */
export function panRows(nodes: number, by: number): void {
  const shown = rows.peek()
  if (shown !== undefined) rows.value = within(shown.from + by, shown.to - shown.from, { from: 0, to: nodes })
}

export function pan(seconds: number): void {
  const { from, to } = visible.peek()
  if (zoom.peek() !== undefined) showTimes(from + seconds, to - from)
}

/** Shows `length` seconds from the time `from` on. Outside of the runs, shows their first or last `length` seconds. */
export function showTimes(from: number, length: number): void {
  const all = whole.peek()
  zoom.value = length >= all.to - all.from ? undefined : within(from, length, all)
}

/** Returns the range of a length that begins at `from`, or as near to `from` as possible within the bounds. */
export function within(from: number, length: number, bounds: Span): Span {
  const begin = Math.max(bounds.from, Math.min(from, bounds.to - length))
  return { from: begin, to: begin + length }
}

/**
 * Requests the records of the selected job, and each run's state when the cursor moves. While `following`, the cursor
 * stays at the end of a growing run.
 */
export function keepMoments(): void {
  effect(() => {
    const run = activeRun.value
    const isToAsk = run !== undefined && run.version.value >= 0
    if (isToAsk && selectedJob.value !== undefined) run.lookUp(selectedJob.value)
  })
  for (const wanted of sides.map(wantedOf)) {
    effect(() => {
      const at = wanted.value
      const run = runs.peek().find((each) => each.side === at?.side)
      if (run !== undefined && at !== undefined) void run.look('seq' in at ? { seq: at.seq } : { t: at.t })
    })
  }
  // The time of a record arrives with the record's state. The other runs then move to this time.
  effect(() => {
    const at = cursor.value
    if (at.seq === undefined) return
    const moment = runs.value.find((run) => run.side === at.side)?.moment.value
    if (moment?.seq !== at.seq) return
    if (moment.t !== at.t) cursor.value = { ...at, t: moment.t }
    if (isRecordToReveal) revealTime(moment.t)
    isRecordToReveal = false
  })
  effect(() => {
    if (!following.value) return
    cursor.value = { t: whole.value.to }
    // A tenth of the visible times stays empty after the cursor, for the next records.
    revealTime(whole.value.to, 0.9)
  })
}

/** Returns a signal of the moment that a run must show. It changes with the moment, the generation and new records. */
function wantedOf(
  of: Side,
): ReadonlySignal<
  | (({ readonly seq: number } | { readonly t: number }) & {
      readonly side: Side
      readonly generation: number
      readonly read: string | undefined
    })
  | undefined
> {
  const overview = computed(() => runs.value.find((run) => run.side === of)?.overview.value)
  const seq = computed(() =>
    overview.value === undefined || cursor.value.seq === undefined || cursor.value.side !== of
      ? undefined
      : Math.max(overview.value.first, Math.min(cursor.value.seq, overview.value.seekable - 1)),
  )
  const t = computed(() =>
    overview.value === undefined
      ? undefined
      : Math.max(overview.value.header.part?.from ?? 0, Math.min(cursor.value.t, overview.value.seekableTime)),
  )
  const generation = computed(() => overview.value?.generation)
  // The state must be requested again when the last read instant grows, and when the jobs of an indexed log are read.
  const read = computed(() => {
    if (overview.value === undefined || t.value === undefined) return undefined
    const { status, seekable, seekableTime } = overview.value
    return `${status === 'reading'} ${t.value < seekableTime ? '' : seekable}`
  })
  return computed(() => {
    if (generation.value === undefined) return undefined
    const about = { side: of, generation: generation.value, read: read.value }
    // A record's time is left out: the time arrives with the record's state, and must not cause a new request.
    if (seq.value !== undefined) return { ...about, seq: seq.value }
    return t.value === undefined ? undefined : { ...about, t: t.value }
  })
}

/** Returns the Unix seconds of the active run's time 0; undefined if the log has no epoch. */
export function epochShown(): number | undefined {
  return activeRun.value?.overview.value?.header.epoch
}

/** Returns a time of the active run as text: since the run's start, or by the chosen calendar if there is an epoch. */
export function timeText(t: number): string {
  const epoch = epochShown()
  return epoch === undefined || clockBy.value === 'run' ? clock(t) : calendarTime(t, epoch, clockBy.value)
}

/** Returns the time, in seconds on the clock of `timeText`, at t = 0 of the active run: 0 without a calendar. */
export function clockAtStart(): number {
  const epoch = epochShown()
  if (epoch === undefined || clockBy.value === 'run') return 0
  return clockBy.value === 'utc' ? epoch : epoch - new Date(epoch * 1000).getTimezoneOffset() * 60
}
