import { IdBuffer, IdsetError, parseIdset } from '@cloister/topology'

/** Nodes and links that a record names, without ids that the topology does not have. */
export interface NamedResources {
  readonly nodes: Int32Array
  /** Link ids, one list a level, leaf uplinks first. */
  readonly links: ReadonlyArray<Int32Array>
  /** Number of node ids in the record, unknown ids included. */
  readonly nodesWritten: number
  /** All nodes and links as resource numbers of `ClusterModel`, ascending: nodes, then the links of each level. */
  readonly resources: Int32Array
  /** Message about the first idset that is not canonical; undefined if all idsets are canonical. */
  readonly malformed: string | undefined
  /** Message about the first id that the topology does not have; undefined if all ids exist. */
  readonly unknown: string | undefined
}

const NO_IDS = new Int32Array(0)
const NO_LINKS: ReadonlyArray<string> = []
/** Number of ids in one shared array. One long-running job keeps the whole shared array in memory. */
const SLAB = 2 ** 13

/** Reads the idsets of records for one topology. */
export class ResourceReader {
  readonly #firstResource: ReadonlyArray<number>
  #malformed: string | undefined
  #unknown: string | undefined
  #written = 0
  readonly #read = new IdBuffer()
  /** Shared array for lists of ids, used up to `#used`. A separate array for each list would take ten times as long. */
  #slab = new Int32Array(SLAB)
  #used = 0

  /** @param firstResource `ClusterModel.firstResource` of the topology */
  constructor(firstResource: ReadonlyArray<number>) {
    this.#firstResource = firstResource
  }

  read(record: { readonly nodes: string; readonly links?: ReadonlyArray<string> }): NamedResources {
    return this.#readSound(record.nodes, record.links ?? NO_LINKS) ?? this.#readFaulty(record)
  }

  /** Returns undefined if an idset is not canonical or has an id that the topology lacks. */
  #readSound(nodes: string, links: ReadonlyArray<string>): NamedResources | undefined {
    const first = this.#firstResource
    const read = this.#read
    read.clear()
    if (links.length > first.length - 2 || !read.read(nodes, first[1])) return undefined
    const nodesWritten = read.count
    for (let level = 0; level < links.length; level++)
      if (!read.read(links[level], first[level + 2] - first[level + 1], first[level + 1])) return undefined
    const resources = this.#list(read.ids, 0, read.count, 0)
    return {
      nodes: links.length === 0 ? resources : resources.subarray(0, nodesWritten),
      links: this.#linksIn(resources, nodesWritten, links.length),
      nodesWritten,
      resources,
      malformed: undefined,
      unknown: undefined,
    }
  }

  #linksIn(resources: Int32Array, nodes: number, levels: number): ReadonlyArray<Int32Array> {
    const links: Array<Int32Array> = []
    for (let level = 0, from = nodes; level < levels; level++) {
      const end = this.#firstResource[level + 2]
      let to = from
      while (to < resources.length && resources[to] < end) to++
      links.push(this.#list(resources, from, to, this.#firstResource[level + 1]))
      from = to
    }
    return links
  }

  #list(ids: Int32Array, from: number, to: number, offset: number): Int32Array {
    const count = to - from
    if (this.#used + count > this.#slab.length) {
      this.#slab = new Int32Array(Math.max(SLAB, count))
      this.#used = 0
    }
    const list = this.#slab.subarray(this.#used, this.#used + count)
    this.#used += count
    for (let i = 0; i < count; i++) list[i] = ids[from + i] - offset
    return list
  }

  #readFaulty(record: { readonly nodes: string; readonly links?: ReadonlyArray<string> }): NamedResources {
    this.#malformed = undefined
    this.#unknown = undefined
    const nodes = this.#ids(record.nodes, 0)
    const nodesWritten = this.#written
    const links = record.links === undefined ? [] : record.links.map((idset, level) => this.#ids(idset, level + 1))
    return {
      nodes,
      links,
      nodesWritten,
      resources: this.#resources(nodes, links),
      malformed: this.#malformed,
      unknown: this.#unknown,
    }
  }

  #resources(nodes: Int32Array, links: ReadonlyArray<Int32Array>): Int32Array {
    if (links.length === 0) return nodes
    let count = nodes.length
    for (const ids of links) count += ids.length
    const resources = new Int32Array(count)
    resources.set(nodes)
    let n = nodes.length
    for (let level = 0; level < links.length; level++) {
      const first = this.#firstResource[level + 1]
      const ids = links[level]
      for (let i = 0; i < ids.length; i++) resources[n++] = first + ids[i]
    }
    return resources
  }

  /** @param region 0 for nodes, level + 1 for links */
  #ids(idset: string, region: number): Int32Array {
    const first = this.#firstResource
    const count = region + 1 < first.length ? first[region + 1] - first[region] : 0
    try {
      const ids = parseIdset(idset, count)
      this.#written = ids.length
      return ids
    } catch (error) {
      if (!(error instanceof IdsetError)) throw error
      return this.#idsWithin(idset, region, count)
    }
  }

  #idsWithin(idset: string, region: number, count: number): Int32Array {
    const what = region === 0 ? 'node' : `level-${region - 1} link`
    try {
      const ids = parseIdset(idset)
      this.#written = ids.length
      const known = ids.filter((id) => id < count)
      this.#unknown ??= `${what} ${ids[known.length]} does not exist: the machine has ${count}`
      return known
    } catch (error) {
      if (!(error instanceof IdsetError)) throw error
      this.#malformed ??= `${what}s: ${error.message}`
      return NO_IDS
    }
  }
}

/** Returns the least id that both ascending lists have; undefined if the lists have no common id. */
export function firstCommon(a: Int32Array, b: Int32Array): number | undefined {
  let j = 0
  for (let i = 0; i < a.length; i++) {
    while (j < b.length && b[j] < a[i]) j++
    if (j < b.length && b[j] === a[i]) return a[i]
  }
  return undefined
}
