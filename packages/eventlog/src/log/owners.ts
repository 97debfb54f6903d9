import { base64url, IdBuffer, type Topology } from '@cloister/topology'
import type { HashFunction } from './hash.ts'
import { MAX_HELD, MAX_LOOKED_AT, MAX_LOOKED_AT_PER_RECORD, MAX_PARTS } from '../limits.ts'
import { resourcesOf } from '../records/decode.ts'
import type { LogRecord } from '../records/types.ts'
import { JobSlots } from './job-slots.ts'
import type { Resources } from './recorder.ts'
import { RecordError } from '../records/record-error.ts'

const DOWN = 0xffffffff

/** What an allocate gave a job: the first `count` of the cells, of which the first `nodes` are those of nodes. */
interface Holding {
  seq: number
  bandwidth: number
  cells: Int32Array
  count: number
  nodes: number
}

/**
 * Who owns every node and every link, in the form that a seal digests (SPEC.md, "State digest"). It believes what it is
 * told of the machine: the last allocate wins a cell, a release frees the cells that are still its own. So writer and
 * reader agree on any sequence of records, wrong ones included. What no record may say, or what would cost a reader more
 * than the log is long, it refuses.
 */
export class OwnerArrays {
  readonly #cells: Uint32Array
  /** First cell of the nodes (0), of the links of level 0, of level 1, …; one more than the last cell at the end. */
  readonly #first: ReadonlyArray<number>
  readonly #capped: boolean
  /** 1 for a cell that is down; made when the first one fails. */
  #down: Uint8Array | undefined
  readonly #slots = new JobSlots()
  /** By slot; those of jobs that have ended are used again. */
  readonly #holdings: Array<Holding> = []
  /** Arrays of holdings that are over, by the base-two logarithm of their lengths: an array for each start is much garbage. */
  readonly #spare: Array<Array<Int32Array>> = []
  /** The cells of what a record names; first those of nodes. */
  readonly #named = new IdBuffer()
  #namedNodes = 0
  /** Nodes and links of all holdings. */
  #held = 0
  /** Nodes and links that records named and seals digested, each time anew. */
  #lookedAt = 0
  #seq = 0

  /**
   * @param capped whether links are shared up to a cap: their cells then count MB/s in use
   * @throws RecordError where the machine is too large to be logged
   */
  constructor(topology: Topology, capped: boolean) {
    const first = [0, topology.nodes]
    for (const level of topology.levels) first.push(first[first.length - 1] + level.links)
    const parts = first[first.length - 1]
    if (parts > MAX_PARTS)
      throw new RecordError(`a machine of ${parts} nodes and links; at most ${MAX_PARTS} can be logged`)
    this.#first = first
    this.#cells = new Uint32Array(parts)
    this.#capped = capped
  }

  /** What a record says of owners. @throws RecordError where one of its idsets is none or not of this machine, or a limit is exceeded */
  follow(record: LogRecord): void {
    switch (record.type) {
      case 'allocate':
        this.#read(record)
        return this.#allocate(record.seq, record.job, record.bandwidth ?? 0)
      case 'reserve':
        this.#read(record)
        return this.#lookAtNamed(record.seq)
      case 'release':
        return this.release(record.job)
      case 'down':
      case 'up':
        this.#read(record)
        return this.#mark(record.seq, record.type === 'down')
    }
  }

  /** @throws RecordError where the machine has not all of it, or jobs hold more together than a reader shall remember */
  allocate(seq: number, job: string, parts: Resources, bandwidth: number): void {
    this.#name(parts)
    this.#allocate(seq, job, bandwidth)
  }

  /** Owns nothing yet. @throws RecordError */
  reserve(seq: number, parts: Resources): void {
    this.#name(parts)
    this.#lookAtNamed(seq)
  }

  /** Frees what the latest allocate of `job` gave it; nothing where there is none. */
  release(job: string): void {
    const slot = this.#slots.giveBack(job)
    if (slot === undefined) return
    const held = this.#holdings[slot]
    this.#held -= held.count
    const { cells, seq, count } = held
    const owners = this.#cells
    const owned = this.#capped ? held.nodes : count
    for (let i = 0; i < owned; i++) if (owners[cells[i]] === seq) owners[cells[i]] = 0
    const bandwidth = counted(held.bandwidth)
    for (let i = owned; i < count; i++) owners[cells[i]] -= bandwidth
    this.#keep(cells)
    held.cells = NO_CELLS
  }

  /** @throws RecordError */
  down(seq: number, parts: Resources): void {
    this.#name(parts)
    this.#mark(seq, true)
  }

  /** @throws RecordError */
  up(seq: number, parts: Resources): void {
    this.#name(parts)
    this.#mark(seq, false)
  }

  /** @throws RecordError where so many seals make the log costly to check */
  digest(seq: number, hash: HashFunction): string {
    const cells = this.#cells
    this.#seq = seq
    this.#lookAt(cells.length)
    const down = this.#down
    const computation = hash()
    computation.update(
      littleEndianBytes(down === undefined ? cells : cells.map((owner, cell) => (down[cell] === 0 ? owner : DOWN))),
    )
    return base64url(computation.digest())
  }

  #allocate(seq: number, job: string, bandwidth: number): void {
    this.#lookAtNamed(seq)
    const { count } = this.#named
    const former = this.#slots.get(job)
    this.#held += count - (former === undefined ? 0 : this.#holdings[former].count)
    if (this.#held > MAX_HELD) throw new RecordError(`jobs hold more than ${MAX_HELD} nodes and links together`)
    const cells = this.#copyOfNamed()
    const nodes = this.#namedNodes
    this.#hold(former ?? this.#slots.take(job), seq, bandwidth, cells, nodes)
    const owners = this.#cells
    const owned = this.#capped ? nodes : count
    for (let i = 0; i < owned; i++) owners[cells[i]] = seq
    const added = counted(bandwidth)
    for (let i = owned; i < count; i++) owners[cells[i]] += added
  }

  #hold(slot: number, seq: number, bandwidth: number, cells: Int32Array, nodes: number): void {
    const { count } = this.#named
    const held = (this.#holdings[slot] ??= { seq, bandwidth, cells, count, nodes })
    held.seq = seq
    held.bandwidth = bandwidth
    held.cells = cells
    held.count = count
    held.nodes = nodes
  }

  #copyOfNamed(): Int32Array {
    const { ids, count } = this.#named
    const size = logarithm(count)
    const copy = this.#spare[size]?.pop() ?? new Int32Array(1 << size)
    for (let i = 0; i < count; i++) copy[i] = ids[i]
    return copy
  }

  #keep(cells: Int32Array): void {
    const size = logarithm(cells.length)
    if (size > SPARE_SIZE) return
    const spare = (this.#spare[size] ??= [])
    if (spare.length < SPARE) spare.push(cells)
  }

  #mark(seq: number, isDown: boolean): void {
    this.#lookAtNamed(seq)
    if (!isDown && this.#down === undefined) return
    const down = (this.#down ??= new Uint8Array(this.#cells.length))
    const { ids, count } = this.#named
    for (let i = 0; i < count; i++) down[ids[i]] = Number(isDown)
  }

  /** @throws RecordError where the machine has not all of it */
  #name(parts: Resources): void {
    this.#checkInside(parts)
    this.#named.clear()
    this.#named.add(parts.nodes)
    this.#namedNodes = this.#named.count
    for (let level = 0; level < parts.links.length; level++) this.#named.add(parts.links[level], this.#first[level + 1])
  }

  /** As `#name`, of the idsets of a record. */
  #read(record: { readonly nodes: string; readonly links?: ReadonlyArray<string> }): void {
    // What is wrong with them, the slow way says.
    if (!this.#readIdsets(record.nodes, record.links ?? NO_LINKS)) this.#name(resourcesOf(record))
  }

  /** False where they are not canonical or not of this machine. */
  #readIdsets(nodes: string, links: ReadonlyArray<string>): boolean {
    const named = this.#named
    const first = this.#first
    named.clear()
    if (!named.read(nodes, first[1])) return false
    this.#namedNodes = named.count
    if (links.length > first.length - 2) return false
    for (let level = 0; level < links.length; level++)
      if (!named.read(links[level], first[level + 2] - first[level + 1], first[level + 1])) return false
    return true
  }

  /** Ids ascend: the last one tells. */
  #checkInside({ nodes, links }: Resources): void {
    const first = this.#first
    if (nodes.length > 0 && nodes[nodes.length - 1] >= first[1])
      throw new RecordError(`node ${nodes[nodes.length - 1]} is not in the machine: it has ${first[1]}`)
    for (let level = 0; level < links.length; level++) {
      const ids = links[level]
      const count = level + 2 < first.length ? first[level + 2] - first[level + 1] : 0
      if (ids.length > 0 && ids[ids.length - 1] >= count)
        throw new RecordError(
          `link ${ids[ids.length - 1]} of level ${level} is not in the machine: the level has ${count}`,
        )
    }
  }

  #lookAtNamed(seq: number): void {
    this.#seq = seq
    this.#lookAt(this.#named.count)
  }

  #lookAt(parts: number): void {
    this.#lookedAt += parts
    if (this.#lookedAt > MAX_LOOKED_AT + MAX_LOOKED_AT_PER_RECORD * this.#seq)
      throw new RecordError(
        `the first ${this.#seq} records name, and their seals digest, ${this.#lookedAt} nodes and links; a log of this length may have ${MAX_LOOKED_AT + MAX_LOOKED_AT_PER_RECORD * this.#seq}`,
      )
  }
}

/** How many arrays of each length are kept, and the longest: what a log once held should not take memory for good. */
const SPARE = 1024
const SPARE_SIZE = 12

const NO_LINKS: ReadonlyArray<string> = []
const NO_CELLS = new Int32Array(0)

/** Cells count modulo 2^32; a sum above 2^53 would be rounded before that. */
function counted(bandwidth: number): number {
  return bandwidth % 2 ** 32
}

/** The least power of two that is not below a count, as its exponent. */
function logarithm(count: number): number {
  return count <= 1 ? 0 : 32 - Math.clz32(count - 1)
}

const MACHINE_IS_LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

function littleEndianBytes(cells: Uint32Array): Uint8Array {
  if (MACHINE_IS_LITTLE_ENDIAN) return new Uint8Array(cells.buffer)
  const view = new DataView(new ArrayBuffer(cells.byteLength))
  cells.forEach((cell, i) => view.setUint32(4 * i, cell, true))
  return new Uint8Array(view.buffer)
}
