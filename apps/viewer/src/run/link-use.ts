import { type Allocations, type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import { parseIdset, type Topology } from '@cloister/topology'
import { Column } from './column.ts'
import type { LinkGroup, PointsQuestion } from './questions.ts'

/** Value of the used share 100 %, because used shares of groups of links are in units of 1/10000. */
export const LINK_SHARE = 10_000

/** Content of a `LinkUse` as plain data, to be stored and loaded. */
export interface StoredLinkUse {
  readonly partsFrom: Int32Array<ArrayBuffer>
  readonly partGroups: Int32Array<ArrayBuffer>
  readonly partAmounts: Float64Array<ArrayBuffer>
}

/** Used share of each group of links over time: of links if jobs own links, of bandwidth if jobs share links. */
export class LinkUse {
  readonly groups: ReadonlyArray<LinkGroup>
  /** Index in `groups` of each link's group, by level and link. */
  readonly #groupOf: ReadonlyArray<Int32Array>
  /** Capacity of a link: in MB/s if jobs share links, 1 if jobs own links, 0 if the policy allocates no links. */
  readonly #capacity: number
  /**
   * Position in `#partGroups` and `#partAmounts` of each allocation's first group of links. `#partAmounts` has the
   * number of the links that the allocation owns in the group, or its bandwidth summed over these links, in MB/s.
   */
  readonly #partsFrom: Column<Int32Array<ArrayBuffer>>
  readonly #partGroups: Column<Int32Array<ArrayBuffer>>
  readonly #partAmounts: Column<Float64Array<ArrayBuffer>>
  readonly #amounts: Float64Array

  constructor(header: Header, stored?: StoredLinkUse) {
    this.#partsFrom = new Column(Int32Array, stored?.partsFrom)
    this.#partGroups = new Column(Int32Array, stored?.partGroups)
    this.#partAmounts = new Column(Float64Array, stored?.partAmounts)
    const { claims, link_capacity: capacity } = header.policy
    this.#capacity = claims.links === 'owned' ? 1 : claims.links === 'capped' ? (capacity ?? 0) : 0
    const { groups, groupOf } = groupsOf(headerTopology(header))
    this.groups = this.#capacity === 0 ? [] : groups
    this.#groupOf = groupOf
    this.#amounts = new Float64Array(groups.length)
  }

  /** Content as plain data, without copies of the arrays. */
  get stored(): StoredLinkUse {
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
   * Returns the mean used share of each group of links in `points` columns of equal time, group after group, in
   * 1/10000.
   *
   * @param allocations times of the added allocations
   * @param now time in seconds that counts as the end of the allocations of running jobs
   */
  means(
    { of: { start, released } }: Pick<Allocations, 'of'>,
    { from, to, points }: PointsQuestion,
    now: number,
  ): Int32Array {
    const width = (to - from) / points
    const amounts = new AmountsOverTime(this.groups.length, points)
    for (let stay = 0; stay < this.#partsFrom.length; stay++) {
      const end = Number.isNaN(released[stay]) ? now : released[stay] / 1000
      const [left, right] = [start[stay] / 1000, end].map((t) => Math.max(0, Math.min(points, (t - from) / width)))
      if (left >= right) continue
      const partsTo = stay + 1 < this.#partsFrom.length ? this.#partsFrom.at(stay + 1) : this.#partGroups.length
      for (let part = this.#partsFrom.at(stay); part < partsTo; part++)
        amounts.add(this.#partGroups.at(part), left, right, this.#partAmounts.at(part))
    }
    const shares = new Int32Array(this.groups.length * points)
    for (const [group, { links }] of this.groups.entries())
      amounts.means(group, (point, mean) => {
        shares[group * points + point] = Math.round((mean / (links * this.#capacity)) * LINK_SHARE)
      })
    return shares
  }
}

/** Amounts of rows over time, in columns of equal length. An amount counts in a column for its part of the column. */
export class AmountsOverTime {
  readonly #columns: number
  /** Change of a row's amount from one column to the next. */
  readonly #changes: Float64Array
  /** Correction of a column for amounts that begin or end within the column. */
  readonly #parts: Float64Array

  constructor(rows: number, columns: number) {
    this.#columns = columns
    this.#changes = new Float64Array(rows * (columns + 1))
    this.#parts = new Float64Array(rows * (columns + 1))
  }

  /** Adds an amount to a row between two places, from 0 to the number of columns. */
  add(row: number, left: number, right: number, amount: number): void {
    const at = row * (this.#columns + 1)
    const first = Math.floor(left)
    const last = Math.floor(right)
    this.#changes[at + first] += amount
    this.#changes[at + last] -= amount
    this.#parts[at + first] -= (left - first) * amount
    this.#parts[at + last] += (right - last) * amount
  }

  /** Passes the mean amount of each column of a row to `give`. */
  means(row: number, give: (column: number, mean: number) => void): void {
    let whole = 0
    for (let column = 0; column < this.#columns; column++) {
      const at = row * (this.#columns + 1) + column
      whole += this.#changes[at]
      give(column, whole + this.#parts[at])
    }
  }
}

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
