import { type Header, type LogRecord, LogState } from '@cloister/eventlog'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Timeline, type TimelineFigure, timelineFigures } from '../src/index.ts'
import { header, randomLog } from './random-log.ts'

/** Returns the timeline's figures for a state of the cluster. */
function figuresOf(state: LogState): Record<TimelineFigure, number> {
  const {
    topology: { nodes, leaves, pods, leafOfNode, podOfLeaf },
  } = state
  const all = Array.from({ length: nodes }, (_, node) => node)
  const isWhole = (members: ReadonlyArray<number>): boolean => members.every((node) => state.freeNodes.has(node))
  const running = [...state.running.values()]
  const waiting = [...state.waiting.values()]
  const idle = state.freeNodes.size
  const isFew = waiting.every(({ size }) => size > idle)
  return {
    busy: running.reduce((sum, { submit }) => sum + submit.size, 0),
    internal: running.reduce((sum, { submit, nodes: held }) => sum + held.length - submit.size, 0),
    idle: state.freeNodes.size,
    external: state.waiting.size > 0 ? state.freeNodes.size : 0,
    noJob: waiting.length === 0 ? idle : 0,
    tooFewNodes: waiting.length > 0 && isFew ? idle : 0,
    fragmented: isFew ? 0 : idle,
    down: state.downNodes.size,
    wholeLeaves: Array.from({ length: leaves }, (_, leaf) => leaf).filter((leaf) =>
      isWhole(all.filter((node) => leafOfNode[node] === leaf)),
    ).length,
    wholePods: Array.from({ length: pods }, (_, pod) => pod).filter((pod) =>
      isWhole(all.filter((node) => podOfLeaf[leafOfNode[node]] === pod)),
    ).length,
    waiting: state.waiting.size,
    slowed: 0,
    leafLinks: 0,
    upperLinks: 0,
  }
}

/** Returns the figures of each instant that lasted for some time, with the instant's begin and end in seconds. */
function instantsOf([header, ...records]: ReadonlyArray<LogRecord>): ReadonlyArray<{
  readonly from: number
  readonly to: number
  readonly figures: Record<TimelineFigure, number>
}> {
  const state = new LogState(header as Header)
  const instants = []
  for (const record of records) {
    if ('t' in record && record.t > state.t) instants.push({ from: state.t, to: record.t, figures: figuresOf(state) })
    state.apply(record)
  }
  return instants
}

it('Timeline has the time-weighted means and the extremes of a naive fold', () => {
  fc.assert(
    fc.property(
      randomLog,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0.01, max: 1.2, noNaN: true }),
      fc.integer({ min: 1, max: 20 }),
      (log, start, share, points) => {
        const timeline = new Timeline(log[0] as Header)
        for (const record of log) timeline.add(record)
        const instants = instantsOf(log)
        expect(timeline.instants).toBe(instants.length)
        const end = instants.at(-1)?.to ?? 1
        const [from, to] = [start * end, start * end + share * end]
        const means = timeline.means(from, to, points)
        const extremes = timeline.extremes(from, to, points)
        expect(extremes.t).toEqual(means.t)
        for (let point = 0; point < points; point++) {
          const [low, high] = [from + (point * (to - from)) / points, from + ((point + 1) * (to - from)) / points]
          expect(means.t[point]).toBeCloseTo((low + high) / 2, 6)
          const around = instants.map((each) => ({
            figures: each.figures,
            time: Math.min(high, each.to) - Math.max(low, each.from),
          }))
          const parts = around.filter(({ time }) => time > 0)
          const covered = parts.reduce((sum, { time }) => sum + time, 0)
          // A bound of a span may differ from an instant in the last bits; the span then has one instant more.
          if (covered < 1e-6 || around.some(({ time }) => Math.abs(time) < 1e-6)) continue
          for (const figure of timelineFigures) {
            expect(means[figure][point], figure).toBeCloseTo(
              parts.reduce((sum, { figures, time }) => sum + figures[figure] * time, 0) / covered,
              6,
            )
            const values = parts.map(({ figures }) => figures[figure])
            expect(extremes.low[figure][point], figure).toBe(Math.min(...values))
            expect(extremes.high[figure][point], figure).toBe(Math.max(...values))
          }
        }
      },
    ),
    { numRuns: 200 },
  )
})

it('Timeline has no values after the last record', () => {
  fc.assert(
    fc.property(randomLog, (log) => {
      const timeline = new Timeline(log[0] as Header)
      for (const record of log) timeline.add(record)
      const end = log.reduce((t, record) => ('t' in record ? record.t : t), 0)
      expect([...timeline.means(end, end + 10, 3).busy]).toEqual([Number.NaN, Number.NaN, Number.NaN])
      expect([...timeline.extremes(end, end + 10, 3).low.busy]).toEqual([Number.NaN, Number.NaN, Number.NaN])
    }),
    { numRuns: 20 },
  )
})

it('Timeline.highest finds the highest value of a figure at the same time as a naive fold', () => {
  fc.assert(
    fc.property(randomLog, fc.double({ min: 0, max: 1, noNaN: true }), (log, share) => {
      const timeline = new Timeline(log[0] as Header)
      for (const record of log) timeline.add(record)
      const instants = instantsOf(log)
      const to = instants.at(-1)?.to ?? 1
      const from = share * to
      const seen = instants.filter((each) => Math.min(to, each.to) > Math.max(from, each.from))
      for (const figure of timelineFigures) {
        const value = Math.max(0, ...seen.map(({ figures }) => figures[figure]))
        const first = seen.find(({ figures }) => figures[figure] === value)
        expect(timeline.highest(figure, from, to), figure).toEqual(
          value === 0 ? undefined : { t: Math.max(from, first!.from), until: first!.to, value },
        )
      }
    }),
    { numRuns: 100 },
  )
})

it('Timeline counts the nodes of slowed jobs, and the links that jobs own', () => {
  const { policy, ...rest } = header(4)
  const owned = { ...policy, claims: { ...policy.claims, links: 'owned' } } as const
  const records = [
    { t: 0, type: 'submit', job: 'a', size: 2 },
    { t: 0, type: 'submit', job: 'b', size: 1 },
    { t: 1, type: 'allocate', job: 'a', nodes: '0-1', links: ['0-2', '5,7'], cause: 1 },
    { t: 2, type: 'allocate', job: 'b', nodes: '2', links: ['', '6'], cause: 1 },
    { t: 3, type: 'progress', job: 'a', rate: 500, cause: 4 },
    { t: 4, type: 'progress', job: 'a', rate: 750, cause: 4 },
    { t: 5, type: 'progress', job: 'b', rate: 900, cause: 4 },
    { t: 6, type: 'progress', job: 'a', rate: 1000, cause: 4 },
    { t: 7, type: 'finish', job: 'b', cause: 4 },
    { t: 7, type: 'release', job: 'b', cause: 9 },
    { t: 8, type: 'end', submitted: 2, started: 2, finished: 1, rejected: 0, killed: 0, cancelled: 0 },
  ].map((record, at) => ({ seq: at + 1, ...record })) as unknown as ReadonlyArray<LogRecord>
  const figuresFor = (first: Header): ReadonlyArray<ReadonlyArray<number>> => {
    const timeline = new Timeline(first)
    for (const record of [first, ...records]) timeline.add(record)
    const { slowed, leafLinks, upperLinks } = timeline.means(0, 8, 8)
    return [slowed, leafLinks, upperLinks].map((values) => [...values])
  }
  const slowed = [0, 0, 0, 2, 2, 3, 1, 0]
  expect(figuresFor({ ...rest, policy: owned })).toEqual([slowed, [0, 3, 3, 3, 3, 3, 3, 3], [0, 2, 3, 3, 3, 3, 3, 2]])
  // Shared links have no owners.
  expect(figuresFor(header(4))).toEqual([
    slowed,
    Array.from({ length: 8 }, () => 0),
    Array.from({ length: 8 }, () => 0),
  ])
})
