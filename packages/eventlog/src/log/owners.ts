import { base64url, type Topology } from '@cloister/topology'
import type { HashFunction } from './hash.ts'
import { MAX_HELD, MAX_LOOKED_AT, MAX_LOOKED_AT_PER_RECORD, MAX_PARTS } from '../limits.ts'
import { resourcesOf } from '../records/decode.ts'
import type { LogRecord } from '../records/types.ts'
import type { Resources } from './recorder.ts'
import { RecordError } from '../records/record-error.ts'

const DOWN = 0xffffffff

interface Holding extends Resources {
  readonly seq: number
  readonly bandwidth: number
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
  readonly #holdings = new Map<string, Holding>()
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
        return this.allocate(record.seq, record.job, resourcesOf(record), record.bandwidth ?? 0)
      case 'reserve':
        return this.reserve(record.seq, resourcesOf(record))
      case 'release':
        return this.release(record.job)
      case 'down':
        return this.down(record.seq, resourcesOf(record))
      case 'up':
        return this.up(record.seq, resourcesOf(record))
    }
  }

  /** @throws RecordError where the machine has not all of it, or jobs hold more together than a reader shall remember */
  allocate(seq: number, job: string, parts: Resources, bandwidth: number): void {
    this.reserve(seq, parts)
    this.#held += size(parts) - size(this.#holdings.get(job))
    if (this.#held > MAX_HELD) throw new RecordError(`jobs hold more than ${MAX_HELD} nodes and links together`)
    this.#holdings.set(job, { seq, nodes: parts.nodes, links: parts.links, bandwidth })
    this.#own(0, parts.nodes, seq)
    for (let level = 0; level < parts.links.length; level++) {
      if (this.#capped) this.#use(level + 1, parts.links[level], bandwidth)
      else this.#own(level + 1, parts.links[level], seq)
    }
  }

  /** Owns nothing yet. @throws RecordError */
  reserve(seq: number, parts: Resources): void {
    this.#checkInside(parts)
    this.#seq = seq
    this.#lookAt(size(parts))
  }

  /** Frees what the latest allocate of `job` gave it; nothing where there is none. */
  release(job: string): void {
    const held = this.#holdings.get(job)
    if (held === undefined) return
    this.#holdings.delete(job)
    this.#held -= size(held)
    this.#free(0, held.nodes, held.seq)
    for (let level = 0; level < held.links.length; level++) {
      if (this.#capped) this.#use(level + 1, held.links[level], -held.bandwidth)
      else this.#free(level + 1, held.links[level], held.seq)
    }
  }

  /** @throws RecordError */
  down(seq: number, parts: Resources): void {
    this.reserve(seq, parts)
    const down = (this.#down ??= new Uint8Array(this.#cells.length))
    this.#mark(down, parts, 1)
  }

  /** @throws RecordError */
  up(seq: number, parts: Resources): void {
    this.reserve(seq, parts)
    if (this.#down !== undefined) this.#mark(this.#down, parts, 0)
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

  #lookAt(parts: number): void {
    this.#lookedAt += parts
    if (this.#lookedAt > MAX_LOOKED_AT + MAX_LOOKED_AT_PER_RECORD * this.#seq)
      throw new RecordError(
        `the first ${this.#seq} records name, and their seals digest, ${this.#lookedAt} nodes and links; a log of this length may have ${MAX_LOOKED_AT + MAX_LOOKED_AT_PER_RECORD * this.#seq}`,
      )
  }

  #own(region: number, ids: ArrayLike<number>, seq: number): void {
    const cells = this.#cells
    const first = this.#first[region]
    for (let i = 0; i < ids.length; i++) cells[first + ids[i]] = seq
  }

  #free(region: number, ids: ArrayLike<number>, seq: number): void {
    const cells = this.#cells
    const first = this.#first[region]
    for (let i = 0; i < ids.length; i++) if (cells[first + ids[i]] === seq) cells[first + ids[i]] = 0
  }

  #use(region: number, ids: ArrayLike<number>, bandwidth: number): void {
    const cells = this.#cells
    const first = this.#first[region]
    // Cells count modulo 2^32; a sum above 2^53 would be rounded before that.
    const added = bandwidth % 2 ** 32
    for (let i = 0; i < ids.length; i++) cells[first + ids[i]] += added
  }

  #mark(down: Uint8Array, parts: Resources, mark: 0 | 1): void {
    const regions = [parts.nodes, ...parts.links]
    for (let region = 0; region < regions.length; region++) {
      const first = this.#first[region]
      const ids = regions[region]
      for (let i = 0; i < ids.length; i++) down[first + ids[i]] = mark
    }
  }
}

function size(parts: Resources | undefined): number {
  return parts === undefined ? 0 : parts.links.reduce((sum, links) => sum + links.length, parts.nodes.length)
}

const MACHINE_IS_LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

function littleEndianBytes(cells: Uint32Array): Uint8Array {
  if (MACHINE_IS_LITTLE_ENDIAN) return new Uint8Array(cells.buffer)
  const view = new DataView(new ArrayBuffer(cells.byteLength))
  cells.forEach((cell, i) => view.setUint32(4 * i, cell, true))
  return new Uint8Array(view.buffer)
}
