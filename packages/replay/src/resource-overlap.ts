import { resourcesOf } from '@cloister/eventlog'
import { formatIdset } from '@cloister/topology'

interface Named {
  readonly nodes: string
  readonly links?: ReadonlyArray<string>
}

/** Nodes and links common to two records. */
export interface SharedResources {
  /** Idset of the common nodes, empty for none. */
  readonly nodes: string
  /** Number of common links, summed over all levels. */
  readonly links: number
}

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
