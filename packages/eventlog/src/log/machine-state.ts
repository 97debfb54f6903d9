import { railCount, type Topology } from '@cloister/topology'
import { milliseconds } from '../records/kinds.ts'
import { railCablesOf, type RecordedResources, resourcesOf } from '../records/lines.ts'
import type { Allocate, Down, Finish, Kill, LogRecord, Progress, Submit, Withdraw } from '../records/types.ts'
import { IdSet } from './ids.ts'

/** Error for a record that cannot follow the earlier records, such as an allocate of a node that is held. */
export class FoldError extends Error {
  readonly _tag: 'FoldError' = 'FoldError'
  override readonly name: string = 'FoldError'
  /** Seq of the record that cannot follow. */
  readonly seq: number

  constructor(record: LogRecord, problem: string) {
    super(`record ${record.seq} (${record.type}): ${problem}`)
    this.seq = record.seq
  }
}

/** Job that holds an allocation, from the allocate to the release. */
export interface RunningJob extends RecordedResources {
  readonly submit: Submit
  readonly allocate: Allocate
  /** Record that ended the job or withdrew its start; undefined while the job runs. A release ends the allocation. */
  ended: Finish | Kill | Withdraw | undefined
  /** Last progress record of the job; undefined if the job's rate has not changed since the start. */
  progress: Progress | undefined
}

/**
 * Returns the expected end of a running job, in seconds: its start plus the estimate of the allocate record, or of the
 * submit record if the allocate record has none. Returns undefined if neither record has an estimate.
 */
export function expectedEnd({ submit, allocate }: Pick<RunningJob, 'submit' | 'allocate'>): number | undefined {
  const estimate = allocate.estimate ?? submit.estimate
  // Integer milliseconds add up exactly; a sum of seconds would show rounding errors.
  return estimate === undefined ? undefined : (milliseconds(allocate.t) + milliseconds(estimate)) / 1000
}

/** Owners and failures of the nodes and links of a machine. */
export class MachineState {
  readonly freeNodes: IdSet
  readonly downNodes: IdSet
  readonly downLinks: ReadonlyArray<IdSet>
  /** Rails with a failed cable of each link that is down only in some rails, by level and link. */
  readonly downRails: ReadonlyArray<Map<number, ReadonlyArray<number>>>
  readonly #topology: Topology
  /** Job that holds each node, or each link of a level, in arrays: a hostile log may name millions of ids. */
  readonly #nodeOwners: Array<RunningJob | undefined>
  readonly #linkOwners: ReadonlyArray<Array<RunningJob | undefined>>
  /** MB/s in use on each link of a level, if the policy claims `capped` links. */
  readonly #bandwidth: ReadonlyArray<Map<number, number>>
  readonly #capped: boolean

  constructor(topology: Topology, capped: boolean) {
    this.#topology = topology
    this.#capped = capped
    this.freeNodes = IdSet.all(topology.nodes)
    this.downNodes = new IdSet(topology.nodes)
    this.downLinks = topology.levels.map(({ links }) => new IdSet(links))
    this.downRails = topology.levels.map(() => new Map())
    this.#nodeOwners = ownersOf(topology.nodes)
    this.#linkOwners = topology.levels.map(({ links }) => ownersOf(links))
    this.#bandwidth = topology.levels.map(() => new Map())
  }

  nodeOwner(node: number): RunningJob | undefined {
    return this.#nodeOwners[node]
  }

  linkOwner(level: number, link: number): RunningJob | undefined {
    return this.#linkOwners[level]?.[link]
  }

  bandwidthInUse(level: number, link: number): number {
    return this.#bandwidth[level].get(link) ?? 0
  }

  hold(job: RunningJob): void {
    for (const node of job.nodes) {
      this.freeNodes.delete(node)
      this.#nodeOwners[node] = job
    }
    this.#ownLinks(job, job, job.allocate.bandwidth ?? 0)
  }

  release(job: RunningJob): void {
    for (const node of job.nodes) {
      this.#nodeOwners[node] = undefined
      if (!this.downNodes.has(node)) this.freeNodes.add(node)
    }
    this.#ownLinks(job, undefined, -(job.allocate.bandwidth ?? 0))
  }

  #ownLinks(parts: RecordedResources, owner: RunningJob | undefined, bandwidth: number): void {
    eachLink(parts, (level, link) => {
      if (this.#capped) this.#bandwidth[level].set(link, this.bandwidthInUse(level, link) + bandwidth)
      else this.#linkOwners[level][link] = owner
    })
  }

  /** Applies a down or up record. Failed nodes and links of a job stay in the job's allocation until its release. */
  change(record: Down): void {
    const parts = resourcesOf(record)
    const isDown = record.type === 'down'
    const problem = isDown ? 'is down already' : 'is not down'
    this.checkInside(record, parts)
    this.#checkCables(record)
    for (const node of parts.nodes)
      if (this.downNodes.has(node) === isDown) throw new FoldError(record, `node ${node} ${problem}`)
    eachLink(parts, (level, link) => {
      if (this.downLinks[level].has(link) === isDown)
        throw new FoldError(record, `link ${link} of level ${level} ${problem}`)
    })
    if (isDown) this.fail(parts)
    else {
      for (const node of parts.nodes) {
        this.downNodes.delete(node)
        if (this.#nodeOwners[node] === undefined) this.freeNodes.add(node)
      }
      eachLink(parts, (level, link) => this.downLinks[level].delete(link))
    }
    this.#changeRails(record, parts)
  }

  /** Keeps the rails of failed cables, after the change of the links. */
  #changeRails(record: Down, parts: RecordedResources): void {
    const isDown = record.type === 'down'
    const ofRails = railCablesOf(record)
    if (ofRails !== undefined) {
      const rails = [...Array(railCount(this.#topology)).keys()]
      if (isDown) eachLink(parts, (level, link) => this.downRails[level].set(link, []))
      eachLink({ nodes: ofRails.rails, links: ofRails.cables }, (level, link) => {
        const before = this.downRails[level].get(link) ?? rails
        const down = rails.filter((rail) => (ofRails.rails.includes(rail) ? isDown : before.includes(rail)))
        if (down.length === rails.length) this.downRails[level].delete(link)
        else this.downRails[level].set(link, down)
      })
    }
    if (!isDown) eachLink(parts, (level, link) => this.downRails[level].delete(link))
  }

  /** @throws FoldError for cables or rails that the machine lacks */
  #checkCables(record: Down): void {
    if (record.rails === undefined && record.cables === undefined) return
    const ofRails = railCablesOf(record)
    if (ofRails === undefined) throw new FoldError(record, '"rails" and "cables" belong together')
    const rails = railCount(this.#topology)
    const last = ofRails.rails.at(-1)
    if (rails === 1) throw new FoldError(record, '"rails" is present, but the machine has a single rail')
    if (last === undefined || last >= rails)
      throw new FoldError(record, `"rails" is "${record.rails}"; the machine has rails 0 to ${rails - 1}`)
    this.checkInside(record, { nodes: new Int32Array(), links: ofRails.cables })
  }

  fail({ nodes, links }: { readonly nodes: Iterable<number>; readonly links: ReadonlyArray<Iterable<number>> }): void {
    for (const node of nodes) {
      this.downNodes.add(node)
      this.freeNodes.delete(node)
    }
    links.forEach((ids, level) => {
      for (const link of ids) this.downLinks[level].add(link)
    })
  }

  /** @throws FoldError if the machine lacks a node or a link */
  checkInside(record: LogRecord, parts: RecordedResources): void {
    const { nodes, levels } = this.#topology
    for (const node of parts.nodes)
      if (node >= nodes)
        throw new FoldError(record, `node ${node} is not in the machine: the machine has ${nodes} nodes`)
    eachLink(parts, (level, link) => {
      const links = levels[level]?.links ?? 0
      if (link >= links)
        throw new FoldError(
          record,
          `link ${link} of level ${level} is not in the machine: the level has ${links} links`,
        )
    })
  }

  /** @throws FoldError if the machine lacks a node or a link, or one of them is down or held */
  checkFree(record: LogRecord, parts: RecordedResources): void {
    this.checkInside(record, parts)
    const anyDown = this.downNodes.size > 0
    for (const node of parts.nodes) {
      if (anyDown && this.downNodes.has(node)) throw new FoldError(record, `node ${node} is down`)
      const owner = this.#nodeOwners[node]
      if (owner !== undefined)
        throw new FoldError(record, `node ${node} is held by job ${owner.allocate.job}, record ${owner.allocate.seq}`)
    }
    eachLink(parts, (level, link) => {
      if (this.downLinks[level].has(link)) throw new FoldError(record, `link ${link} of level ${level} is down`)
      const owner = this.#linkOwners[level][link]
      if (owner !== undefined) {
        throw new FoldError(
          record,
          `link ${link} of level ${level} is held by job ${owner.allocate.job}, record ${owner.allocate.seq}`,
        )
      }
    })
  }
}

/** Makes an array without owners for millions of nodes or links: `new Array` is ten times as fast as `Array.from`. */
function ownersOf(length: number): Array<RunningJob | undefined> {
  return new Array<RunningJob | undefined>(length).fill(undefined)
}

function eachLink({ links }: RecordedResources, visit: (level: number, link: number) => void): void {
  for (let level = 0; level < links.length; level++) {
    for (const link of links[level]) visit(level, link)
  }
}
