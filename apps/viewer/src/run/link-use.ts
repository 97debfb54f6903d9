import { type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import { parseIdset, type Topology } from '@cloister/topology'
import type { Stays } from './area.ts'
import { Column } from './column.ts'

/** Shares are told in 1/10000. */
export const LINK_SHARE = 10_000

/** Links that are looked at together: those of the leaves of a pod, of a pod itself, or of a level above. */
export interface LinkGroup {
  readonly level: number
  /** Undefined of levels above those of pods. */
  readonly pod: number | undefined
  readonly links: number
}

/** Spans of equal length. */
interface TimesOfPoints {
  readonly from: number
  readonly to: number
  readonly points: number
}

type StayTimes = Pick<Stays, 'startOf' | 'endOf'>

/** What is held of it, without methods: it can be written and read again. */
export interface KeptLinkUse {
  readonly partsFrom: Int32Array<ArrayBuffer>
  readonly partGroups: Int32Array<ArrayBuffer>
  readonly partAmounts: Float64Array<ArrayBuffer>
}

/** How the links of a machine were used over time, group by group: owned, or loaded where jobs share them. */
export class LinkUse {
  readonly groups: ReadonlyArray<LinkGroup>
  /** By level and link. */
  readonly #groupOf: ReadonlyArray<Int32Array>
  /** What one link has at most: MB/s where links are shared, else 1; 0 where nothing is recorded of links. */
  readonly #capacity: number
  /** Of each stay of a job, where its groups begin; and the groups, and how much of each is used. */
  readonly #partsFrom: Column<Int32Array<ArrayBuffer>>
  readonly #partGroups: Column<Int32Array<ArrayBuffer>>
  readonly #partAmounts: Column<Float64Array<ArrayBuffer>>
  readonly #amounts: Float64Array

  /** @param kept what `kept` gave; none: nothing was used yet */
  constructor(header: Header, kept?: KeptLinkUse) {
    this.#partsFrom = new Column(Int32Array, kept?.partsFrom)
    this.#partGroups = new Column(Int32Array, kept?.partGroups)
    this.#partAmounts = new Column(Float64Array, kept?.partAmounts)
    const { claims, link_capacity: capacity } = header.policy
    this.#capacity = claims.links === 'owned' ? 1 : claims.links === 'capped' ? (capacity ?? 0) : 0
    const { groups, groupOf } = groupsOf(headerTopology(header))
    this.groups = this.#capacity === 0 ? [] : groups
    this.#groupOf = groupOf
    this.#amounts = new Float64Array(groups.length)
  }

  /** All of it, a part of which changes with the next record. */
  get kept(): KeptLinkUse {
    return {
      partsFrom: this.#partsFrom.view(),
      partGroups: this.#partGroups.view(),
      partAmounts: this.#partAmounts.view(),
    }
  }

  add(record: LogRecord): void {
    if (this.#capacity === 0 || record.type !== 'allocate') return
    this.#partsFrom.push(this.#partGroups.length)
    this.#hold(record.links ?? [], this.#capacity === 1 ? 1 : (record.bandwidth ?? 0))
  }

  #hold(links: ReadonlyArray<string>, amount: number): void {
    const touched: Array<number> = []
    for (const [level, idset] of links.entries())
      for (const link of idset === '' ? [] : parseIdset(idset)) {
        const group = this.#groupOf[level][link]
        if (this.#amounts[group] === 0) touched.push(group)
        this.#amounts[group] += amount
      }
    for (const group of touched) {
      this.#partGroups.push(group)
      this.#partAmounts.push(this.#amounts[group])
      this.#amounts[group] = 0
    }
  }

  /**
   * The share of each group that was used, as a mean over each of some spans of equal length, in 1/10000: group after group.
   *
   * @param stays when each of the allocations that were added began and ended
   * @param now until when jobs have their links that have not given them back
   */
  means(stays: StayTimes, { from, to, points }: TimesOfPoints, now: number): Int32Array {
    const width = (to - from) / points
    // Of each span: what is used in a part of it, and by how much more all of it is used than the one before.
    const [parts, changes] = [0, 1].map(() => new Float64Array(this.groups.length * (points + 1)))
    for (let stay = 0; stay < this.#partsFrom.length; stay++) {
      const end = Number.isNaN(stays.endOf(stay)) ? now : stays.endOf(stay)
      const [left, right] = [stays.startOf(stay), end].map((t) => Math.max(0, Math.min(points, (t - from) / width)))
      if (left >= right) continue
      const [first, last] = [Math.floor(left), Math.floor(right)]
      const partsTo = stay + 1 < this.#partsFrom.length ? this.#partsFrom.at(stay + 1) : this.#partGroups.length
      for (let part = this.#partsFrom.at(stay); part < partsTo; part++) {
        const row = this.#partGroups.at(part) * (points + 1)
        const amount = this.#partAmounts.at(part)
        // All spans from the first to before the last, without what lies before its start, and a part of the last.
        changes[row + first] += amount
        changes[row + last] -= amount
        parts[row + first] -= (left - first) * amount
        parts[row + last] += (right - last) * amount
      }
    }
    return this.#shares(parts, changes, points)
  }

  #shares(parts: Float64Array, changes: Float64Array, points: number): Int32Array {
    const shares = new Int32Array(this.groups.length * points)
    for (const [group, { links }] of this.groups.entries()) {
      let whole = 0
      for (let point = 0; point < points; point++) {
        const at = group * (points + 1) + point
        whole += changes[at]
        shares[group * points + point] = Math.round(((whole + parts[at]) / (links * this.#capacity)) * LINK_SHARE)
      }
    }
    return shares
  }
}

/** The links of leaves pod by pod, then those of L2 switches pod by pod, then level by level. */
function groupsOf(topology: Topology): {
  readonly groups: ReadonlyArray<LinkGroup>
  readonly groupOf: ReadonlyArray<Int32Array>
} {
  const { levels, pods, firstLeafOfPod, firstL2OfPod } = topology
  const groups: Array<LinkGroup> = []
  const groupOf = levels.map(({ links }) => new Int32Array(links))
  const add = (level: number, pod: number | undefined, from: number, to: number): void => {
    if (from === to) return
    groupOf[level].fill(groups.length, from, to)
    groups.push({ level, pod, links: to - from })
  }
  for (const [level, { firstPort, links }] of levels.entries()) {
    const firstOfPod = [firstLeafOfPod, firstL2OfPod][level]
    if (firstOfPod === undefined) add(level, undefined, 0, links)
    else
      for (let pod = 0; pod < pods; pod++) add(level, pod, firstPort[firstOfPod[pod]], firstPort[firstOfPod[pod + 1]])
  }
  return { groups, groupOf }
}
