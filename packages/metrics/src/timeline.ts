import {
  type Allocate,
  Columns,
  headerTopology,
  type Header,
  type LogRecord,
  type Window,
  windowOfLog,
} from '@cloister/eventlog'
import { idsetSize, lowerBound, parseIdset, type Topology } from '@cloister/topology'
import { WaitingSizes } from './node-usage.ts'
import {
  type IdleCause,
  type IdleTime,
  kinds,
  type Kinds,
  type StoredTimeline,
  type TimelineExtremes,
  type TimelineFigure,
  timelineFigures,
  type TimelineMeans,
  type TimelineMoment,
  type TimelineSteps,
} from './timeline-figures.ts'

interface Held {
  readonly nodes: Int32Array
  readonly leafLinks: number
  readonly upperLinks: number
}

/** Rate of a job that runs at full speed, in 1/1000. */
const ALONE = 1000

/** Figures of the cluster over time. Call `add` with each record of a log, then a method such as `means`. */
export class Timeline {
  readonly #topology: Topology
  readonly #freeOnLeaf: Int32Array
  readonly #freeInPod: Int32Array
  readonly #isDown: Uint8Array
  readonly #isAllocated: Uint8Array
  readonly #sizes = new Map<string, number>()
  readonly #running = new Map<string, Held>()
  readonly #slowed = new Set<string>()
  readonly #isOwned: boolean
  readonly #waiting: WaitingSizes
  readonly #now: Record<TimelineFigure, number> = {
    busy: 0,
    internal: 0,
    idle: 0,
    external: 0,
    noJob: 0,
    tooFewNodes: 0,
    fragmented: 0,
    down: 0,
    wholeLeaves: 0,
    wholePods: 0,
    waiting: 0,
    slowed: 0,
    leafLinks: 0,
    upperLinks: 0,
  }
  #t = 0
  /** Figures of the instants before the present instant. */
  readonly #instants: Columns<Kinds>
  /** Begin and end of the figures, in seconds. */
  readonly #window: Window

  /**
   * @param stored `stored` of a complete timeline, which takes no further records; absent for a new timeline
   * @param window times of the figures; without a window the figures cover the whole log, a run or a part of a run
   */
  constructor(header: Header, stored?: StoredTimeline, window?: Window) {
    const { from, until } = windowOfLog(header, window) ?? { from: 0, until: Infinity }
    this.#window = { from: from / 1000, until: until / 1000 }
    this.#instants = new Columns(kinds, stored?.instants)
    this.#t = stored?.until ?? 0
    this.#topology = headerTopology(header)
    this.#isOwned = header.policy.claims.links === 'owned'
    const { nodes, leaves, pods, firstNodeOfLeaf, podOfLeaf } = this.#topology
    this.#freeOnLeaf = new Int32Array(leaves)
    this.#freeInPod = new Int32Array(pods)
    for (let leaf = 0; leaf < leaves; leaf++) {
      this.#freeOnLeaf[leaf] = firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf]
      this.#freeInPod[podOfLeaf[leaf]] += this.#freeOnLeaf[leaf]
    }
    this.#waiting = new WaitingSizes(nodes)
    this.#isDown = new Uint8Array(nodes)
    this.#isAllocated = new Uint8Array(nodes)
    Object.assign(this.#now, { idle: nodes, wholeLeaves: leaves, wholePods: pods })
  }

  /** Plain data of the timeline. The next record may change the arrays. */
  get stored(): StoredTimeline {
    return { instants: this.#instants.stored, until: this.#t }
  }

  /** Number of instants that are over. */
  get instants(): number {
    return this.#instants.length
  }

  add(record: LogRecord): void {
    if (record.type === 'header') return
    if (record.t > this.#t) this.#endInstant(record.t)
    if (record.t > this.#window.until) return
    switch (record.type) {
      case 'submit':
        this.#sizes.set(record.job, record.size)
        return this.#waiting.add(record.size)
      case 'requeue':
        return this.#waiting.add(this.#sizes.get(record.job)!)
      case 'reject':
        return this.#leaveQueue(record.job)
      case 'cancel':
        if (!this.#running.has(record.job)) this.#leaveQueue(record.job)
        return
      case 'allocate':
        return this.#allocate(record)
      case 'release':
        return this.#release(record.job)
      case 'progress':
        return this.#setSlowed(record.job, record.rate < ALONE)
      case 'down':
      case 'up':
        for (const node of parseIdset(record.nodes)) this.#setDown(node, record.type === 'down' ? 1 : 0)
    }
  }

  /** Returns the time-weighted means of every figure over `points` equally long spans from `from` to `to` (seconds). */
  means(from: number, to: number, points: number): TimelineMeans {
    const means = columnsOf(points, 0)
    const covered = new Float64Array(points)
    const { t, visits, atPoints, times, instants } = this.#visited(from, to, points)
    for (let visit = 0; visit < visits; visit++) covered[atPoints[visit]] += times[visit]
    for (const figure of timelineFigures) {
      const [column, mean] = [this.#instants.of[figure], means[figure]]
      for (let visit = 0; visit < visits; visit++) mean[atPoints[visit]] += column[instants[visit]] * times[visit]
      for (let point = 0; point < points; point++)
        mean[point] = covered[point] === 0 ? Number.NaN : mean[point] / covered[point]
    }
    return { t, ...means }
  }

  /**
   * Returns the lowest and the highest value of every figure in `points` equally long spans between `from` and `to`
   * (seconds). Every value that lasted longer than 0 s counts.
   */
  extremes(from: number, to: number, points: number): TimelineExtremes {
    const [low, high] = [columnsOf(points, Number.NaN), columnsOf(points, Number.NaN)]
    const { t, visits, atPoints, instants } = this.#visited(from, to, points)
    for (const figure of timelineFigures) {
      const [column, lowest, highest] = [this.#instants.of[figure], low[figure], high[figure]]
      for (let visit = 0; visit < visits; visit++) {
        const [point, value] = [atPoints[visit], column[instants[visit]]]
        // Every comparison with NaN is false, so the first value replaces NaN.
        if (!(lowest[point] <= value)) lowest[point] = value
        if (!(highest[point] >= value)) highest[point] = value
      }
    }
    return { t, low, high }
  }

  /**
   * Returns the earliest time between `from` and `to` (seconds) at which a figure had its highest value; undefined if
   * the figure was always 0, or if no instant lasted between the two times.
   */
  highest(figure: TimelineFigure, from: number, to: number): TimelineMoment | undefined {
    let found = -1
    const column = this.#instants.of[figure]
    this.#walk(from, to, 1, (_, instant) => {
      if (column[instant] > (found < 0 ? 0 : column[found])) found = instant
    })
    if (found < 0) return undefined
    return { t: Math.max(from, this.#timeOf(found)), until: this.#timeOf(found + 1), value: column[found] }
  }

  /** Returns all values of some figures. */
  steps<Figure extends TimelineFigure>(figures: ReadonlyArray<Figure>): TimelineSteps<Figure> {
    const values = figures.map((figure) => [figure, this.#instants.of[figure].slice(0, this.instants)])
    return {
      t: this.#instants.of.t.slice(0, this.instants),
      until: this.#t,
      values: Object.fromEntries(values) as Record<Figure, Int32Array>,
    }
  }

  /** Returns the reasons why nodes were idle between `from` and `to` (seconds), or until the end of the run. */
  idleCauses(from: number, to: number): ReadonlyArray<IdleTime> {
    const { tooFewNodes, fragmented } = this.#instants.of
    const found: Array<{ readonly t: number; until: number; readonly cause: IdleCause }> = []
    this.#walk(from, to, 1, (_, instant) => {
      const cause = fragmented[instant] > 0 ? 'fragmented' : tooFewNodes[instant] > 0 ? 'tooFewNodes' : 'noJob'
      const [t, until] = [Math.max(from, this.#timeOf(instant)), Math.min(to, this.#timeOf(instant + 1))]
      const last = found.at(-1)
      if (last?.cause === cause) last.until = until
      else found.push({ t, until, cause })
    })
    return found
  }

  /** Returns the visits of `#walk` in columns: a loop over a column for each figure is several times as fast. */
  #visited(from: number, to: number, points: number) {
    // An instant has one visit, and one more visit for each boundary of spans within the instant.
    const most = this.instants + points + 1
    const [atPoints, instants, times] = [new Int32Array(most), new Int32Array(most), new Float64Array(most)]
    let visits = 0
    const t = this.#walk(from, to, points, (point, instant, time) => {
      atPoints[visits] = point
      instants[visits] = instant
      times[visits++] = time
    })
    return { t, visits, atPoints, instants, times }
  }

  /** Calls `visit` for each span and each instant in the span, with the common seconds; returns the spans' middles. */
  #walk(
    from: number,
    to: number,
    points: number,
    visit: (point: number, instant: number, time: number) => void,
  ): Float64Array {
    const width = (to - from) / points
    const middles = new Float64Array(points)
    let instant = Math.max(0, this.#instantAt(from))
    for (let point = 0; point < points; point++) {
      const start = from + point * width
      const end = start + width
      middles[point] = start + width / 2
      for (; instant < this.instants; instant++) {
        const time = Math.min(end, this.#timeOf(instant + 1)) - Math.max(start, this.#timeOf(instant))
        if (time > 0) visit(point, instant, time)
        if (this.#timeOf(instant + 1) >= end) break
      }
    }
    return middles
  }

  /** Returns the begin of an instant, in seconds; the number after the stored instants is the present instant. */
  #timeOf(instant: number): number {
    return instant < this.instants ? this.#instants.of.t[instant] : this.#t
  }

  /** Returns the last instant that began at or before `t`; -1 if no instant did. */
  #instantAt(t: number): number {
    return lowerBound(this.instants, (instant) => this.#instants.of.t[instant] <= t) - 1
  }

  #leaveQueue(job: string): void {
    this.#waiting.delete(this.#sizes.get(job)!)
  }

  /** Stores the present figures as an instant that lasts until `t`, without times outside of the window. */
  #endInstant(t: number): void {
    const { from, until } = this.#window
    const [begin, end] = [Math.max(from, this.#t), Math.min(until, t)]
    if (end > begin) this.#keepInstant(begin)
    this.#t = Math.max(this.#t, end)
  }

  #keepInstant(begin: number): void {
    const now = this.#now
    now.waiting = this.#waiting.length
    now.external = now.waiting > 0 ? now.idle : 0
    now.noJob = now.idle - now.external
    now.tooFewNodes = this.#waiting.smallest() > now.idle ? now.external : 0
    now.fragmented = now.external - now.tooFewNodes
    const instant = this.#instants.add()
    this.#instants.of.t[instant] = begin
    for (const figure of timelineFigures) this.#instants.of[figure][instant] = now[figure]
  }

  #allocate(record: Allocate): void {
    const nodes = parseIdset(record.nodes)
    const size = this.#sizes.get(record.job)!
    for (const node of nodes) {
      if (this.#isDown[node] === 0) this.#setIdle(node, -1)
      this.#isAllocated[node] = 1
    }
    const links = this.#isOwned ? (record.links ?? []).map((idset) => idsetSize(idset)) : []
    const held = { nodes, leafLinks: links[0] ?? 0, upperLinks: links.slice(1).reduce((sum, each) => sum + each, 0) }
    this.#running.set(record.job, held)
    if (record.moved === undefined) this.#leaveQueue(record.job)
    this.#hold(held, size, 1)
  }

  #release(job: string): void {
    const held = this.#running.get(job)!
    const size = this.#sizes.get(job)!
    this.#setSlowed(job, false)
    for (const node of held.nodes) {
      this.#isAllocated[node] = 0
      if (this.#isDown[node] === 0) this.#setIdle(node, 1)
    }
    this.#running.delete(job)
    this.#hold(held, size, -1)
  }

  #hold({ nodes, leafLinks, upperLinks }: Held, size: number, sign: 1 | -1): void {
    this.#now.busy += sign * size
    this.#now.internal += sign * (nodes.length - size)
    this.#now.leafLinks += sign * leafLinks
    this.#now.upperLinks += sign * upperLinks
  }

  #setSlowed(job: string, isSlowed: boolean): void {
    if (this.#slowed.has(job) === isSlowed) return
    if (isSlowed) this.#slowed.add(job)
    else this.#slowed.delete(job)
    this.#now.slowed += (isSlowed ? 1 : -1) * this.#sizes.get(job)!
  }

  #setDown(node: number, down: 0 | 1): void {
    this.#isDown[node] = down
    this.#now.down += down === 1 ? 1 : -1
    if (this.#isAllocated[node] === 0) this.#setIdle(node, down === 1 ? -1 : 1)
  }

  /** Counts a node that becomes idle (1) or is no longer idle (-1). */
  #setIdle(node: number, change: 1 | -1): void {
    const { leafOfNode, podOfLeaf, firstNodeOfLeaf, firstLeafOfPod } = this.#topology
    const leaf = leafOfNode[node]
    const pod = podOfLeaf[leaf]
    const leafSize = firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf]
    const podSize = firstNodeOfLeaf[firstLeafOfPod[pod + 1]] - firstNodeOfLeaf[firstLeafOfPod[pod]]
    if (change === -1 && this.#freeOnLeaf[leaf] === leafSize) this.#now.wholeLeaves--
    if (change === -1 && this.#freeInPod[pod] === podSize) this.#now.wholePods--
    this.#freeOnLeaf[leaf] += change
    this.#freeInPod[pod] += change
    this.#now.idle += change
    if (change === 1 && this.#freeOnLeaf[leaf] === leafSize) this.#now.wholeLeaves++
    if (change === 1 && this.#freeInPod[pod] === podSize) this.#now.wholePods++
  }
}

function columnsOf(points: number, value: number): Record<TimelineFigure, Float64Array> {
  return Object.fromEntries(timelineFigures.map((figure) => [figure, new Float64Array(points).fill(value)])) as Record<
    TimelineFigure,
    Float64Array
  >
}
