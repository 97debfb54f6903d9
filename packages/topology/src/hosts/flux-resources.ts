import { idsetSize } from '../idsets.ts'
import { HostlistError, parseHostlist } from '../names.ts'
import { fieldsOf, type Fields, jsonOf, listOf, textOf } from '../read-values.ts'
import type { LinkCounts } from '../slurm/switch-tree.ts'
import type { FieldPlace } from '../slurm/topology-conf.ts'
import { quote, show, TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'
import { type HostPath, some, treeOfHosts } from './host-tree.ts'

type PlaceOf = (field: string) => FieldPlace

/**
 * Reads the resources of Flux in JSON: a resource set R (RFC 20), or a resource graph of the scheduler Fluxion in JSON
 * Graph Format (RFC 40), alone or in the key `scheduling` of an R. In a graph, the vertices of type `node` are the
 * nodes, and the vertices that contain a node are the switches above the node. For a resource set without a graph, the
 * topology has a single leaf with all nodes.
 *
 * @param name name of the topology, and of the file in errors
 * @throws TopologyError with the path of the fault in the JSON document
 */
export function parseFluxResources(text: string, name: string, links: LinkCounts = {}): Topology {
  const at: PlaceOf = (field) => ({ source: name, line: undefined, field })
  const top = fieldsOf(jsonOf(text, name), at('the document'))
  if ('graph' in top) return treeOfGraph(top['graph'], name, 'graph', at, links)
  if (!('execution' in top))
    throw new TopologyError('found neither execution nor graph, expected an R of Flux or a graph of Fluxion', at('the document')) // prettier-ignore
  if (top['version'] !== 1) throw new TopologyError(`expected 1, found ${show(top['version'])}`, at('version'))
  const graph = (top['scheduling'] as Fields | null | undefined)?.['graph']
  if (graph != null) return treeOfGraph(graph, name, 'scheduling.graph', at, links)
  const hosts = hostsOfR(fieldsOf(top['execution'], at('execution')), at)
  const remarks = ['an R of Flux has no switches, so all nodes hang on one leaf']
  return treeOfHosts(hosts, name, { areIds: true, remarks, cables: links.cables, parents: links.parents })
}

function hostsOfR(execution: Fields, at: PlaceOf): HostPath[] {
  const hosts = listOf(execution['nodelist'], at('execution.nodelist')).flatMap((each, number) => {
    const place = at(`execution.nodelist[${number}]`)
    return readText(place, () => parseHostlist(textOf(each, place) ?? '')).map((name) => ({ name, place }))
  })
  let ranks = 0
  for (const [number, each] of listOf(execution['R_lite'], at('execution.R_lite')).entries()) {
    const place = at(`execution.R_lite[${number}].rank`)
    const { rank } = fieldsOf(each, at(`execution.R_lite[${number}]`))
    ranks += readText(place, () => idsetSize(textOf(rank, place) ?? ''))
  }
  if (ranks !== hosts.length)
    throw new TopologyError(
      `names ${hosts.length} hosts for ${ranks} ranks in R_lite; each rank has one host`,
      at('execution.nodelist'),
    )
  return hosts.map((host) => ({ ...host, switches: [{ name: 'leaf', place: host.place }], block: undefined }))
}

/** Returns what `read` returns. @throws TopologyError with the place for a text that is no hostlist and no idset */
function readText<A>(place: FieldPlace, read: () => A): A {
  try {
    return read()
  } catch (error) {
    if (error instanceof TopologyError) throw error
    throw new TopologyError((error as HostlistError).message, { ...place, cause: error })
  }
}

/** Vertex of a resource graph, and the vertex that contains it. */
interface Vertex {
  readonly name: string
  readonly type: string
  readonly place: FieldPlace
  parent?: Vertex
}

function treeOfGraph(value: unknown, source: string, path: string, at: PlaceOf, links: LinkCounts): Topology {
  const graph = fieldsOf(value, at(path))
  const vertices = new Map<string, Vertex>()
  for (const [number, each] of listOf(graph['nodes'], at(`${path}.nodes`)).entries()) {
    const [id, vertex] = vertexOf(each, `${path}.nodes[${number}]`, at)
    if (vertices.has(id)) throw new TopologyError(`two vertices have the id ${quote(id)}`, vertex.place)
    vertices.set(id, vertex)
  }
  for (const [number, each] of listOf(graph['edges'], at(`${path}.edges`)).entries())
    join(each, vertices, (field) => at(`${path}.edges[${number}]${field}`))
  const nodes = [...vertices.values()].filter(({ type }) => type === 'node')
  if (nodes.length === 0) throw new TopologyError('no vertex has the type node', at(`${path}.nodes`))
  const paths = nodes.map((node) => ({ name: node.name, place: node.place, switches: above(node), block: undefined }))
  const placed = paths.filter(({ switches }) => switches.length > 0)
  if (placed.length === 0) throw new TopologyError('no edge leads to a node', at(`${path}.edges`))
  const switches = new Set(placed.flatMap((host) => host.switches))
  const areIds = new Set(Array.from(switches, (each) => each.name)).size === switches.size
  const odd = placed.find((host) => !areIds && host.switches.length !== placed[0].switches.length)
  if (odd !== undefined)
    throw new TopologyError(
      `has ${odd.switches.length} vertices above, another node has ${placed[0].switches.length}; in a graph with equal names, all nodes are at one depth`,
      odd.place,
    )
  const leftOut = paths.filter((host) => host.switches.length === 0).map((host) => host.name)
  const remarks = leftOut.length === 0 ? [] : [`left out without a vertex above: ${some(leftOut)}`]
  return treeOfHosts(placed, source, { areIds, remarks, cables: links.cables, parents: links.parents })
}

function vertexOf(value: unknown, path: string, at: PlaceOf): readonly [id: string, Vertex] {
  const { id, metadata } = fieldsOf(value, at(path))
  const key = textOf(id, at(`${path}.id`))
  if (key === undefined) throw new TopologyError('missing; every vertex has an id', at(`${path}.id`))
  const fields = fieldsOf(metadata, at(`${path}.metadata`))
  const text = (field: string): string | undefined => textOf(fields[field], at(`${path}.metadata.${field}`))
  const type = text('type')
  if (type === undefined) throw new TopologyError('missing; every vertex has a type', at(`${path}.metadata.type`))
  // RFC 4: the default of the name is the basename with the numeric id, and the default of the basename is the type.
  const number = text('id') ?? ''
  const name = text('name') ?? `${text('basename') ?? type}${number === '-1' ? '' : number}`
  return [key, { name, type, place: at(`${path}.metadata.name`) }]
}

/** Sets the parent of the vertex at the end of an edge, if the edge is of the containment. */
function join(value: unknown, vertices: ReadonlyMap<string, Vertex>, place: PlaceOf): void {
  const edge = fieldsOf(value, place(''))
  if (!isContainment(edge['metadata'])) return
  const [source, target] = ['source', 'target'].map((end) => {
    const id = textOf(edge[end], place(`.${end}`))
    const vertex = id === undefined ? undefined : vertices.get(id)
    if (vertex === undefined) throw new TopologyError(`found ${show(edge[end])}, expected the id of a vertex`, place(`.${end}`)) // prettier-ignore
    return vertex
  })
  if (target.parent !== undefined && target.parent !== source)
    throw new TopologyError(
      `puts ${quote(target.name)} into ${quote(source.name)}, but ${quote(target.name)} is already in ${quote(target.parent.name)}`,
      place('.source'),
    )
  target.parent = source
}

/**
 * Returns true for an edge from a vertex to a vertex inside: of the subsystem `containment` (RFC 40), with the older
 * spelling `name: {containment: contains}`, or without metadata.
 */
function isContainment(metadata: unknown): boolean {
  const { subsystem, relationship, name } = (metadata ?? {}) as Fields
  const older = (typeof name === 'object' && name !== null ? name : undefined) as Fields | undefined
  if (subsystem === undefined && older === undefined) return true
  return (subsystem === 'containment' && relationship !== 'in') || older?.['containment'] === 'contains'
}

/** Returns the vertices that contain a node, from the coarsest on. */
function above(node: Vertex): Vertex[] {
  const path: Vertex[] = []
  for (let vertex = node.parent; vertex !== undefined; vertex = vertex.parent) {
    if (path.includes(vertex)) throw new TopologyError(`is inside itself`, vertex.place)
    path.unshift(vertex)
  }
  return path
}
