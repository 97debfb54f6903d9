import type { Mark, QueryColumn, Row } from '@cloister/exports'
import type { Topology } from '@cloister/topology'
import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { OfferedQuery, QueryAnswer } from '../../run/queries.ts'
import { type Place, placesNamed } from '../controls/places.ts'
import { askRested } from './asking.ts'
import { reveal } from './reveal.ts'
import type { RunClient } from './run-client.ts'
import { activeRun, moveTo, select } from './session.ts'
import { rows as visibleNodes, type Span } from './view-state.ts'

/** Name of the query that the page shows; undefined for none. */
export const askedQuery: Signal<string | undefined> = signal(undefined)
/** Place of the row that the user chose last; undefined for none. */
export const chosenRow: Signal<number | undefined> = signal(undefined)
/** Counter that grows when the user asks the query again. */
const asked: Signal<number> = signal(0)

/** A query with its answer about a run. */
export interface AnsweredQuery extends QueryAnswer {
  readonly run: RunClient
  readonly query: OfferedQuery
}

/** Answer to the shown query about the active run; undefined until the answer arrives. */
export const answeredQuery: Signal<AnsweredQuery | undefined> = signal(undefined)

/** Key of the question; undefined while no query is shown, or while the log is read. */
const question: ReadonlySignal<string | undefined> = computed(() => {
  const overview = activeRun.value?.overview.value
  if (askedQuery.value === undefined || overview === undefined || overview.status === 'reading') return undefined
  return [askedQuery.value, activeRun.value!.side, overview.generation, asked.value].join(' ')
})

/** Time between the last change of the question and its request, in ms. */
const REST = 80

/** Asks the shown query whenever the query or the active run changes. A growing log is asked again only on demand. */
export function keepAnsweredQuery(): void {
  effect(() => {
    answeredQuery.value = undefined
    chosenRow.value = undefined
    if (question.value === undefined) return undefined
    const [run, name] = [activeRun.peek()!, askedQuery.peek()!]
    return askRested<AnsweredQuery | undefined>({
      rest: REST,
      ask: async (give, abort) => {
        const { queries } = await run.answerer.ask('queries', {}, abort)
        const query = queries.find((each) => each.name === name)
        give(query && { run, query, ...(await run.answerer.ask('query', { name }, abort)) })
      },
      given: (answer) => {
        answeredQuery.value = answer
        // The address may name a query that this viewer does not have.
        if (answer === undefined) askedQuery.value = undefined
      },
      failed: run.fails,
    })
  })
}

/** Asks the shown query again, about the records that the log has now. */
export function askAgain(): void {
  asked.value++
}

/** Returns the first value of a row in a column with one of the marks; undefined if there is none. */
function valueOf(
  columns: ReadonlyArray<QueryColumn>,
  row: Row,
  ...marks: ReadonlyArray<Mark>
): Row[string] | undefined {
  const column = columns.find(({ name, mark }) => mark !== undefined && marks.includes(mark) && row[name] !== null)
  return column === undefined ? undefined : row[column.name]
}

/**
 * Returns the time of a row: from the begin to the end, or one instant. A row without an end lasts until `last`.
 * Undefined if the row names no time.
 */
export function timeOfRow(columns: ReadonlyArray<QueryColumn>, row: Row, last: number): Span | undefined {
  const begin = valueOf(columns, row, 'begin')
  const from = Number(begin ?? valueOf(columns, row, 'time', 'end') ?? Number.NaN)
  if (Number.isNaN(from)) return undefined
  const hasEnd = columns.some(({ mark }) => mark === 'end')
  const to = begin === undefined || !hasEnd ? from : Number(valueOf(columns, row, 'end') ?? last)
  return { from, to: Math.max(from, to) }
}

/** Returns the part of a machine that a value with a mark names; undefined for another mark, and outside the machine. */
export function placeOfMark(mark: Mark | undefined, value: Row[string], topology: Topology): Place | undefined {
  const { nodes } = topology
  const number = Number(value)
  if (value === null || mark === undefined) return undefined
  if (mark === 'node')
    return number >= 0 && number < nodes
      ? { kind: 'nodes', name: `node ${number}`, from: number, to: number + 1 }
      : undefined
  return mark === 'leaf' || mark === 'pod' ? placesNamed(`${mark} ${number}`, topology)[0] : undefined
}

/** Selects the job of a row, and zooms to the time, or else to the part of the machine, that the row names. */
export function showRow({ run, query: { columns }, rows }: AnsweredQuery, at: number): void {
  const row = rows[at]
  const job = valueOf(columns, row, 'job')
  const time = timeOfRow(columns, row, run.overview.peek()?.lastTime ?? 0)
  const places = columns.flatMap(({ mark, name }) => placeOfMark(mark, row[name], run.topology) ?? [])
  batch(() => {
    chosenRow.value = at
    if (time !== undefined) {
      const margin = Math.max(1, (time.to - time.from) * 0.1)
      const nodes = visibleNodes.peek() ?? { from: 0, to: run.topology.nodes }
      reveal({ kind: 'area', times: { from: time.from - margin, to: time.to + margin }, nodes })
      moveTo(time.from)
    }
    if (places.length > 0) reveal({ kind: 'place', run, place: places[0] })
    if (typeof job !== 'string') return
    if (time === undefined && places.length === 0) reveal({ kind: 'job', run, job })
    else select(job, false)
  })
}
