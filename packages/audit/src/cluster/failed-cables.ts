import type { Down } from '@cloister/eventlog'
import { IdsetError, parseIdset } from '@cloister/topology'
import { TOO_MUCH } from '../effort.ts'
import type { ClusterModel } from './cluster-model.ts'

/** Failed cables of a machine with rails, each with its rail. A resource number stands for a link. */
export class FailedCables {
  readonly #model: ClusterModel
  readonly #rails: number
  /** Rails in which the cable of a link is down, by the resource number of the link. */
  readonly #down = new Map<number, Set<number>>()

  constructor(model: ClusterModel) {
    this.#model = model
    this.#rails = model.topology.rails?.count ?? 1
  }

  /**
   * Applies a down or up record. Returns a message if a cable changes twice, or if other links go down or come up than
   * the record says.
   */
  breachOf(record: Down): string | undefined {
    const { nodes, resources, malformed, unknown } = this.#model.named!
    if (this.#rails === 1)
      return record.rails === undefined && record.cables === undefined
        ? undefined
        : 'the record has the fields rails and cables, but the machine has a single rail'
    if (malformed !== undefined || unknown !== undefined) return undefined
    const said = new Set(resources.subarray(nodes.length))
    const changed = record.cables === undefined ? said : this.#linksOf(record.cables)
    const rails = record.rails === undefined ? this.#allRails() : idsOf(record.rails)
    if (changed === undefined)
      return 'the field cables is not canonical, or names a link that the machine does not have'
    if (rails === undefined || rails.some((rail) => rail >= this.#rails))
      return `the field rails is ${JSON.stringify(record.rails)}; the machine has rails 0 to ${this.#rails - 1}`
    if ((record.rails === undefined) !== (record.cables === undefined))
      return 'the fields rails and cables belong together'
    if (!this.#model.effort.allows(changed.size * rails.length)) return TOO_MUCH
    const isDown = record.type === 'down'
    for (const link of changed) {
      const down = this.#down.get(link) ?? new Set()
      this.#down.set(link, down)
      const before = down.size
      for (const rail of rails) {
        if (down.has(rail) === isDown)
          return `the cable of ${this.#model.nameOf(link)} in rail ${rail} ${isDown ? 'goes down, but is down already' : 'comes up, but is not down'}`
        if (isDown) down.add(rail)
        else down.delete(rail)
      }
      const isWhole = isDown ? before === 0 : down.size === 0
      if (isWhole === said.has(link)) continue
      const cause = isDown ? 'its first cable fails' : 'its last failed cable comes back'
      return isWhole
        ? `${this.#model.nameOf(link)} does not ${isDown ? 'go down' : 'come up'}, but ${cause} (rails ${rails.join()})`
        : `${this.#model.nameOf(link)} ${isDown ? 'goes down' : 'comes up'}, but a cable of another rail ${isDown ? 'failed before' : 'is still down'}`
    }
    const other = [...said].find((link) => !changed.has(link))
    return other === undefined ? undefined : `${this.#model.nameOf(other)} changes, but none of its cables does`
  }

  #allRails(): ReadonlyArray<number> {
    return Array.from({ length: this.#rails }, (_, rail) => rail)
  }

  /** Returns the resource numbers of links; undefined if an idset is not canonical or names an unknown link. */
  #linksOf(levels: ReadonlyArray<string>): ReadonlySet<number> | undefined {
    const { firstResource } = this.#model
    const links = new Set<number>()
    for (const [level, text] of levels.entries()) {
      const first = firstResource[level + 1]
      for (const link of idsOf(text) ?? [Infinity]) {
        if (!(first + link < firstResource[level + 2])) return undefined
        links.add(first + link)
      }
    }
    return links
  }
}

function idsOf(idset: string): ReadonlyArray<number> | undefined {
  try {
    return Array.from(parseIdset(idset))
  } catch (error) {
    if (error instanceof IdsetError) return undefined
    throw error
  }
}
