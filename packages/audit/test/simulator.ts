import type { Topology } from '@cloister/topology'
import { idset, LogBuilder, type RunOptions } from './log-builder.ts'

/** Times in milliseconds. */
export interface SimulatedJob {
  readonly id: string
  readonly submit: number
  readonly size: number
  readonly runTime: number
  readonly walltime: number
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
  /** Whether jobs on nodes that fail run again. */
  readonly requeues: boolean
}

/** Parts by name: `node 3`, `link 0 17` (leaf uplink 17), `link 1 4`. */
export type Parts = ReadonlySet<string>
export type Place = (topology: Topology, free: Parts, size: number) => Parts | undefined

interface Running {
  readonly job: SimulatedJob
  readonly start: number
  readonly parts: Parts
}

/**
 * A scheduler over plain sets, as slow and as plain as can be: first come first served, with or without EASY backfilling.
 * It writes sound logs for the auditor's tests.
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
  #reservation: { readonly job: SimulatedJob; readonly seq: number; readonly start: number; readonly parts: Parts } | undefined
  #now = 0

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
      const times = [...inputs.filter((t) => t > last), ...this.#running.map((each) => this.#endOf(each))]
      if (times.length === 0) return this.#log.end(this.#t)
      this.#now = Math.min(...times)
      this.#finishes()
      this.#faults()
      this.#cancels()
      this.#submits()
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
    return start + (this.#scene.options.overrun === 'kill' ? Math.min(job.runTime, job.walltime) : job.runTime)
  }

  #free(without: Parts = new Set()): Parts {
    return minus(this.#all, this.#down, without, ...this.#running.map(({ parts }) => parts))
  }

  #finishes(): void {
    const ending = this.#running.filter((each) => this.#endOf(each) === this.#now)
    for (const each of this.#inOrder(ending)) {
      if (this.#scene.options.overrun === 'kill' && each.job.runTime > each.job.walltime) {
        this.#log.kill(this.#t, each.job.id, 'walltime')
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
  }

  #faults(): void {
    for (const { type, parts } of this.#scene.faults.filter(({ t }) => t === this.#now)) {
      const seq = this.#log[type](this.#t, grantOf(parts))
      for (const part of parts) this.#down[type === 'down' ? 'add' : 'delete'](part)
      if (type === 'up') continue
      for (const each of this.#inOrder(this.#running.filter((other) => shares(other.parts, parts)))) {
        this.#log.kill(this.#t, each.job.id, 'node-down', seq)
        this.#release(each)
        if (!this.#scene.requeues) continue
        this.#log.requeue(this.#t, each.job.id)
        this.#queue = [...this.#queue, each.job].toSorted((a, b) => this.#order.get(a.id)! - this.#order.get(b.id)!)
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
      this.#log.submit(this.#t, job.id, job.size, job.walltime / 1000)
      if (this.#scene.place(this.#scene.options.topology, this.#all, job.size) === undefined) this.#log.reject(this.#t, job.id)
      else this.#queue = [...this.#queue, job]
    }
  }

  #pass(): void {
    // A cancel of a job that is over is no input.
    if (this.#log.causeAt(this.#t) === 0) return
    if (this.#reservation !== undefined && this.#reservation.job !== this.#queue[0]) this.#unreserve()
    for (const head of this.#queue) {
      const parts = this.#place(this.#free(), head) ?? this.#reservedAndFree()
      if (parts === undefined) break
      this.#start(head, parts, undefined)
    }
    const head = this.#queue[0]
    if (head === undefined) return
    if (this.#scene.options.queue.backfill === 'easy' && this.#reserve(head)) this.#backfill(head)
    else if (this.#down.size > 0 && !this.#fitsWhenAllEnd(head)) this.#startOthers()
  }

  /** What the policy would not find again is the head's all the same. */
  #reservedAndFree(): Parts | undefined {
    return this.#reservation !== undefined && isWithin(this.#reservation.parts, this.#free()) ? this.#reservation.parts : undefined
  }

  #place(free: Parts, job: SimulatedJob): Parts | undefined {
    return this.#scene.place(this.#scene.options.topology, free, job.size)
  }

  #start(job: SimulatedJob, parts: Parts, backfill: number | undefined): void {
    this.#log.allocate(this.#t, job.id, grantOf(parts), backfill === undefined ? {} : { backfill })
    if (this.#reservation?.job === job) this.#reservation = undefined
    this.#running = [...this.#running, { job, start: this.#now, parts }]
    this.#queue = this.#queue.filter((each) => each !== job)
  }

  #unreserve(): void {
    this.#log.unreserve(this.#t, this.#reservation!.job.id, this.#reservation!.seq)
    this.#reservation = undefined
  }

  #estimatedEnd({ job, start }: Running): number {
    const end = start + job.walltime
    return end < this.#now ? this.#now + 1000 : end
  }

  #reserve(head: SimulatedJob): boolean {
    const found = this.#shadow(head)
    const kept = this.#reservation
    if (kept !== undefined) {
      const isFeasible = kept.start >= this.#now && isWithin(kept.parts, this.#freeAt(kept.start))
      if (isFeasible && (found === undefined || found.start >= kept.start)) return true
      this.#unreserve()
    }
    if (found === undefined) return false
    const seq = this.#log.reserve(this.#t, head.id, found.start / 1000, grantOf(found.parts))
    this.#reservation = { job: head, seq, ...found }
    return true
  }

  #freeAt(t: number): Parts {
    return minus(this.#all, this.#down, ...this.#running.filter((each) => this.#estimatedEnd(each) > t).map(({ parts }) => parts))
  }

  #shadow(head: SimulatedJob): { readonly start: number; readonly parts: Parts } | undefined {
    const ends = [...new Set(this.#running.map((each) => this.#estimatedEnd(each)))].sort((a, b) => a - b)
    for (const start of ends) {
      const parts = this.#place(this.#freeAt(start), head)
      if (parts !== undefined) return { start, parts }
    }
    return undefined
  }

  #backfill(head: SimulatedJob): void {
    const { seq, start, parts: reserved } = this.#reservation!
    const window = this.#scene.options.queue.window
    for (const job of this.#queue.filter((each) => each !== head).slice(0, window)) {
      const anywhere = this.#now + job.walltime <= start ? this.#place(this.#free(), job) : undefined
      const parts = anywhere ?? this.#place(this.#free(reserved), job)
      if (parts !== undefined) this.#start(job, parts, seq)
    }
  }

  #fitsWhenAllEnd(head: SimulatedJob): boolean {
    return this.#place(minus(this.#all, this.#down), head) !== undefined
  }

  #startOthers(): void {
    for (const job of this.#queue.slice(1)) {
      const parts = this.#place(this.#free(), job)
      if (parts !== undefined) this.#start(job, parts, undefined)
    }
  }
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

function grantOf(parts: Parts): { readonly nodes: string; readonly links?: ReadonlyArray<string> } {
  const named = (prefix: string): string => idset([...parts].filter((part) => part.startsWith(prefix)).map((part) => Number(part.slice(prefix.length))))
  const links = [named('link 0 '), named('link 1 ')]
  while (links.at(-1) === '') links.pop()
  return { nodes: named('node '), ...(links.length > 0 ? { links } : {}) }
}

/** The first free nodes, no links. */
export const placeAnywhere: Place = (topology, free, size) => {
  const nodes = Array.from({ length: topology.nodes }, (_, node) => `node ${node}`).filter((part) => free.has(part))
  return nodes.length < size ? undefined : new Set(nodes.slice(0, size))
}

/** On one leaf; else on whole leaves and one remainder leaf of one pod; else on whole pods and one remainder pod. Full trees with single cables. */
export const placeOnWholeLeaves: Place = (topology, free, size) => {
  const perLeaf = topology.firstNodeOfLeaf[1]
  const leavesPerPod = topology.firstLeafOfPod[1]
  const nodesOf = (leaf: number): ReadonlyArray<string> => freeIn('node ', leaf * perLeaf, perLeaf)
  const uplinksOf = (leaf: number): ReadonlyArray<string> => freeIn('link 0 ', leaf * perLeaf, perLeaf)
  const l2Uplinks = (l2: number): ReadonlyArray<string> => freeIn('link 1 ', l2 * leavesPerPod, leavesPerPod)
  const freeIn = (prefix: string, first: number, count: number): ReadonlyArray<string> =>
    Array.from({ length: count }, (_, i) => `${prefix}${first + i}`).filter((part) => free.has(part))
  const leavesOf = (pod: number): ReadonlyArray<number> => Array.from({ length: leavesPerPod }, (_, i) => pod * leavesPerPod + i)

  for (let leaf = 0; leaf < topology.leaves && size <= perLeaf; leaf++) {
    if (nodesOf(leaf).length >= size) return new Set(nodesOf(leaf).slice(0, size))
  }
  /** `count` whole leaves and `rest` nodes of another, with as many uplinks. */
  const inPod = (pod: number, count: number, rest: number): ReadonlyArray<string> | undefined => {
    const whole = leavesOf(pod).filter((leaf) => nodesOf(leaf).length === perLeaf && uplinksOf(leaf).length === perLeaf).slice(0, count)
    const other = leavesOf(pod).find((leaf) => !whole.includes(leaf) && nodesOf(leaf).length >= rest && uplinksOf(leaf).length >= rest)
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
  const isWhole = (pod: number): boolean => inPod(pod, leavesPerPod, 0) !== undefined && l2sOf(pod).every((l2) => l2Uplinks(l2).length === leavesPerPod)
  const full = pods.filter(isWhole).slice(0, fullPods)
  if (full.length < fullPods) return undefined
  const parts = full.flatMap((pod) => [...inPod(pod, leavesPerPod, 0)!, ...l2sOf(pod).flatMap((l2) => l2Uplinks(l2))])
  if (whole % leavesPerPod === 0 && rest === 0) return new Set(parts)
  for (const pod of pods.filter((each) => !full.includes(each))) {
    const below = inPod(pod, whole % leavesPerPod, rest)
    if (below === undefined) continue
    const down = (l2: number): number => below.filter((part) => part.startsWith('link 0 ') && topology.levels[0].parentOfLink[Number(part.slice(7))] === l2).length
    if (l2sOf(pod).some((l2) => l2Uplinks(l2).length < down(l2))) continue
    return new Set([...parts, ...below, ...l2sOf(pod).flatMap((l2) => l2Uplinks(l2).slice(0, down(l2)))])
  }
  return undefined
}

/** TA: on one leaf; else on leaves of one pod with all their uplinks; else on such leaves of pods with all uplinks of their L2 switches. */
export const placeByType: Place = (topology, free, size) => {
  const { firstNodeOfLeaf, firstLeafOfPod, firstL2OfPod, levels } = topology
  const named = (prefix: string, from: number, end: number): ReadonlyArray<string> => Array.from({ length: end - from }, (_, i) => `${prefix} ${from + i}`)
  const nodesOf = (leaf: number): ReadonlyArray<string> => named('node', firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1]).filter((node) => free.has(node))
  const uplinksOf = (level: number, from: number, end: number): ReadonlyArray<string> => named(`link ${level}`, levels[level].firstPort[from], levels[level].firstPort[end])
  const l2UplinksOf = (pod: number): ReadonlyArray<string> => uplinksOf(1, firstL2OfPod[pod], firstL2OfPod[pod + 1])
  const areFree = (parts: ReadonlyArray<string>): boolean => parts.every((part) => free.has(part))
  const range = (from: number, end: number): ReadonlyArray<number> => Array.from({ length: end - from }, (_, i) => from + i)
  const openLeavesOf = (pod: number): ReadonlyArray<number> => range(firstLeafOfPod[pod], firstLeafOfPod[pod + 1]).filter((leaf) => areFree(uplinksOf(0, leaf, leaf + 1)))
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

  if (size <= firstNodeOfLeaf[1]) return asSet(range(0, topology.leaves).map((leaf) => nodesOf(leaf).slice(0, size)).find(({ length }) => length === size))
  if (size <= firstNodeOfLeaf[firstLeafOfPod[1]]) return asSet(pods.map((pod) => onLeaves(openLeavesOf(pod))).find((parts) => parts !== undefined))
  const parts = onLeaves(pods.filter((pod) => areFree(l2UplinksOf(pod))).flatMap(openLeavesOf))
  const used = pods.filter((pod) => openLeavesOf(pod).some((leaf) => nodesOf(leaf).some((node) => parts?.includes(node))))
  return asSet(parts && [...parts, ...used.flatMap(l2UplinksOf)])
}
