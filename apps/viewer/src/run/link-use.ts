import { type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import { parseIdset, type Topology } from '@cloister/topology'
import type { Stays } from './area.ts'
import { Column } from './column.ts'

/** Unit of shares: 1/10000. */
export const LINK_SHARE = 10_000

/**
 * Links with a common share: links of the leaves of a pod, links of a pod's L2 switches, or links of a higher level.
 */
export interface LinkGroup {
  readonly level: number
  /** Undefined for levels above the pods. */
  readonly pod: number | undefined
  readonly links: number
}

/** A time divided into spans of equal length. */
interface TimesOfPoints {
  readonly from: number
  readonly to: number
  readonly points: number
}

type StayTimes = Pick<Stays, 'startOf' | 'endOf'>

/** Content as plain data, to be stored and loaded. */
export interface KeptLinkUse {
  readonly partsFrom: Int32Array<ArrayBuffer>
  readonly partGroups: Int32Array<ArrayBuffer>
  readonly partAmounts: Float64Array<ArrayBuffer>
}

/** Use of a machine's links over time by group: owned share, or load of shared links. */
export class LinkUse {
  readonly groups: ReadonlyArray<LinkGroup>
  /** Group of each link, by level and link. */
  readonly #groupOf: ReadonlyArray<Int32Array>
  /** Capacity of one link: MB/s if links are shared, else 1; 0 if the log does not record links. */
  readonly #capacity: number
  /** Index of the first part of each stay. A part is a group and the used amount of its links. */
  readonly #partsFrom: Column<Int32Array<ArrayBuffer>>
  readonly #partGroups: Column<Int32Array<ArrayBuffer>>
  readonly #partAmounts: Column<Float64Array<ArrayBuffer>>
  readonly #amounts: Float64Array

  /** Makes an empty or stored use. @param kept stored content; undefined if no link was used yet */
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

  /** The whole content. The next record changes parts of it. */
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
   * Returns the used share of each group in 1/10000, as means over spans of equal length, group after group.
   *
   * @param stays begin and end of each added allocation
   * @param now end of the stays that still last
   */
  means(stays: StayTimes, { from, to, points }: TimesOfPoints, now: number): Int32Array {
    const width = (to - from) / points
    // For each span: `changes` has the change in use since the span before; `parts` corrects for stays with an edge
    // in the span.
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
        // Counts all spans from the first to before the last, corrects the first by its unused beginning, and adds a
        // part of the last.
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

/** Returns the groups: links of leaves pod by pod, links of L2 switches pod by pod, then level by level. */
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
