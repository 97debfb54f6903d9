import { portCounts, type Topology } from '@cloister/topology'
import { contractDefect } from './bind.ts'
import { kind } from './policy-defects.ts'
import type { SwitchEntries } from './router.ts'

const CLAIMS = { links: ['owned', 'shared'], changes: ['none', 'own', 'any'] } as const

/**
 * Returns the problems that keep a value from being a router, a sentence for each member; empty for a router. The
 * function compares no identities of values, because a router may use a separate copy of this package.
 */
export function routerDefects(value: unknown): ReadonlyArray<string> {
  if (typeof value !== 'object' || value === null) return [`the default export is ${kind(value)}, expected an object`]
  const router = value as Record<string, unknown>
  const problems: string[] = []
  const expect = (of: object, member: string, isRight: boolean, right: string, name = member): void => {
    const found = member in of ? `is ${kind((of as Record<string, unknown>)[member])}` : 'is missing'
    if (!isRight) problems.push(`${name} ${found}, expected ${right}`)
  }
  const { name, version, claims, make } = router
  const defect = contractDefect(router['contract'], 'router')
  if (defect !== undefined) problems.push(defect)
  expect(
    router,
    'name',
    typeof name === 'string' && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) && name !== 'none',
    'a string of lower-case letters, digits and "-", except "none"',
  )
  expect(
    router,
    'version',
    typeof version === 'string' && /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    'a semantic version, such as "1.0.0"',
  )
  const isObject = typeof claims === 'object' && claims !== null
  expect(router, 'claims', isObject, 'an object { links, changes }')
  for (const [claim, values] of Object.entries(CLAIMS))
    if (isObject) {
      const isKnown = (values as ReadonlyArray<unknown>).includes((claims as Record<string, unknown>)[claim])
      expect(claims, claim, isKnown, `one of ${values.join(', ')}`, `claims.${claim}`)
    }
  expect(router, 'make', typeof make === 'function', 'a function (topology) that returns tables or { unsupported }')
  return problems
}

/** Returns a message if the result of a router's `make` is neither tables nor `{ unsupported }`; else undefined. */
export function tablesDefect(made: unknown): string | undefined {
  const expected = 'expected tables, { port, start, end }, or { unsupported }'
  if (typeof made !== 'object' || made === null) return `make returned ${kind(made)}; ${expected}`
  const tables = made as Record<string, unknown>
  if ('unsupported' in tables)
    return typeof tables['unsupported'] === 'string' && tables['unsupported'] !== ''
      ? undefined
      : `make returned unsupported ${kind(tables['unsupported'])}; expected the reason for not serving the topology`
  const isFunction = (member: string): boolean => typeof tables[member] === 'function'
  const wrong =
    ['port', 'start', 'end'].find((member) => !isFunction(member)) ??
    ['initial', 'change'].find((member) => tables[member] !== undefined && !isFunction(member))
  return wrong === undefined ? undefined : `make returned tables whose ${wrong} is ${kind(tables[wrong])}; ${expected}`
}

/** Finds entries that do not exist on a machine. */
export class EntryRules {
  readonly #nodes: number
  /** Number of ports of each switch, by level. */
  readonly #ports: ReadonlyArray<Int32Array>

  constructor(topology: Topology) {
    this.#nodes = topology.nodes
    this.#ports = portCounts(topology)
  }

  /**
   * Yields the entries of a router unchanged.
   *
   * @param fail receives a message about the first entry that does not exist or is out of order, and throws
   */
  *checked(entries: Iterable<SwitchEntries>, fail: (defect: string) => never): Generator<SwitchEntries> {
    let before: { readonly level: number; readonly sw: number } | undefined
    for (const each of entries) {
      const defect = this.#defectOf(each, before)
      if (defect !== undefined) fail(defect)
      before = { level: each.level, sw: each.sw }
      yield each
    }
  }

  #defectOf(entries: SwitchEntries, before: Pick<SwitchEntries, 'level' | 'sw'> | undefined): string | undefined {
    if (typeof entries !== 'object' || entries === null)
      return `found ${kind(entries)}, expected entries of a switch, { level, sw, nodes, ports }`
    const { level, sw, nodes, ports } = entries
    const portsOfLevel = this.#ports[level]
    if (portsOfLevel === undefined)
      return `found level ${kind(level)}, expected 0 to ${this.#ports.length - 1}, the levels of the machine`
    const count = portsOfLevel[sw]
    if (count === undefined)
      return `found switch ${kind(sw)} of level ${level}, expected 0 to ${portsOfLevel.length - 1}`
    if (before !== undefined && (level < before.level || (level === before.level && sw <= before.sw)))
      return `switch ${sw} of level ${level} follows switch ${before.sw} of level ${before.level}, expected each switch once, leaves first, by id`
    const place = `switch ${sw} of level ${level}`
    if (typeof nodes?.length !== 'number' || typeof ports?.length !== 'number')
      return `${place}: nodes or ports is no list, expected a list of node ids and a list of ports`
    if (nodes.length !== ports.length)
      return `${place}: found ${nodes.length} nodes and ${ports.length} ports, expected a port for each node`
    for (let i = 0, last = -1; i < nodes.length; last = nodes[i++]) {
      if (!Number.isInteger(nodes[i]) || nodes[i] <= last || nodes[i] >= this.#nodes)
        return `${place}: found node ${kind(nodes[i])} after ${last}, expected ascending ids from 0 to ${this.#nodes - 1}`
      if (!Number.isInteger(ports[i]) || ports[i] < -1 || ports[i] >= count)
        return `${place}: found port ${kind(ports[i])} towards node ${nodes[i]}, expected -1 to ${count - 1}: the switch has ${count} ports`
    }
    return undefined
  }
}
