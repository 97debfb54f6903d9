// Makes columns of spans for tests of drawings.
import { Column } from '../src/run/column.ts'
import type { SpanColumns } from '../src/page/gantt/layers.ts'

/** Nodes `first` to `last`, which a job holds from `start` to `end` in seconds; `end` is NaN while the job runs. */
export interface Taken {
  readonly start: number
  readonly end: number
  readonly first: number
  readonly last: number
}

export function columnsOf(spans: ReadonlyArray<Taken>): SpanColumns {
  return {
    spans: spans.length,
    blockLength: 512,
    blockStarts: column([0]),
    blockEnds: column([Infinity]),
    starts: column(spans.map(({ start }) => start)),
    ends: column(spans.map(({ end }) => end)),
    rangesFrom: column([...spans.map((_, at) => 2 * at), 2 * spans.length]),
    ranges: column(spans.flatMap(({ first, last }) => [first, last])),
  }
}

function column(values: ReadonlyArray<number>): Column<Float64Array<ArrayBuffer>> {
  const made = new Column(Float64Array)
  for (const value of values) made.push(value)
  return made
}
