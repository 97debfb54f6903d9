import { base64url, IdBuffer, type Topology } from '@cloister/topology'
import { MAX_HELD, MAX_MENTIONS, MAX_MENTIONS_PER_RECORD, MAX_PARTS, RecordError } from '../limits.ts'
import { resourcesOf } from '../records/lines.ts'
import type { Header, LogRecord } from '../records/types.ts'
import { JobSlots } from './ids.ts'
import type { RecordedEvent, Resources } from './recorder.ts'
import type { LogState } from './fold.ts'
import type { HashFunction } from './hash-function.ts'
import { littleEndianBytes, MachineCells, type Summands } from './machine-cells.ts'
import { TableDigest } from './table-digest.ts'

/** Allocation of a job: `cells` has `count` cells in use, first the cells of `nodes` nodes, then the cells of links. */
interface Holding extends Summands {
  seq: number
  bandwidth: number
  cells: Int32Array
  count: number
  nodes: number
}

/** Nodes and links of a record, as idsets, or of an event, as lists of ids. */
interface Named {
  readonly nodes: string | ArrayLike<number>
  readonly links?: ReadonlyArray<string | ArrayLike<number>> | undefined
}

/**
 * Owner of every node and every link, and the digest of the owners in a seal (SPEC.md, "Seals"). Each node and each
 * link is a cell. `OwnerArrays` checks no rules: the last allocate takes a cell from earlier allocates, and a release
 * frees the cells that the job still owns. So writer and reader agree on any sequence of records, even on a wrong sequence.
 * `OwnerArrays` refuses only ids that the machine lacks, and records beyond the limits of `limits.ts`.
 */
export class OwnerArrays {
  readonly #cells: MachineCells
  /** First cell of the nodes (0), first cell of the links of each level, and at last the number of cells. */
  readonly #first: ReadonlyArray<number>
  readonly #capped: boolean
  readonly #slots = new JobSlots()
  readonly #holdings: Array<Holding> = []
  /** Arrays of ended allocations for reuse, by the base-two logarithm of their lengths; saves garbage at each start. */
  readonly #spare: Array<Array<Int32Array>> = []
  readonly #named = new IdBuffer()
  #namedNodes = 0
  #held = 0
  /** Number of nodes and links that the records so far named, counted at each mention. */
  #mentions = 0
  #seq = 0
  readonly #hash: HashFunction
  /** Undefined if the log has no router. */
  readonly #tables: TableDigest | undefined

  /**
   * If the policy claims `capped` links, the cells of links hold the MB/s in use. If the header has a router, the digest
   * covers the forwarding tables.
   *
   * @throws RecordError if the machine has more than `MAX_PARTS` nodes and links
   */
  constructor(topology: Topology, { policy, router }: Pick<Header, 'policy' | 'router'>, hash: HashFunction) {
    const first = [0, topology.nodes]
    for (const level of topology.levels) first.push(first[first.length - 1] + level.links)
    const parts = first[first.length - 1]
    if (parts > MAX_PARTS)
      throw new RecordError(`the machine has ${parts} nodes and links; a log can hold at most ${MAX_PARTS}`)
    this.#first = first
    this.#cells = new MachineCells(parts)
    this.#capped = policy.claims.links === 'capped'
    this.#hash = hash
    this.#tables = router === undefined ? undefined : new TableDigest(hash)
  }

  /**
   * Applies a record, or the event of a record.
   *
   * @throws RecordError for an idset that is not canonical, an unknown id, or a broken limit
   */
  follow(seq: number, record: LogRecord | RecordedEvent): void {
    switch (record.type) {
      case 'allocate':
        this.#name(record)
        return this.#allocate(seq, record.job, record.bandwidth ?? 0)
      case 'reserve':
        return this.#reserve(seq, record)
      case 'release':
        return this.#release(record.job)
      case 'route':
        return this.#tables?.follow(seq, record)
      case 'down':
      case 'up':
        this.#name(record)
        this.#mark(seq, record.type === 'down')
        return this.#checkCables(record.cables)
    }
  }

  /** Returns the state digest of a seal after the records so far. */
  digest(): string {
    const computation = this.#hash()
    computation.update(littleEndianBytes(this.#cells.sums))
    if (this.#tables !== undefined) computation.update(littleEndianBytes(this.#tables.words))
    return base64url(computation.digest())
  }

  #allocate(seq: number, job: string, bandwidth: number): void {
    this.#countNamed(seq)
    const { count } = this.#named
    const former = this.#slots.get(job)
    this.#held += count - (former === undefined ? 0 : this.#holdings[former].count)
    if (this.#held > MAX_HELD) throw new RecordError(`jobs hold more than ${MAX_HELD} nodes and links together`)
    const cells = this.#copyOfNamed()
    const nodes = this.#namedNodes
    const held = this.#hold(former ?? this.#slots.take(job), seq, bandwidth, cells, nodes)
    const owned = this.#capped ? nodes : count
    this.#cells.own(cells, owned, seq, held)
    this.#cells.raise(cells, owned, count, counted(bandwidth))
  }

  /** Frees the cells that the latest allocate of `job` still owns; no cells if the job holds no allocation. */
  #release(job: string): void {
    const slot = this.#slots.giveBack(job)
    if (slot === undefined) return
    const held = this.#holdings[slot]
    this.#held -= held.count
    const { cells, seq, count } = held
    const owned = this.#capped ? held.nodes : count
    this.#cells.disown(cells, owned, seq, held)
    this.#cells.raise(cells, owned, count, -counted(held.bandwidth))
    this.#keep(cells)
    held.cells = NO_CELLS
  }

  #hold(slot: number, seq: number, bandwidth: number, cells: Int32Array, nodes: number): Holding {
    const { count } = this.#named
    const held = (this.#holdings[slot] ??= { seq, bandwidth, cells, count, nodes, first: 0, second: 0 })
    held.seq = seq
    held.bandwidth = bandwidth
    held.cells = cells
    held.count = count
    held.nodes = nodes
    return held
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
    this.#countNamed(seq)
    this.#cells.mark(this.#named.ids, this.#named.count, isDown)
  }

  /** The cables of single rails own no cell, so they are only checked and counted. */
  #checkCables(cables: ReadonlyArray<string | ArrayLike<number>> | undefined): void {
    if (cables === undefined) return
    const areTexts = typeof cables[0] === 'string'
    const links = areTexts
      ? resourcesOf({ nodes: '', links: cables as ReadonlyArray<string> }).links
      : (cables as Resources['links'])
    this.#checkInside([], links)
    this.#count(links.reduce((sum, { length }) => sum + length, 0))
  }

  /** A reservation owns no cell, so lists of ids are only checked and counted. */
  #reserve(seq: number, record: Named): void {
    const { nodes, links = NO_LINKS } = record
    if (typeof nodes === 'string') {
      this.#name(record)
      return this.#countNamed(seq)
    }
    this.#checkInside(nodes, links as Resources['links'])
    let count = nodes.length
    for (let level = 0; level < links.length; level++) count += links[level].length
    this.#seq = seq
    this.#count(count)
  }

  /** Puts the cells of a record's nodes and links into `#named`. */
  #name({ nodes, links = NO_LINKS }: Named): void {
    if (typeof nodes !== 'string') this.#nameIds(nodes, links as Resources['links'])
    // `#nameIdsets` only finds that an idset is wrong. `resourcesOf` and `#nameIds` describe the fault.
    else if (!this.#nameIdsets(nodes, links as ReadonlyArray<string>)) {
      const found = resourcesOf({ nodes, links: links as ReadonlyArray<string> })
      this.#nameIds(found.nodes, found.links)
    }
  }

  #nameIds(nodes: ArrayLike<number>, links: Resources['links']): void {
    this.#checkInside(nodes, links)
    this.#named.clear()
    this.#named.add(nodes)
    this.#namedNodes = this.#named.count
    for (let level = 0; level < links.length; level++) this.#named.add(links[level], this.#first[level + 1])
  }

  /** Returns false if an idset is not canonical, or the machine lacks an id or a level. */
  #nameIdsets(nodes: string, links: ReadonlyArray<string>): boolean {
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

  /** Checks only the last id of each list, because ids ascend. */
  #checkInside(nodes: ArrayLike<number>, links: Resources['links']): void {
    const first = this.#first
    if (nodes.length > 0 && nodes[nodes.length - 1] >= first[1])
      throw new RecordError(`node ${nodes[nodes.length - 1]} is not in the machine: the machine has ${first[1]} nodes`)
    for (let level = 0; level < links.length; level++) {
      const ids = links[level]
      const count = level + 2 < first.length ? first[level + 2] - first[level + 1] : 0
      if (ids.length > 0 && ids[ids.length - 1] >= count)
        throw new RecordError(
          `link ${ids[ids.length - 1]} of level ${level} is not in the machine: the level has ${count} links`,
        )
    }
  }

  #countNamed(seq: number): void {
    this.#seq = seq
    this.#count(this.#named.count)
  }

  #count(mentions: number): void {
    this.#mentions += mentions
    const most = MAX_MENTIONS + MAX_MENTIONS_PER_RECORD * this.#seq
    if (this.#mentions > most)
      throw new RecordError(
        `the first ${this.#seq} records name ${this.#mentions} nodes and links; a log of this length may name ${most}`,
      )
  }
}

/** Most spare arrays of each length. `SPARE_SIZE`: base-two logarithm of the longest spare array's length. */
const SPARE = 1024
const SPARE_SIZE = 12

const NO_LINKS: ReadonlyArray<never> = []
const NO_CELLS = new Int32Array(0)

/** Returns a bandwidth modulo 2^32: cells hold sums of MB/s modulo 2^32, and sums above 2^53 would be rounded. */
function counted(bandwidth: number): number {
  return bandwidth % 2 ** 32
}

function logarithm(count: number): number {
  return count <= 1 ? 0 : 32 - Math.clz32(count - 1)
}

/** Returns the state digest of a state, equal to the `state` of a seal after this state (SPEC.md, "Seals"). */
export function stateDigest(state: LogState, hash: HashFunction): string {
  const { header, topology, seq, running, routes, downNodes, downLinks } = state
  const owners = new OwnerArrays(topology, header, hash)
  for (const { allocate } of running.values()) owners.follow(allocate.seq, allocate)
  for (const route of routes.values()) owners.follow(route.seq, route)
  const down = { nodes: downNodes.ids(), links: downLinks.map((links) => links.ids()) }
  owners.follow(seq, { type: 'down', t: 0, ...down })
  return owners.digest()
}
