import { HostlistError, parseHostlist } from './hostlist.ts'
import { type LuaCall, type LuaTable, type LuaValue, parseLua } from './lua-values.ts'
import { checkSwitchNames, withNodeNames } from './names.ts'
import { quote, TopologyError } from './topology-error.ts'
import type { Topology } from './topology.ts'

/**
 * Names the nodes and leaves of a regular tree from a Flux resource description: nested `Resource {…, children = {…}}`, one
 * nesting a level of the tree from the whole machine to the leaf, and in a leaf `ListOf { Node, ids = "1-14,16-19", args =
 * { basename = "cab" } }`. Pods, leaves and nodes are numbered as listed; other fields are read over. The description does
 * not say how switches are cabled, so `topology` does.
 *
 * @param source what errors call the file
 * @throws TopologyError with the line, where the text is broken or its shape is not that of `topology`
 */
export function withFluxNames(topology: Topology, text: string, source: string): Topology {
  if (topology.pgft === undefined)
    throw new TopologyError('a resource description names only regular trees', { source })
  const reader = new ResourceReader(topology, source)
  reader.readMachine(parseLua(text, source))
  try {
    const named = withNodeNames(topology, reader.nodeNames)
    checkSwitchNames([reader.leafNames], [topology.leaves], { source })
    const [leaves, ...upper] = topology.levels
    return { ...named, levels: [{ ...leaves, names: reader.leafNames }, ...upper] }
  } catch (error) {
    if (!(error instanceof TopologyError)) throw error
    throw new TopologyError(error.problem, { source })
  }
}

class ResourceReader {
  readonly nodeNames: string[] = []
  readonly leafNames: string[] = []
  readonly #machine: string
  readonly #children: ReadonlyArray<number>
  readonly #source: string

  constructor(topology: Topology, source: string) {
    this.#machine = topology.name
    this.#children = topology.pgft?.m ?? []
    this.#source = source
  }

  readMachine(calls: ReadonlyArray<LuaCall>): void {
    const hierarchy = calls.find((call) => call.callee === 'Hierarchy')
    const table = hierarchy?.args.find((arg) => typeof arg !== 'string')
    if (table === undefined) throw this.#error('expected Hierarchy "default" { Resource {…} }', hierarchy?.line ?? 1)
    const [machine, ...more] = table.items
    if (machine === undefined || more.length > 0)
      throw this.#error(`expected one Resource, the whole machine, found ${table.items.length}`, table.line)
    this.#readResource(machine, this.#children.length - 1, table.line)
  }

  /** `level`: index in `m` of the number of children; 0 is a leaf. */
  #readResource(value: LuaValue, level: number, lineAbove: number): void {
    const { table, line } = this.#call(value, 'Resource', lineAbove)
    const name = table.fields.get('name')
    if (typeof name !== 'string') throw this.#error('expected name = "…"', line, 'Resource')
    const children = this.#table(table.fields.get('children'), 'children', line)
    const before = this.nodeNames.length
    if (level === 0) {
      this.leafNames.push(name)
      for (const child of children.items) this.#readNodes(child, children.line)
    } else for (const child of children.items) this.#readResource(child, level - 1, children.line)
    const found = level === 0 ? this.nodeNames.length - before : children.items.length
    if (found !== this.#children[level]) {
      throw this.#error(
        `${quote(name)} has ${found} ${level === 0 ? 'nodes' : 'children'}, expected ${this.#children[level]} for ${this.#machine}`,
        line,
        'Resource',
      )
    }
  }

  #readNodes(value: LuaValue, lineAbove: number): void {
    const { table, line } = this.#call(value, 'ListOf', lineAbove)
    const [type] = table.items
    if (typeof type !== 'object' || type.kind !== 'call' || type.callee !== 'Node')
      throw this.#error('expected Node, the type of what is listed', line, 'ListOf')
    const ids = table.fields.get('ids')
    if (typeof ids !== 'string') throw this.#error('expected ids = "1-14,16-19"', line, 'ListOf')
    const basename = this.#table(table.fields.get('args'), 'args', line).fields.get('basename')
    if (typeof basename !== 'string') throw this.#error('expected basename = "…" in args', line, 'ListOf')
    try {
      for (const name of parseHostlist(`${basename}[${ids}]`, this.#children[0])) this.nodeNames.push(name)
    } catch (error) {
      if (!(error instanceof HostlistError)) throw error
      throw this.#error(error.message, line, 'ids')
    }
  }

  #call(value: LuaValue, callee: string, lineAbove: number): { table: LuaTable; line: number } {
    const found = typeof value === 'object' ? value : undefined
    const table = found?.kind === 'call' && found.callee === callee ? found.args[0] : undefined
    if (found === undefined || typeof table !== 'object')
      throw this.#error(`expected ${callee} {…}`, found?.line ?? lineAbove)
    return { table, line: found.line }
  }

  #table(value: LuaValue | undefined, field: string, line: number): LuaTable {
    if (typeof value !== 'object' || value.kind !== 'table') throw this.#error(`expected ${field} = {…}`, line)
    return value
  }

  #error(problem: string, line: number, field?: string): TopologyError {
    return new TopologyError(problem, { source: this.#source, line, field })
  }
}
