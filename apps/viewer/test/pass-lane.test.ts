import { describe, expect, it } from 'vitest'
import { countPasses } from '../src/page/gantt/layers.ts'
import { Column } from '../src/run/column.ts'
import { spanFlags } from '../src/run/questions.ts'

function times(...values: ReadonlyArray<number>): Column<Float64Array<ArrayBuffer>> {
  const column = new Column(Float64Array)
  for (const value of values) column.push(value)
  return column
}

function bytes(...values: ReadonlyArray<number>): Column<Uint8Array<ArrayBuffer>> {
  const column = new Column(Uint8Array)
  for (const value of values) column.push(value)
  return column
}

describe('`countPasses`', () => {
  const run = {
    spans: 4,
    submits: times(0, 0, 0, 30, 95),
    starts: times(0, 0, 10, 50),
    ends: times(10, 50, 70, Number.NaN),
    flags: bytes(0, spanFlags.backfilled, 0, spanFlags.backfilled | spanFlags.killed),
  }

  it('`countPasses` counts starts in queue order and backfilled starts, by time', () => {
    const { inTurn, backfilled } = countPasses(run, { from: 0, to: 100, width: 10 })
    expect([...inTurn]).toEqual([1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    expect([...backfilled]).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0])
  })

  it('`countPasses` marks columns with a submit or an end of a job as columns with a scheduling pass, also without starts', () => {
    expect([...countPasses(run, { from: 0, to: 100, width: 10 }).looked]).toEqual([1, 1, 0, 1, 0, 1, 0, 1, 0, 1])
  })

  it('`countPasses` leaves out starts and scheduling passes outside the visible times', () => {
    const { inTurn, backfilled, looked } = countPasses(run, { from: 20, to: 40, width: 4 })
    expect([...inTurn, ...backfilled]).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
    expect([...looked]).toEqual([0, 0, 1, 0])
  })
})
