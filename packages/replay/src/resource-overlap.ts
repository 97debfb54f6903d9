import { resourcesOf } from '@cloister/eventlog'
import { formatIdset } from '@cloister/topology'

/** A record that names nodes and links, as idsets. */
interface Named {
  readonly nodes: string
  readonly links?: ReadonlyArray<string>
}

/** Nodes and links that two records both name. */
export interface SharedResources {
  /** Idset, empty for none. */
  readonly nodes: string
  /** How many, of all levels. */
  readonly links: number
}

/** Finds the nodes and links that other records share with one record. */
export class ResourceOverlap {
  readonly #nodes: ReadonlySet<number>
  readonly #links: ReadonlyArray<ReadonlySet<number>>

  constructor(record: Named) {
    const { nodes, links } = resourcesOf(record)
    this.#nodes = new Set(nodes)
    this.#links = links.map((ids) => new Set(ids))
  }

  with(record: Named): SharedResources {
    const { nodes, links } = resourcesOf(record)
    return {
      nodes: formatIdset(nodes.filter((node) => this.#nodes.has(node))),
      links: links.reduce(
        (sum, ids, level) => sum + ids.filter((link) => this.#links[level]?.has(link) ?? false).length,
        0,
      ),
    }
  }
}
