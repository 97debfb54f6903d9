import { partsOf } from '@cloister/eventlog'
import { formatIdset } from '@cloister/topology'

interface Named {
  readonly nodes: string
  readonly links?: ReadonlyArray<string>
}

/** What two records both name. */
export interface PartsInCommon {
  /** Idset, empty for none. */
  readonly nodes: string
  /** How many, of all levels. */
  readonly links: number
}

/** What the parts of one record have in common with those of others. */
export class PartsComparison {
  readonly #nodes: ReadonlySet<number>
  readonly #links: ReadonlyArray<ReadonlySet<number>>

  constructor(record: Named) {
    const { nodes, links } = partsOf(record)
    this.#nodes = new Set(nodes)
    this.#links = links.map((ids) => new Set(ids))
  }

  with(record: Named): PartsInCommon {
    const { nodes, links } = partsOf(record)
    return {
      nodes: formatIdset(nodes.filter((node) => this.#nodes.has(node))),
      links: links.reduce(
        (sum, ids, level) => sum + ids.filter((link) => this.#links[level]?.has(link) ?? false).length,
        0,
      ),
    }
  }
}
