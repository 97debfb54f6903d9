import { base64url, type Topology } from '@cloister/topology'
import type { HashFunction } from './hash.ts'
import { MAX_HELD, MAX_PARTS } from '../limits.ts'
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
 * told: the last allocate wins a cell, a release frees the cells that are still its own, ids outside the machine have no
 * cell. So writer and reader agree on any sequence of records, wrong ones included.
 */
export class OwnerArrays {
  readonly #cells: Uint32Array
  /** First cell of the nodes (0), of the links of level 0, of level 1, …; one more than the last cell at the end. */
  readonly #first: ReadonlyArray<number>
  readonly #capped: boolean
  readonly #down = new Set<number>()
  readonly #holdings = new Map<string, Holding>()
  /** Nodes and links of all holdings. */
  #held = 0

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

  /** What a record says of owners. @throws RecordError where one of its idsets is none, or jobs hold too much together */
  follow(record: LogRecord): void {
    switch (record.type) {
      case 'allocate':
        return this.allocate(record.seq, record.job, resourcesOf(record), record.bandwidth ?? 0)
      case 'release':
        return this.release(record.job)
      case 'down':
        return this.down(resourcesOf(record))
      case 'up':
        return this.up(resourcesOf(record))
    }
  }

  /** @throws RecordError where jobs hold more together than a reader shall remember */
  allocate(seq: number, job: string, parts: Resources, bandwidth: number): void {
    this.#held += size(parts) - size(this.#holdings.get(job))
    if (this.#held > MAX_HELD) throw new RecordError(`jobs hold more than ${MAX_HELD} nodes and links together`)
    this.#holdings.set(job, { seq, nodes: parts.nodes, links: parts.links, bandwidth })
    this.#own(0, parts.nodes, seq)
    for (let level = 0; level < parts.links.length; level++) {
      if (this.#capped) this.#use(level + 1, parts.links[level], bandwidth)
      else this.#own(level + 1, parts.links[level], seq)
    }
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

  down(parts: Resources): void {
    this.#cellsOf(parts, (cell) => this.#down.add(cell))
  }

  up(parts: Resources): void {
    this.#cellsOf(parts, (cell) => this.#down.delete(cell))
  }

  digest(hash: HashFunction): string {
    const cells = this.#cells
    const owners = Uint32Array.from(this.#down, (cell) => cells[cell])
    for (const cell of this.#down) cells[cell] = DOWN
    const computation = hash()
    computation.update(littleEndianBytes(cells))
    let i = 0
    for (const cell of this.#down) cells[cell] = owners[i++]
    return base64url(computation.digest())
  }

  #own(region: number, ids: ArrayLike<number>, seq: number): void {
    const cells = this.#cells
    const first = this.#first[region]
    const count = this.#first[region + 1] - first
    for (let i = 0; i < ids.length; i++) {
      if (ids[i] < count) cells[first + ids[i]] = seq
    }
  }

  #free(region: number, ids: ArrayLike<number>, seq: number): void {
    const cells = this.#cells
    const first = this.#first[region]
    const count = this.#first[region + 1] - first
    for (let i = 0; i < ids.length; i++) {
      if (ids[i] < count && cells[first + ids[i]] === seq) cells[first + ids[i]] = 0
    }
  }

  #use(region: number, ids: ArrayLike<number>, bandwidth: number): void {
    const cells = this.#cells
    const first = this.#first[region]
    const count = this.#first[region + 1] - first
    for (let i = 0; i < ids.length; i++) {
      if (ids[i] < count) cells[first + ids[i]] += bandwidth
    }
  }

  #cellsOf(parts: Resources, visit: (cell: number) => void): void {
    const regions = [parts.nodes, ...parts.links]
    for (let region = 0; region < regions.length; region++) {
      const first = this.#first[region]
      const count = this.#first[region + 1] - first
      for (let i = 0; i < regions[region].length; i++) {
        if (regions[region][i] < count) visit(first + regions[region][i])
      }
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
