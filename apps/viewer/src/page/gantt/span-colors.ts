import { SpreadOfNodes } from '@cloister/eventlog'
import { lowerBound } from '@cloister/topology'
import { spanFlags } from '../../run/questions.ts'
import { count, span as length } from '../../words.ts'
import { type Abgr, backfilledColors, type ColorBy, jobColor, scaleColor } from '../drawing/colors.ts'
import { scaledRuns } from '../state/comparison.ts'
import type { RunClient } from '../state/run-client.ts'

/** Texts at the low end, the middle and the high end of a colour scale; an empty text for no middle. */
interface Legend {
  readonly low: string
  readonly middle: string
  readonly high: string
}

/** Returns a function from the index of a span to the colour of the span's job in the colouring `by`. */
export function spanColors(run: RunClient, by: ColorBy): (span: number) => Abgr {
  const { spanJobs, flags, sizes } = run
  switch (by) {
    case 'job':
      return (span) => jobColor(spanJobs.at(span))
    case 'backfilled':
      return (span) => {
        const flag = flags.at(span)
        return (flag & spanFlags.killed) !== 0
          ? backfilledColors.killed
          : (flag & spanFlags.backfilled) !== 0
            ? backfilledColors.backfilled
            : backfilledColors.inTurn
      }
    case 'size': {
      const top = Math.log2(Math.max(2, run.topology.nodes))
      return (span) => scaleColor(Math.log2(sizes.at(spanJobs.at(span))) / top)
    }
    case 'wait':
      return byRank(run, waitOf)
    case 'slowdown':
      return byRank(run, slowdownOf)
    case 'spread':
      return byRank(run, spreadOf)
  }
}

export function legendOf(run: RunClient, by: ColorBy): Legend | undefined {
  switch (by) {
    case 'size':
      return { low: '1 node', middle: '', high: `${count(run.topology.nodes)} nodes` }
    case 'wait':
      return {
        low: 'no wait',
        middle: `median ${length(ranksOf(run, waitOf).at(0.5))}`,
        high: length(ranksOf(run, waitOf).at(1)),
      }
    case 'slowdown':
      return {
        low: '1×',
        middle: `median ${factor(ranksOf(run, slowdownOf).at(0.5))}`,
        high: factor(ranksOf(run, slowdownOf).at(1)),
      }
    case 'spread':
      return {
        low: 'compact',
        middle: `median ${factor(ranksOf(run, spreadOf).at(0.5))}`,
        high: factor(ranksOf(run, spreadOf).at(1)),
      }
    default:
      return undefined
  }
}

function byRank(run: RunClient, figure: Figure): (span: number) => Abgr {
  const ranks = ranksOf(run, figure)
  return (span) => scaleColor(ranks.shareBelow(figure(run, span)))
}

type Figure = (run: RunClient, span: number) => number

function waitOf({ starts, submits, spanJobs }: RunClient, span: number): number {
  return starts.at(span) - submits.at(spanJobs.at(span))
}

/** The slowdown is bounded by 10 s as in `cloister metrics`. A job that still runs counts with run time 0. */
function slowdownOf(run: RunClient, span: number): number {
  const ran = (Number.isNaN(run.ends.at(span)) ? run.starts.at(span) : run.ends.at(span)) - run.starts.at(span)
  return Math.max(1, (waitOf(run, span) + ran) / Math.max(10, ran))
}

const spreads = new WeakMap<RunClient, SpreadOfNodes>()

/** Returns the mean distance of the nodes of a span over that of the most compact placement; 1 for one node. */
function spreadOf(run: RunClient, span: number): number {
  const measure = spreads.get(run) ?? new SpreadOfNodes(run.topology)
  spreads.set(run, measure)
  const nodes: Array<number> = []
  for (let at = run.rangesFrom.at(span); at < run.rangesFrom.at(span + 1); at += 2)
    for (let node = run.ranges.at(at); node <= run.ranges.at(at + 1); node++) nodes.push(node)
  const ratio = measure.of(nodes).hops / measure.least(run.sizes.at(run.spanJobs.at(span))).hops
  return Number.isNaN(ratio) ? 1 : ratio
}

/** Quantiles of a run's waits, slowdowns or spreads in steps of 1 %. A linear scale with one outlier would hide differences. */
class Ranks {
  readonly #bounds: Float64Array

  constructor(values: Float64Array) {
    values.sort()
    this.#bounds = Float64Array.from(
      { length: 101 },
      (_, at) => values[Math.round((at / 100) * (values.length - 1))] ?? 0,
    )
  }

  at(share: number): number {
    return this.#bounds[Math.round(share * 100)]
  }

  shareBelow(value: number): number {
    return lowerBound(100, (at) => this.#bounds[at] < value) / 100
  }
}

const known = new WeakMap<RunClient, { version: string; ranks: Map<Figure, Ranks> }>()

/** Returns the quantiles over the spans of all shown runs, so that a wait has the same colour in each run. */
function ranksOf(run: RunClient, figure: Figure): Ranks {
  const all = scaledRuns.peek().includes(run) ? scaledRuns.peek() : [run]
  const version = all.map((each) => each.version.peek()).join()
  if (known.get(run)?.version !== version) known.set(run, { version, ranks: new Map() })
  const { ranks } = known.get(run)!
  const found = ranks.get(figure) ?? new Ranks(valuesOf(all, figure))
  ranks.set(figure, found)
  return found
}

function valuesOf(all: ReadonlyArray<RunClient>, figure: Figure): Float64Array {
  const values = new Float64Array(all.reduce((sum, { spans }) => sum + spans, 0))
  let at = 0
  for (const run of all) for (let span = 0; span < run.spans; span++) values[at++] = figure(run, span)
  return values
}

function factor(value: number): string {
  return `${value < 10 ? value.toFixed(1) : count(value)}×`
}

/** Returns a function from a job number to the job's colour at time t; undefined if no start up to t is read. */
export function jobColors(run: RunClient, by: ColorBy, t: number): (job: number) => Abgr | undefined {
  if (by === 'job') return jobColor
  const { last, before } = lastSpansOf(run)
  const colorOf = spanColors(run, by)
  const colors = new Map<number, Abgr | undefined>()
  return (job) => {
    if (colors.has(job)) return colors.get(job)
    let span = job < last.length ? last[job] : -1
    while (span >= 0 && run.starts.at(span) > t) span = before[span]
    const color = span < 0 ? undefined : colorOf(span)
    colors.set(job, color)
    return color
  }
}

/** Last span of each job, and for each span the previous span of the same job; -1 stands for no span. */
interface LastSpans {
  readonly version: number
  readonly last: Int32Array
  readonly before: Int32Array
}
const lastSpansKnown = new WeakMap<RunClient, LastSpans>()

function lastSpansOf(run: RunClient): LastSpans {
  const version = run.version.peek()
  const found = lastSpansKnown.get(run)
  if (found?.version === version) return found
  const [last, before] = [run.ids.length, run.spans].map((length) => new Int32Array(length).fill(-1))
  for (let span = 0; span < run.spans; span++) {
    const job = run.spanJobs.at(span)
    before[span] = last[job]
    last[job] = span
  }
  const made = { version, last, before }
  lastSpansKnown.set(run, made)
  return made
}
