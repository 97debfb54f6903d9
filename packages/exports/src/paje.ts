import { headerTopology, type LogRecord, replayable, resourcesOf } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'

/** Types of Paje events in the trace: name, number and fields. SimGrid's traces have the same numbers. */
const DEFINITIONS: ReadonlyArray<readonly [name: string, id: number, fields: string]> = [
  ['PajeDefineContainerType', 0, 'Alias string|Type string|Name string'],
  ['PajeDefineVariableType', 1, 'Alias string|Type string|Name string|Color color'],
  ['PajeDefineStateType', 2, 'Alias string|Type string|Name string'],
  ['PajeDefineEntityValue', 5, 'Alias string|Type string|Name string|Color color'],
  ['PajeCreateContainer', 6, 'Time date|Alias string|Type string|Container string|Name string'],
  ['PajeDestroyContainer', 7, 'Time date|Type string|Name string'],
  ['PajeSetVariable', 8, 'Time date|Type string|Container string|Value double'],
  ['PajeSetState', 11, 'Time date|Type string|Container string|Value string'],
]

/**
 * Yields an event log as a Paje trace, with times in seconds. Pods, leaves and nodes are containers. The state of a
 * node is `free`, `down` or a job. The machine has the variables `busy` (nodes) and `waiting` (jobs). The trace of a
 * part of a run begins with the part.
 *
 * @throws FoldError if a record contradicts earlier records
 * @throws RangeError if there is no header
 */
export function* paje(records: Iterable<LogRecord>): Generator<string, void> {
  let tracing: Tracing | undefined
  for (const [name, id, fields] of DEFINITIONS) {
    yield `%EventDef ${name} ${id}\n${fields
      .split('|')
      .map((field) => `% ${field}\n`)
      .join('')}%EndEventDef\n`
  }
  for (const record of replayable(records)) {
    if (record.type === 'header') {
      const topology = headerTopology(record)
      const from = record.part?.from ?? 0
      yield* machine(topology, record.topology.name, from)
      tracing = new Tracing(from)
    } else yield* tracing!.take(record)
  }
  if (tracing !== undefined) yield `7 ${tracing.t} M machine\n`
}

function* machine(topology: Topology, name: string, from: number): Generator<string, void> {
  yield '0 M 0 "machine"\n0 P M "pod"\n0 L P "leaf"\n0 N L "node"\n'
  yield '1 busy M "busy" "0.2 0.4 0.8"\n1 waiting M "waiting" "0.8 0.4 0.2"\n2 S N "job"\n'
  yield '5 free S "free" "0.9 0.9 0.9"\n5 down S "down" "0 0 0"\n'
  yield `6 ${from} machine M 0 ${quoted(name)}\n`
  for (let pod = 0; pod < topology.pods; pod++) yield `6 ${from} p${pod} P machine "pod ${pod}"\n`
  for (let leaf = 0; leaf < topology.leaves; leaf++)
    yield `6 ${from} l${leaf} L p${topology.podOfLeaf[leaf]} "leaf ${leaf}"\n`
  for (let node = 0; node < topology.nodes; node++) {
    yield `6 ${from} n${node} N l${topology.leafOfNode[node]} ${quoted(topology.nodeNames?.[node] ?? `node ${node}`)}\n11 ${from} S n${node} free\n`
  }
}

class Tracing {
  /** Time of the last line of the trace, in seconds. */
  t: number
  /** Begin of the trace, in seconds. */
  readonly #from: number
  #isBegun = false
  #busy = 0
  /** Alias of each job in the trace, because the id of a job may have characters that Paje does not allow. */
  readonly #aliases = new Map<string, string>()
  readonly #waiting = new Set<string>()
  readonly #running = new Map<string, Int32Array>()
  readonly #down = new Set<number>()

  constructor(from: number) {
    this.#from = this.t = from
  }

  /** Yields a record's lines. Before the begin of the trace, only a submit record has a line: the job's definition. */
  *take(record: Exclude<LogRecord, { readonly type: 'header' }>): Generator<string, void> {
    if (record.t < this.#from) {
      for (const line of this.#next(record)) if (line.startsWith('5 ')) yield line
      this.t = this.#from
      return
    }
    if (!this.#isBegun) yield* this.#begin()
    yield* this.#next(record)
  }

  *#begin(): Generator<string, void> {
    this.#isBegun = true
    for (const [job, nodes] of this.#running)
      for (const node of nodes) yield `11 ${this.t} S n${node} ${this.#aliases.get(job)!}\n`
    for (const node of this.#down) yield `11 ${this.t} S n${node} down\n`
    if (this.#waiting.size > 0) yield `8 ${this.t} waiting machine ${this.#waiting.size}\n`
    if (this.#busy > 0) yield `8 ${this.t} busy machine ${this.#busy}\n`
  }

  *#next(record: Exclude<LogRecord, { readonly type: 'header' }>): Generator<string, void> {
    this.t = record.t
    switch (record.type) {
      case 'submit':
        this.#aliases.set(record.job, `j${this.#aliases.size}`)
        yield `5 ${this.#aliases.get(record.job)} S ${quoted(record.job)} "${colour(this.#aliases.size)}"\n`
        return yield* this.#queue(record.job, true)
      case 'requeue':
        return yield* this.#queue(record.job, true)
      case 'reject':
        return yield* this.#queue(record.job, false)
      case 'cancel':
        return void (this.#running.has(record.job) || (yield* this.#queue(record.job, false)))
      case 'allocate':
        if (record.moved === undefined) yield* this.#queue(record.job, false)
        this.#running.set(record.job, resourcesOf(record).nodes)
        return yield* this.#set(resourcesOf(record).nodes, this.#aliases.get(record.job)!, 1)
      case 'release': {
        const nodes = this.#running.get(record.job)!
        this.#running.delete(record.job)
        return yield* this.#set(nodes, 'free', -1)
      }
      case 'down':
        for (const node of resourcesOf(record).nodes) this.#down.add(node)
        return yield* this.#set(resourcesOf(record).nodes, 'down', 0)
      case 'up':
        for (const node of resourcesOf(record).nodes) this.#down.delete(node)
        return yield* this.#set(resourcesOf(record).nodes, 'free', 0)
    }
  }

  *#queue(job: string, enters: boolean): Generator<string, void> {
    if (enters) this.#waiting.add(job)
    else this.#waiting.delete(job)
    yield `8 ${this.t} waiting machine ${this.#waiting.size}\n`
  }

  /** Yields the new state of nodes. `busy`: 1 at a job's start, -1 at its end, 0 for nodes that go down or come up. */
  *#set(nodes: Int32Array, value: string, busy: number): Generator<string, void> {
    for (const node of nodes)
      yield `11 ${this.t} S n${node} ${value === 'free' && this.#down.has(node) ? 'down' : value}\n`
    if (busy === 0) return
    this.#busy += busy * nodes.length
    yield `8 ${this.t} busy machine ${this.#busy}\n`
  }
}

/** Returns a colour as red, green and blue. Consecutive numbers of jobs get very different colours. */
function colour(number: number): string {
  const part = (step: number): string => (((number * step) % 97) / 97).toFixed(2)
  return `${part(29)} ${part(53)} ${part(71)}`
}

/** Quotes a name. Paje cannot express quotes and special characters in a name: `'` and `?` replace them. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', "'").replaceAll(/[^\x20-\x7e]/g, '?')}"`
}
