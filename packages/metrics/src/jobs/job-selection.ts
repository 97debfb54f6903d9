import type { JobColumns } from './job-columns.ts'
import { isJobNumber, type JobField, type JobNumber } from './job-fields.ts'
import { jobTest, type JobQuery } from './job-query.ts'

/** Histogram of a numeric field of jobs. */
export interface JobHistogram {
  /** Edges of the bars, one more than `counts`. A value at an edge between two bars belongs to the upper bar. */
  readonly edges: ReadonlyArray<number>
  readonly counts: ReadonlyArray<number>
  /** Number of jobs that have no value in the field. */
  readonly without: number
}

/** Returns the rows of the jobs that match a query, in submit order, without jobs outside of the columns' window. */
export function selectJobs(columns: JobColumns, query: JobQuery): Uint32Array {
  const test = jobTest(query, columns)
  const rows = new Uint32Array(columns.jobs)
  let found = 0
  for (let row = 0; row < columns.jobs; row++) if (columns.isOfWindow(row) && test(row)) rows[found++] = row
  return rows.slice(0, found)
}

/** Returns the rows sorted by a field. Rows without a value come last; ties are in the order of `rows`. */
export function sortJobs(columns: JobColumns, rows: Uint32Array, by: JobField, descending: boolean): Uint32Array {
  return isJobNumber(by) ? sortByNumber(columns, rows, by, descending) : sortByText(columns, rows, by, descending)
}

function sortByNumber(columns: JobColumns, rows: Uint32Array, by: JobNumber, descending: boolean): Uint32Array {
  const sign = descending ? -1 : 1
  const keys = Float64Array.from(rows, (row) => sign * columns.number(by, row))
  const places = Uint32Array.from(rows, (_, place) => place)
  places.sort((a, b) => {
    const [lacksA, lacksB] = [Number.isNaN(keys[a]), Number.isNaN(keys[b])]
    if (lacksA || lacksB) return lacksA && lacksB ? a - b : lacksA ? 1 : -1
    return keys[a] - keys[b] || a - b
  })
  return places.map((place) => rows[place])
}

function sortByText(
  columns: JobColumns,
  rows: Uint32Array,
  by: Exclude<JobField, JobNumber>,
  descending: boolean,
): Uint32Array {
  const sign = descending ? -1 : 1
  const keys = Array.from(rows, (row) => columns.text(by, row))
  const ranks = new Map([...new Set(keys)].sort(compareNatural).map((key, rank) => [key, key === '' ? Infinity : rank]))
  const places = Uint32Array.from(rows, (_, place) => place)
  const key = Float64Array.from(keys, (text) => (text === '' ? Infinity : sign * ranks.get(text)!))
  places.sort((a, b) => (key[a] === key[b] ? a - b : key[a] - key[b]))
  return places.map((place) => rows[place])
}

/** Compares texts: numbers by value and before words, so that job 9 comes before job 10. */
function compareNatural(a: string, b: string): number {
  const [numberA, numberB] = [a, b].map((text) => (/^\d{1,15}$/.test(text) ? Number(text) : Infinity))
  if (numberA !== numberB) return numberA < numberB ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

/**
 * Counts the values of a numeric field of jobs in `bars` bars of equal width. If half of the values would be in the
 * first bar, each bar is twice as wide as the bar before.
 */
export function jobHistogram(columns: JobColumns, rows: Uint32Array, of: JobNumber, bars: number): JobHistogram {
  const values = Float64Array.from(rows, (row) => columns.number(of, row)).filter((value) => !Number.isNaN(value))
  values.sort()
  const without = rows.length - values.length
  if (values.length === 0) return { edges: [], counts: [], without }
  const edges = edgesOf(values, bars)
  const counts = new Array<number>(edges.length - 1).fill(0)
  let bar = 0
  for (const value of values) {
    while (bar < counts.length - 1 && value >= edges[bar + 1]) bar++
    counts[bar]++
  }
  return { edges, counts, without }
}

function edgesOf(sorted: Float64Array, bars: number): Array<number> {
  const [low, middle, high] = [sorted[0], sorted[sorted.length >> 1], sorted[sorted.length - 1]]
  // With bars of equal width, half of the values would be in the first bar.
  if (low >= 0 && high > 16 && middle - low < (high - low) / bars) {
    const edges = low < 1 ? [0, 1] : [powerUpTo(low)]
    while (edges[edges.length - 1] <= high) edges.push(2 * edges[edges.length - 1])
    return edges
  }
  if (low === high) return [low, low + 1]
  return Array.from({ length: bars + 1 }, (_, at) => low + ((high - low) * at) / bars)
}

function powerUpTo(value: number): number {
  let power = 1
  while (2 * power <= value) power *= 2
  return power
}
