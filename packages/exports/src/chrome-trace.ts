import { type Allocate, type Down, headerTopology, type LogRecord, replayable, resourcesOf } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'

/** Ids of the processes in the trace. Leaf n has the process id `FIRST_LEAF` + n. */
const MACHINE = 1
const QUEUE = 2
const DOWN = 3
const FIRST_LEAF = 10

type Fields = Readonly<Record<string, unknown>>

/**
 * Yields an event log as JSON for Chrome's tracing and for Perfetto, with one event a line and times in µs.
 *
 * - Each leaf is a process, and each of its nodes a thread.
 * - A job is a slice for each range of nodes on one leaf, on the thread of the range's first node. So the size of the
 *   trace grows with the number of ranges in the log, not with the number of nodes.
 * - The wait of a job is an asynchronous slice of the process `queue`.
 * - The process `machine` has counters of busy, free and down nodes, utilisation, waiting jobs, wholly free leaves, and
 *   the free nodes of the pod with the most free nodes.
 * - The trace of a part of a run begins with the part, and a slice that started earlier begins with the part.
 *
 * @throws FoldError if a record contradicts earlier records
 * @throws RangeError if the records do not begin with a header
 */
export function* chromeTrace(records: Iterable<LogRecord>): Generator<string, void> {
  yield '{"displayTimeUnit":"ms","traceEvents":[\n'
  let first = true
  for (const event of events(records)) {
    yield `${first ? '' : ',\n'}${JSON.stringify(event)}`
    first = false
  }
  yield '\n]}\n'
}

function* events(records: Iterable<LogRecord>): Generator<Fields, void> {
  let tracing: Tracing | undefined
  for (const record of replayable(records)) {
    if (record.type === 'header') {
      const topology = headerTopology(record)
      yield* names(topology)
      tracing = new Tracing(topology, record.part?.from ?? 0)
    } else yield* tracing!.take(record)
  }
  if (tracing !== undefined) yield* tracing.end()
}

function* names(topology: Topology): Generator<Fields, void> {
  const process = function* (pid: number, name: string): Generator<Fields, void> {
    yield { ph: 'M', name: 'process_name', pid, tid: 0, args: { name } }
    yield { ph: 'M', name: 'process_sort_index', pid, tid: 0, args: { sort_index: pid } }
  }
  yield* process(MACHINE, 'machine')
  yield* process(QUEUE, 'queue')
  yield* process(DOWN, 'nodes down')
  for (let leaf = 0; leaf < topology.leaves; leaf++)
    yield* process(FIRST_LEAF + leaf, `pod ${topology.podOfLeaf[leaf]} leaf ${leaf}`)
  for (let node = 0; node < topology.nodes; node++) {
    const pid = FIRST_LEAF + topology.leafOfNode[node]
    yield { ph: 'M', name: 'thread_name', pid, tid: node, args: { name: topology.nodeNames?.[node] ?? `node ${node}` } }
    yield { ph: 'M', name: 'thread_sort_index', pid, tid: node, args: { sort_index: node } }
  }
}

class Tracing {
  readonly #topology: Topology
  /** Begin of the trace, in seconds. */
  readonly #from: number
  #isBegun: boolean
  readonly #sizes = new Map<string, number>()
  /** `seq` of the last submit or requeue record of each waiting job. */
  readonly #waiting = new Map<string, number>()
  readonly #running = new Map<
    string,
    { readonly allocate: Allocate; readonly nodes: Int32Array; ended: string | undefined }
  >()
  readonly #downSince = new Map<number, number>()
  readonly #isBusy: Uint8Array
  readonly #freeOnLeaf: Int32Array
  readonly #freeInPod: Int32Array
  /** Number of pods with n free nodes, at index n. */
  readonly #podsByFree: Int32Array
  #wholeLeaves = 0
  #freeNodes = 0
  /** Number of free nodes in the pod with the most free nodes. */
  #mostFree = 0
  #busy = 0
  #t = 0
  #counted = ''

  constructor(topology: Topology, from: number) {
    this.#topology = topology
    this.#from = from
    this.#isBegun = from === 0
    this.#isBusy = new Uint8Array(topology.nodes)
    this.#freeOnLeaf = new Int32Array(topology.leaves)
    this.#freeInPod = new Int32Array(topology.pods)
    this.#podsByFree = new Int32Array(topology.nodes + 1)
    this.#podsByFree[0] = topology.pods
    for (let node = 0; node < topology.nodes; node++) this.#free(node, 1)
  }

  /** Yields the events of a record. A record before the begin of the trace only changes the state. */
  *take(record: Exclude<LogRecord, { readonly type: 'header' }>): Generator<Fields, void> {
    if (record.t < this.#from) for (const _ of this.#next(record));
    else {
      if (!this.#isBegun) yield* this.#begin()
      yield* this.#next(record)
    }
  }

  *#begin(): Generator<Fields, void> {
    this.#isBegun = true
    this.#t = this.#from
    this.#counted = ''
    for (const [job, seq] of this.#waiting) yield* this.#enter(job, seq)
  }

  *#next(record: Exclude<LogRecord, { readonly type: 'header' }>): Generator<Fields, void> {
    if (record.t > this.#t) yield* this.#counters()
    this.#t = record.t
    switch (record.type) {
      case 'submit':
        this.#sizes.set(record.job, record.size)
        return yield* this.#enter(record.job, record.seq)
      case 'requeue':
        return yield* this.#enter(record.job, record.seq)
      case 'allocate':
        if (record.moved === undefined) yield* this.#leave(record.job)
        return this.#start(record)
      case 'reject':
        return yield* this.#leave(record.job)
      case 'cancel':
        return void (this.#running.has(record.job) || (yield* this.#leave(record.job)))
      case 'finish':
        return void (this.#running.get(record.job)!.ended = record.status ?? 'finished')
      case 'kill':
        return void (this.#running.get(record.job)!.ended = `killed: ${record.code}`)
      case 'withdraw': {
        const run = this.#running.get(record.job)!
        run.ended = run.ended === undefined ? 'the start was withdrawn' : undefined
        return
      }
      case 'release':
        return yield* this.#release(record.job)
      case 'down':
        return this.#down(record)
      case 'up':
        return yield* this.#up(resourcesOf(record).nodes)
    }
  }

  /** Yields the last events: slices of running jobs, waits and outages end at the time of the last record. */
  *end(): Generator<Fields, void> {
    if (!this.#isBegun) return
    for (const job of this.#running.keys()) yield* this.#release(job)
    for (const job of this.#waiting.keys()) yield* this.#leave(job)
    yield* this.#up([...this.#downSince.keys()])
    yield* this.#counters()
  }

  *#enter(job: string, seq: number): Generator<Fields, void> {
    this.#waiting.set(job, seq)
    yield {
      ph: 'b',
      cat: 'queue',
      name: job,
      id: job,
      pid: QUEUE,
      tid: 0,
      ts: this.#us(this.#t),
      args: { nodes: this.#sizes.get(job), record: seq },
    }
  }

  *#leave(job: string): Generator<Fields, void> {
    this.#waiting.delete(job)
    yield { ph: 'e', cat: 'queue', name: job, id: job, pid: QUEUE, tid: 0, ts: this.#us(this.#t) }
  }

  #start(allocate: Allocate): void {
    const { nodes } = resourcesOf(allocate)
    for (const node of nodes) {
      this.#isBusy[node] = 1
      this.#free(node, -1)
    }
    this.#busy += nodes.length
    this.#running.set(allocate.job, { allocate, nodes, ended: undefined })
  }

  *#release(job: string): Generator<Fields, void> {
    const { allocate, nodes, ended } = this.#running.get(job)!
    this.#running.delete(job)
    this.#busy -= nodes.length
    const ts = this.#us(Math.max(this.#from, allocate.t))
    const args = {
      size: nodes.length,
      backfilled: allocate.backfill !== undefined,
      record: allocate.seq,
      end: ended ?? 'still runs',
    }
    for (const node of nodes) {
      this.#isBusy[node] = 0
      if (!this.#downSince.has(node)) this.#free(node, 1)
    }
    for (const [first, last] of rangesByLeaf(nodes, this.#topology)) {
      yield {
        ph: 'X',
        cat: 'job',
        name: job,
        pid: FIRST_LEAF + this.#topology.leafOfNode[first],
        tid: first,
        ts,
        dur: this.#us(this.#t) - ts,
        args: { nodes: first === last ? `${first}` : `${first}-${last}`, ...args },
      }
    }
  }

  #down(record: Down): void {
    for (const node of resourcesOf(record).nodes) {
      this.#downSince.set(node, record.t)
      if (this.#isBusy[node] === 0) this.#free(node, -1)
    }
  }

  *#up(nodes: Iterable<number>): Generator<Fields, void> {
    for (const node of nodes) {
      const ts = this.#us(Math.max(this.#from, this.#downSince.get(node)!))
      this.#downSince.delete(node)
      if (this.#isBusy[node] === 0) this.#free(node, 1)
      yield { ph: 'X', cat: 'down', name: 'down', pid: DOWN, tid: node, ts, dur: this.#us(this.#t) - ts, args: {} }
    }
  }

  /** Counts one node as free (1) or as not free (-1). To count all nodes at each instant of a log would be too slow. */
  #free(node: number, change: 1 | -1): void {
    const { leafOfNode, podOfLeaf, firstNodeOfLeaf } = this.#topology
    const leaf = leafOfNode[node]
    const pod = podOfLeaf[leaf]
    const size = firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf]
    if (this.#freeOnLeaf[leaf] === size) this.#wholeLeaves--
    this.#freeOnLeaf[leaf] += change
    if (this.#freeOnLeaf[leaf] === size) this.#wholeLeaves++
    this.#freeNodes += change
    this.#podsByFree[this.#freeInPod[pod]]--
    this.#freeInPod[pod] += change
    this.#podsByFree[this.#freeInPod[pod]]++
    if (this.#freeInPod[pod] > this.#mostFree) this.#mostFree++
    else if (this.#podsByFree[this.#mostFree] === 0) this.#mostFree--
  }

  *#counters(): Generator<Fields, void> {
    const down = this.#downSince.size
    const counters: ReadonlyArray<readonly [string, Fields]> = [
      ['nodes', { busy: this.#busy, free: this.#freeNodes, down }],
      ['utilisation in %', { utilisation: Math.round((10_000 * this.#busy) / this.#topology.nodes) / 100 }],
      ['waiting jobs', { jobs: this.#waiting.size }],
      ['wholly free leaves', { leaves: this.#wholeLeaves }],
      ['free nodes of the freest pod', { nodes: this.#mostFree }],
    ]
    const now = JSON.stringify(counters)
    if (now === this.#counted) return
    this.#counted = now
    for (const [name, args] of counters) yield { ph: 'C', name, pid: MACHINE, tid: 0, ts: this.#us(this.#t), args }
  }

  #us(t: number): number {
    return Math.round(t * 1000) * 1000
  }
}

function* rangesByLeaf(
  nodes: Int32Array,
  { leafOfNode }: Topology,
): Generator<readonly [first: number, last: number], void> {
  for (let from = 0, to = 0; from < nodes.length; from = to) {
    const leaf = leafOfNode[nodes[from]]
    for (to = from + 1; to < nodes.length && nodes[to] === nodes[to - 1] + 1 && leafOfNode[nodes[to]] === leaf;) to++
    yield [nodes[from], nodes[to - 1]]
  }
}
