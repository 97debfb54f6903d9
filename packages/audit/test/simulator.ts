import type { Topology } from '@cloister/topology'
import { FAIR_SHARE, idset, LogBuilder, type RunOptions } from './log-builder.ts'
import { naiveScore, type orderNames, type Run, type ShareConfig } from './naive-orders.ts'

/** Times in milliseconds. */
export interface SimulatedJob {
  readonly id: string
  readonly submit: number
  readonly size: number
  readonly runTime: number
  readonly estimate: number
  readonly user?: string
}

export interface Fault {
  readonly t: number
  readonly type: 'down' | 'up'
  readonly parts: ReadonlySet<string>
}

export interface Scene {
  readonly options: Partial<RunOptions> & { readonly topology: Topology; readonly queue: RunOptions['queue'] }
  readonly place: Place
  readonly jobs: ReadonlyArray<SimulatedJob>
  readonly faults: ReadonlyArray<Fault>
  readonly cancels: ReadonlyArray<{ readonly t: number; readonly job: string }>
}

/** Names of nodes and links: `node 3`, `link 0 17` (leaf uplink 17), `link 1 4`. */
export type Parts = ReadonlySet<string>
export type Place = (topology: Topology, free: Parts, size: number) => Parts | undefined

interface Running {
  readonly job: SimulatedJob
  readonly start: number
  readonly parts: Parts
  /** Jobs that waited ahead of the job when it started. */
  readonly passed: ReadonlyArray<SimulatedJob>
}

interface Slot {
  readonly start: number
  readonly parts: Parts
}

interface Reservation extends Slot {
  readonly job: SimulatedJob
  readonly seq: number
}

/**
 * Simulates a scene with a plain and slow scheduler over sets, for every queue discipline, and returns a sound log for
 * the auditor's tests.
 */
export function simulate(scene: Scene): LogBuilder {
  return new Simulation(scene).run()
}

class Simulation {
  readonly #scene: Scene
  readonly #log: LogBuilder
  readonly #order: ReadonlyMap<string, number>
  readonly #all: Parts
  readonly #down: Set<string> = new Set()
  #queue: ReadonlyArray<SimulatedJob> = []
  #running: ReadonlyArray<Running> = []
  /** All reservations in force; under EASY only the reservation of the head. */
  #reservations: ReadonlyArray<Reservation> = []
  #now = 0
  #ended: ReadonlyArray<Run> = []
  /** Scores by job at the latest ranking of the queue. */
  readonly #scores = new Map<SimulatedJob, number>()

  constructor(scene: Scene) {
    this.#scene = scene
    this.#log = new LogBuilder({ ...scene.options, jobs: scene.jobs.length })
    this.#order = new Map(scene.jobs.map(({ id }, order) => [id, order]))
    this.#all = new Set(allParts(scene.options.topology))
  }

  run(): LogBuilder {
    const { jobs, faults, cancels } = this.#scene
    const inputs = [...jobs.map(({ submit }) => submit), ...[...faults, ...cancels].map(({ t }) => t)]
    for (let last = -1; ; last = this.#now) {
      const times = [
        ...inputs.filter((t) => t > last),
        ...this.#running.map((each) => this.#endOf(each)),
        ...this.#timesOfReservations(last),
      ]
      if (times.length === 0) return this.#log.end(this.#t)
      this.#now = Math.min(...times)
      this.#finishes()
      this.#faults()
      this.#cancels()
      this.#submits()
      this.#comeDue()
      this.#pass()
      while (this.#running.some((each) => this.#endOf(each) === this.#now)) {
        this.#finishes()
        this.#pass()
      }
    }
  }

  get #t(): number {
    return this.#now / 1000
  }

  #endOf({ job, start }: Running): number {
    return start + (this.#scene.options.overrun === 'kill' ? Math.min(job.runTime, job.estimate) : job.runTime)
  }

  #free(without: Parts = new Set()): Parts {
    return minus(this.#all, this.#down, without, ...this.#running.map(({ parts }) => parts))
  }

  #finishes(): void {
    const ending = this.#running.filter((each) => this.#endOf(each) === this.#now)
    for (const each of this.#inOrder(ending)) {
      if (this.#scene.options.overrun === 'kill' && each.job.runTime > each.job.estimate) {
        this.#log.kill(this.#t, each.job.id, 'estimate')
        this.#release(each)
      } else {
        this.#log.finish(this.#t, each.job.id)
        this.#release(each)
      }
    }
  }

  #inOrder(running: ReadonlyArray<Running>): ReadonlyArray<Running> {
    return running.toSorted((a, b) => this.#order.get(a.job.id)! - this.#order.get(b.job.id)!)
  }

  #release(each: Running): void {
    this.#log.release(this.#t, each.job.id)
    this.#running = this.#running.filter((other) => other !== each)
    this.#ended = [...this.#ended, this.#runOf(each)]
  }

  #faults(): void {
    for (const { type, parts } of this.#scene.faults.filter(({ t }) => t === this.#now)) {
      const seq = this.#log[type](this.#t, textsOf(parts))
      for (const part of parts) this.#down[type === 'down' ? 'add' : 'delete'](part)
      if (type === 'up') continue
      // A job whose link fails runs on.
      const nodes = new Set([...parts].filter((part) => part.startsWith('node ')))
      for (const each of this.#inOrder(this.#running.filter((other) => shares(other.parts, nodes)))) {
        this.#log.kill(this.#t, each.job.id, 'node-down', seq)
        this.#release(each)
        this.#requeue(each.job)
      }
    }
  }

  #cancels(): void {
    for (const { job } of this.#scene.cancels.filter(({ t }) => t === this.#now)) {
      const running = this.#running.find((each) => each.job.id === job)
      if (running === undefined && !this.#queue.some(({ id }) => id === job)) continue
      const seq = this.#log.cancel(this.#t, job)
      this.#queue = this.#queue.filter(({ id }) => id !== job)
      if (running === undefined) continue
      this.#log.kill(this.#t, job, 'cancel', seq)
      this.#release(running)
    }
  }

  #submits(): void {
    for (const job of this.#scene.jobs.filter(({ submit }) => submit === this.#now)) {
      const { user } = job
      this.#log.submit(this.#t, job.id, job.size, job.estimate / 1000, user === undefined ? {} : { user })
      if (this.#scene.place(this.#scene.options.topology, this.#all, job.size) === undefined)
        this.#log.reject(this.#t, job.id, job.size > this.#scene.options.topology.nodes ? 'too-few-nodes' : 'never')
      else this.#enqueue(job)
    }
  }

  #enqueue(job: SimulatedJob): void {
    this.#queue = [...this.#queue, job]
    this.#rank()
  }

  /** Sorts the queue by the scores at the present time. */
  #rank(): void {
    const { queue, orderConfig = FAIR_SHARE } = this.#scene.options
    const order = (queue.order ?? 'submit') as (typeof orderNames)[number]
    const runs = [...this.#ended, ...this.#running.map((each) => this.#runOf(each))]
    for (const job of this.#queue)
      this.#scores.set(job, naiveScore(order, job, this.#now, runs, orderConfig as unknown as ShareConfig))
    this.#queue = this.#queue.toSorted((a, b) => this.#compare(a, b))
  }

  #runOf({ job, start, parts }: Running): Run {
    const nodes = [...parts].filter((part) => part.startsWith('node ')).length
    return { user: job.user, nodes, start, end: this.#now }
  }

  /** Compares two jobs by the scores of the latest ranking, then by submit order. */
  #compare(a: SimulatedJob, b: SimulatedJob): number {
    const [one, other] = [this.#scores.get(a)!, this.#scores.get(b)!]
    return one === other ? this.#order.get(a.id)! - this.#order.get(b.id)! : one - other
  }

  #requeue(job: SimulatedJob): void {
    if (this.#scene.options.queue.requeue !== true) return
    this.#log.requeue(this.#t, job.id)
    this.#enqueue(job)
  }

  get #hasPassesOfReservations(): boolean {
    const { backfill, kill } = this.#scene.options.queue
    return backfill === 'conservative' || kill === true
  }

  #timesOfReservations(last: number): ReadonlyArray<number> {
    return this.#hasPassesOfReservations
      ? this.#reservations.map(({ start }) => start).filter((start) => start > last)
      : []
  }

  /** Makes the first due reservation the cause of the scheduling pass, if the instant has no input. */
  #comeDue(): void {
    const due = this.#hasPassesOfReservations ? this.#reservations.find(({ start }) => start === this.#now) : undefined
    if (due !== undefined && this.#log.causeAt(this.#t) === 0) this.#log.passBecauseOf(this.#t, due.seq)
  }

  #pass(): void {
    // The cancel of a job that is over does not cause a scheduling pass.
    if (this.#log.causeAt(this.#t) === 0) return
    this.#rank()
    if (this.#scene.options.queue.backfill === 'conservative') this.#conservativePass()
    else this.#easyPass()
  }

  /** Runs a scheduling pass of EASY, or of FCFS if the queue makes no reservations. */
  #easyPass(): void {
    for (const each of this.#reservations) if (each.job !== this.#queue[0]) this.#unreserve(each)
    this.#killForReservation()
    for (const head of this.#queue) {
      const parts = this.#place(this.#free(), head) ?? this.#reservedAndFree(head, this.#free())
      if (parts === undefined) break
      this.#start(head, parts)
    }
    const head = this.#queue[0]
    if (head === undefined) return
    const reservation = this.#scene.options.queue.backfill === 'easy' ? this.#reserveForHead(head) : undefined
    if (reservation !== undefined) this.#backfill(head, reservation)
    else if (this.#down.size > 0 && this.#place(minus(this.#all, this.#down), head) === undefined) this.#startOthers()
  }

  /**
   * Returns the job's reserved nodes and links if all are free. The policy need not find the reserved placement again.
   */
  #reservedAndFree(job: SimulatedJob, free: Parts): Parts | undefined {
    const parts = this.#reservationOf(job)?.parts
    return parts !== undefined && isWithin(parts, free) ? parts : undefined
  }

  /** If all jobs in the way of a due reservation started ahead of the reserved job, kills them and starts that job. */
  #killForReservation(): void {
    const [due] = this.#reservations
    if (
      this.#scene.options.queue.kill !== true ||
      due === undefined ||
      due.start > this.#now ||
      shares(due.parts, this.#down)
    )
      return
    const inTheWay = this.#running.filter(({ parts }) => shares(parts, due.parts))
    if (!inTheWay.every(({ passed, start }) => passed.includes(due.job) && start < this.#now)) return
    for (const each of inTheWay.toReversed()) {
      this.#log.kill(this.#t, each.job.id, 'reservation', due.seq)
      this.#release(each)
      this.#requeue(each.job)
    }
    this.#start(due.job, due.parts, undefined, [])
  }

  #place(free: Parts, job: SimulatedJob): Parts | undefined {
    return this.#scene.place(this.#scene.options.topology, free, job.size)
  }

  #start(
    job: SimulatedJob,
    parts: Parts,
    backfill?: number,
    passed: ReadonlyArray<SimulatedJob> = this.#queue.slice(0, this.#queue.indexOf(job)),
  ): void {
    this.#log.allocate(this.#t, job.id, textsOf(parts), backfill === undefined ? {} : { backfill })
    this.#reservations = this.#reservations.filter((each) => each.job !== job)
    this.#running = [...this.#running, { job, start: this.#now, parts, passed }]
    this.#queue = this.#queue.filter((each) => each !== job)
  }

  #reservationOf(job: SimulatedJob | undefined): Reservation | undefined {
    return this.#reservations.find((each) => each.job === job)
  }

  #reserve(job: SimulatedJob, slot: Slot): Reservation {
    const seq = this.#log.reserve(this.#t, job.id, slot.start / 1000, textsOf(slot.parts))
    const reservation = { job, seq, ...slot }
    this.#reservations = [...this.#reservations, reservation]
    return reservation
  }

  #unreserve(reservation: Reservation): void {
    this.#log.unreserve(this.#t, reservation.job.id, reservation.seq)
    this.#reservations = this.#reservations.filter((each) => each !== reservation)
  }

  #estimatedEnd({ job, start }: Running): number {
    const end = start + job.estimate
    return end < this.#now || (end === this.#now && start < this.#now) ? this.#now + 1000 : end
  }

  /** Returns the nodes and links that, by the estimates of running jobs, are free at a time. */
  #freeAt(t: number): Parts {
    return minus(
      this.#all,
      this.#down,
      ...this.#running.filter((each) => this.#estimatedEnd(each) > t).map(({ parts }) => parts),
    )
  }

  #isFeasible(reservation: Reservation): boolean {
    return reservation.start >= this.#now && isWithin(reservation.parts, this.#freeAt(reservation.start))
  }

  #reserveForHead(head: SimulatedJob): Reservation | undefined {
    const found = this.#shadow(head)
    const kept = this.#reservationOf(head)
    if (kept !== undefined) {
      const holds = this.#scene.options.queue.kill === true ? !shares(kept.parts, this.#down) : this.#isFeasible(kept)
      if (holds && (found === undefined || found.start >= kept.start)) return kept
      this.#unreserve(kept)
    }
    return found === undefined ? undefined : this.#reserve(head, found)
  }

  #shadow(head: SimulatedJob): Slot | undefined {
    for (const start of ascending(this.#running.map((each) => this.#estimatedEnd(each)))) {
      const parts = this.#place(this.#freeAt(start), head)
      if (parts !== undefined) return { start, parts }
    }
    return undefined
  }

  #backfill(head: SimulatedJob, { seq, start, parts: reserved }: Reservation): void {
    const window = this.#scene.options.queue.window
    for (const job of this.#queue.filter((each) => each !== head).slice(0, window)) {
      const anywhere = this.#now + job.estimate <= start ? this.#place(this.#free(), job) : undefined
      const parts = anywhere ?? this.#place(this.#free(reserved), job)
      if (parts !== undefined) this.#start(job, parts, seq)
    }
  }

  #startOthers(): void {
    for (const job of this.#queue.slice(1)) {
      const parts = this.#place(this.#free(), job)
      if (parts !== undefined) this.#start(job, parts)
    }
  }

  /**
   * Runs a scheduling pass of conservative backfilling: keeps feasible reservations, and starts or reserves each job of
   * the window as early as it fits.
   */
  #conservativePass(): void {
    const window = this.#scene.options.queue.window ?? Infinity
    for (const each of this.#reservations) {
      if (!this.#queue.slice(0, window).includes(each.job) || !this.#isFeasible(each)) this.#unreserve(each)
    }
    for (let job = this.#queue[0], place = 0; job !== undefined && place < window; job = this.#queue[place]) {
      const free = minus(this.#free(), ...this.#reservedBeside(job, this.#now))
      const parts = this.#place(free, job) ?? this.#reservedAndFree(job, free)
      if (parts === undefined) {
        this.#reserveInWindow(job)
        place++
      } else {
        this.#start(job, parts, place === 0 ? undefined : this.#reservationOf(this.#queue[0])?.seq)
      }
    }
  }

  #reserveInWindow(job: SimulatedJob): void {
    const kept = this.#reservationOf(job)
    const found = this.#earliest(job)
    if (found === undefined || (kept !== undefined && found.start >= kept.start)) return
    if (kept !== undefined) this.#unreserve(kept)
    this.#reserve(job, found)
  }

  #earliest(job: SimulatedJob): Slot | undefined {
    const ends = [
      ...this.#running.map((each) => this.#estimatedEnd(each)),
      ...this.#reservations.map((each) => endOfReservation(each)),
    ]
    for (const start of ascending([this.#now, ...ends.filter((end) => end >= this.#now)])) {
      const parts = this.#place(minus(this.#freeAt(start), ...this.#reservedBeside(job, start)), job)
      if (parts !== undefined) return { start, parts }
    }
    return undefined
  }

  /** Returns the reservations of all other jobs that overlap with the run of a job. */
  #reservedBeside(job: SimulatedJob, start: number): ReadonlyArray<Parts> {
    const end = endOfReservation({ job, start })
    return this.#reservations
      .filter((each) => each.job !== job && each.start < end && start < endOfReservation(each))
      .map(({ parts }) => parts)
  }
}

/** Returns the estimated end in ms. A job with the estimate 0 holds its nodes and links for 1 ms. */
function endOfReservation({ job, start }: { readonly job: SimulatedJob; readonly start: number }): number {
  return start + Math.max(job.estimate, 1)
}

function ascending(times: ReadonlyArray<number>): ReadonlyArray<number> {
  return [...new Set(times)].sort((a, b) => a - b)
}

function minus(parts: Parts, ...taken: ReadonlyArray<Parts>): Parts {
  return new Set([...parts].filter((part) => !taken.some((each) => each.has(part))))
}

function shares(a: Parts, b: Parts): boolean {
  return [...a].some((part) => b.has(part))
}

function isWithin(a: Parts, b: Parts): boolean {
  return [...a].every((part) => b.has(part))
}

function allParts(topology: Topology): ReadonlyArray<string> {
  const parts = Array.from({ length: topology.nodes }, (_, node) => `node ${node}`)
  topology.levels.forEach(({ links }, level) => {
    for (let link = 0; link < links; link++) parts.push(`link ${level} ${link}`)
  })
  return parts
}

function textsOf(parts: Parts): { readonly nodes: string; readonly links?: ReadonlyArray<string> } {
  const named = (prefix: string): string =>
    idset([...parts].filter((part) => part.startsWith(prefix)).map((part) => Number(part.slice(prefix.length))))
  const links = [named('link 0 '), named('link 1 ')]
  while (links.at(-1) === '') links.pop()
  return { nodes: named('node '), ...(links.length > 0 ? { links } : {}) }
}

/** Places a job on the first free nodes, without links. */
export const placeAnywhere: Place = (topology, free, size) => {
  const nodes = Array.from({ length: topology.nodes }, (_, node) => `node ${node}`).filter((part) => free.has(part))
  return nodes.length < size ? undefined : new Set(nodes.slice(0, size))
}

/**
 * Places a job on one leaf, else on whole leaves and one remainder leaf of a pod, else on whole pods and one remainder
 * pod. Works on full trees with single cables.
 */
export const placeOnWholeLeaves: Place = (topology, free, size) => {
  const perLeaf = topology.firstNodeOfLeaf[1]
  const leavesPerPod = topology.firstLeafOfPod[1]
  const nodesOf = (leaf: number): ReadonlyArray<string> => freeIn('node ', leaf * perLeaf, perLeaf)
  const uplinksOf = (leaf: number): ReadonlyArray<string> => freeIn('link 0 ', leaf * perLeaf, perLeaf)
  const l2Uplinks = (l2: number): ReadonlyArray<string> => freeIn('link 1 ', l2 * leavesPerPod, leavesPerPod)
  const freeIn = (prefix: string, first: number, count: number): ReadonlyArray<string> =>
    Array.from({ length: count }, (_, i) => `${prefix}${first + i}`).filter((part) => free.has(part))
  const leavesOf = (pod: number): ReadonlyArray<number> =>
    Array.from({ length: leavesPerPod }, (_, i) => pod * leavesPerPod + i)

  for (let leaf = 0; leaf < topology.leaves && size <= perLeaf; leaf++) {
    if (nodesOf(leaf).length >= size) return new Set(nodesOf(leaf).slice(0, size))
  }
  /** Returns `count` whole leaves and `rest` nodes of a further leaf in a pod, with as many uplinks as nodes. */
  const inPod = (pod: number, count: number, rest: number): ReadonlyArray<string> | undefined => {
    const whole = leavesOf(pod)
      .filter((leaf) => nodesOf(leaf).length === perLeaf && uplinksOf(leaf).length === perLeaf)
      .slice(0, count)
    const other = leavesOf(pod).find(
      (leaf) => !whole.includes(leaf) && nodesOf(leaf).length >= rest && uplinksOf(leaf).length >= rest,
    )
    if (whole.length < count || (rest > 0 && other === undefined)) return undefined
    const partial = rest === 0 ? [] : [...nodesOf(other!).slice(0, rest), ...uplinksOf(other!).slice(0, rest)]
    return [...whole.flatMap((leaf) => [...nodesOf(leaf), ...uplinksOf(leaf)]), ...partial]
  }
  const whole = Math.floor(size / perLeaf)
  const rest = size % perLeaf
  for (let pod = 0; pod < topology.pods && size > perLeaf; pod++) {
    const parts = inPod(pod, whole, rest)
    if (parts !== undefined) return new Set(parts)
  }
  const fullPods = Math.floor(whole / leavesPerPod)
  if (fullPods === 0) return undefined
  const pods = Array.from({ length: topology.pods }, (_, pod) => pod)
  const l2sOf = (pod: number): ReadonlyArray<number> => Array.from({ length: perLeaf }, (_, i) => pod * perLeaf + i)
  const isWhole = (pod: number): boolean =>
    inPod(pod, leavesPerPod, 0) !== undefined && l2sOf(pod).every((l2) => l2Uplinks(l2).length === leavesPerPod)
  const full = pods.filter(isWhole).slice(0, fullPods)
  if (full.length < fullPods) return undefined
  const parts = full.flatMap((pod) => [...inPod(pod, leavesPerPod, 0)!, ...l2sOf(pod).flatMap((l2) => l2Uplinks(l2))])
  if (whole % leavesPerPod === 0 && rest === 0) return new Set(parts)
  for (const pod of pods.filter((each) => !full.includes(each))) {
    const below = inPod(pod, whole % leavesPerPod, rest)
    if (below === undefined) continue
    const down = (l2: number): number =>
      below.filter(
        (part) => part.startsWith('link 0 ') && topology.levels[0].parentOfLink[Number(part.slice(7))] === l2,
      ).length
    if (l2sOf(pod).some((l2) => l2Uplinks(l2).length < down(l2))) continue
    return new Set([...parts, ...below, ...l2sOf(pod).flatMap((l2) => l2Uplinks(l2).slice(0, down(l2)))])
  }
  return undefined
}

/**
 * Places a job like TA: on one leaf; else in one pod, with all uplinks of its leaves; else in several pods, with all
 * uplinks of its leaves and of the pods' L2 switches.
 */
export const placeByType: Place = (topology, free, size) => {
  const { firstNodeOfLeaf, firstLeafOfPod, firstL2OfPod, levels } = topology
  const named = (prefix: string, from: number, end: number): ReadonlyArray<string> =>
    Array.from({ length: end - from }, (_, i) => `${prefix} ${from + i}`)
  const nodesOf = (leaf: number): ReadonlyArray<string> =>
    named('node', firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1]).filter((node) => free.has(node))
  const uplinksOf = (level: number, from: number, end: number): ReadonlyArray<string> =>
    named(`link ${level}`, levels[level].firstPort[from], levels[level].firstPort[end])
  const l2UplinksOf = (pod: number): ReadonlyArray<string> => uplinksOf(1, firstL2OfPod[pod], firstL2OfPod[pod + 1])
  const areFree = (parts: ReadonlyArray<string>): boolean => parts.every((part) => free.has(part))
  const range = (from: number, end: number): ReadonlyArray<number> =>
    Array.from({ length: end - from }, (_, i) => from + i)
  const openLeavesOf = (pod: number): ReadonlyArray<number> =>
    range(firstLeafOfPod[pod], firstLeafOfPod[pod + 1]).filter((leaf) => areFree(uplinksOf(0, leaf, leaf + 1)))
  const pods = range(0, topology.pods)

  const onLeaves = (leaves: ReadonlyArray<number>): ReadonlyArray<string> | undefined => {
    const parts: Array<string> = []
    let left = size
    for (const leaf of leaves) {
      const taken = nodesOf(leaf).slice(0, left)
      if (taken.length > 0) parts.push(...taken, ...uplinksOf(0, leaf, leaf + 1))
      left -= taken.length
    }
    return left === 0 ? parts : undefined
  }
  const asSet = (parts: ReadonlyArray<string> | undefined): Parts | undefined => parts && new Set(parts)

  if (size <= firstNodeOfLeaf[1])
    return asSet(
      range(0, topology.leaves)
        .map((leaf) => nodesOf(leaf).slice(0, size))
        .find(({ length }) => length === size),
    )
  if (size <= firstNodeOfLeaf[firstLeafOfPod[1]])
    return asSet(pods.map((pod) => onLeaves(openLeavesOf(pod))).find((parts) => parts !== undefined))
  const parts = onLeaves(pods.filter((pod) => areFree(l2UplinksOf(pod))).flatMap(openLeavesOf))
  const used = pods.filter((pod) =>
    openLeavesOf(pod).some((leaf) => nodesOf(leaf).some((node) => parts?.includes(node))),
  )
  return asSet(parts && [...parts, ...used.flatMap(l2UplinksOf)])
}
