import type { Outage } from '@cloister/kernel'
import { placementDefect } from '@cloister/placement'
import {
  linkName,
  nodeName,
  parseHostlist,
  parseIdset,
  railCount,
  switchName,
  type Topology,
  topologyToJson,
} from '@cloister/topology'
import { JsonTextError, parseJsonText } from '@cloister/trace-io'
import * as Schema from 'effect/Schema'
import { isTagged, OptionError } from './errors.ts'
import type { RecordedMachine } from './recorded-jobs.ts'

/** Latest time that a log can hold, in seconds. */
const MAX_SECONDS = 1e12

/** Line of an outage file: a down or up record of a log, without `seq`. */
const Line = Schema.Struct({
  t: Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: MAX_SECONDS })),
  type: Schema.Literals(['down', 'up']),
  nodes: Schema.optionalKey(Schema.String),
  links: Schema.optionalKey(Schema.Array(Schema.String)),
  switch: Schema.optionalKey(Schema.String),
  link: Schema.optionalKey(Schema.String),
  rails: Schema.optionalKey(Schema.String),
  cables: Schema.optionalKey(Schema.Array(Schema.String)),
})
const decode = Schema.decodeUnknownSync(Line, { onExcessProperty: 'error' })
const EXPECTED =
  'expected such as {"t":3600,"type":"down","nodes":"17"}, with ids of nodes (0-17) or names (node[0-17]), or "switch":"leaf1" or "link":"leaf1 -> l2-0" instead of nodes'

/**
 * Reads the text of an outage file: NDJSON with one change a line, ordered by time, such as
 * `{"t":3600,"type":"down","nodes":"17","links":["","90-93"]}`. Nodes are ids or a hostlist of names.
 * `links` has the ids of links by level, with or without `nodes`. A leaf in the field `switch` fails with its nodes, and
 * a switch above the leaves fails with its links. `link`, such as `leaf1 -> l2-0`, fails all cables between two switches.
 * On a machine with rails, `rails` such as `3,5` restricts `links`, `link` or `switch` to the cables in these rails. In a
 * line of a log, `cables` has these links. Blank lines do not count.
 *
 * @throws OptionError with path and line, if a line is no outage or breaks the order of times
 */
export function parseOutages(text: string, path: string, topology: Topology): ReadonlyArray<Outage> {
  const outages: Array<Outage> = []
  const down = new DownParts(topology)
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const fail = (problem: string): never => {
      throw new OptionError({ option: 'outages', reason: `${path}, line ${index + 1}: ${problem}` })
    }
    const outage = parseLine(line, topology, fail)
    const before = outages.at(-1)?.time ?? 0
    if (outage.time < before)
      fail(`t: found ${outage.time / 1000}, expected at least ${before / 1000}, the time of the line before`)
    outages.push(down.follow(outage, fail))
  }
  return outages
}

function parseLine(line: string, topology: Topology, fail: (problem: string) => never): Outage {
  try {
    const { t, type, rails, cables, ...whole } = decode(parseJsonText(line))
    const given = cables === undefined ? whole : { ...whole, links: cables }
    const { nodes, links, switch: sw, link } = given
    if ([nodes ?? links, sw, link].filter((each) => each !== undefined).length !== 1)
      return fail(`found ${Object.keys(given).join(' and ') || 'none'} of nodes, links, switch and link; ${EXPECTED}`)
    const resources =
      sw !== undefined
        ? partsOfSwitch(sw, topology)
        : link !== undefined
          ? cablesNamed(link, topology)
          : { nodes: nodesIn(nodes ?? '', topology), links: (links ?? []).map((ids) => parseIdset(ids)) }
    const defect = placementDefect(topology, { ok: true, ...resources })
    if (defect !== undefined) return fail(defect)
    const outage = { time: Math.round(t * 1000), change: type, resources }
    if (rails === undefined && cables === undefined) return outage
    if (resources.nodes.length > 0)
      return fail('a single rail has only links: name links, a link, or a switch above the leaves, and no nodes')
    return { ...outage, rails: railsIn(rails, topology), cables: resources.links }
  } catch (error) {
    if (isTagged(error) && error._tag === 'OptionError') throw error
    const message = error instanceof Error ? error.message : String(error)
    const problem = error instanceof JsonTextError ? `column ${error.column}: ${error.problem}` : message
    return fail(`${problem}; ${EXPECTED}`)
  }
}

/** Returns the ids of nodes, ascending, from a set of ids such as `0-17`, or from a hostlist of names. */
function nodesIn(text: string, topology: Topology): Int32Array {
  if (!/[a-z]/i.test(text)) return parseIdset(text)
  const ids = new Map(Array.from({ length: topology.nodes }, (_, node) => [nodeName(topology, node), node]))
  const found = parseHostlist(text, topology.nodes).map((name) => {
    const id = ids.get(name)
    if (id === undefined) throw new RangeError(`nodes: the machine has no node ${name}`)
    return id
  })
  return Int32Array.from(new Set(found)).sort()
}

/** Returns the rails in an idset. @throws RangeError for a rail that the machine lacks, and for no rail */
function railsIn(text: string | undefined, topology: Topology): Int32Array {
  const count = railCount(topology)
  if (count === 1) throw new RangeError('rails: the machine has a single rail')
  const rails = parseIdset(text ?? '')
  if (rails.length === 0 || rails.at(-1)! >= count)
    throw new RangeError(`rails: found ${JSON.stringify(text ?? '')}, expected rails from 0 to ${count - 1}`)
  return rails
}

/** Returns the nodes of a leaf, or the links down and up of any other switch. @param name as in `switchName` */
function partsOfSwitch(name: string, topology: Topology): Outage['resources'] {
  const { levels, leafOfNode } = topology
  for (const [level, { switches, links, firstPort }] of levels.entries())
    for (let sw = 0; sw < switches; sw++) {
      if (switchName(topology, level, sw) !== name) continue
      if (level === 0) return { nodes: idsWhere(topology.nodes, (node) => leafOfNode[node] === sw), links: [] }
      const { parentOfLink, links: below } = levels[level - 1]
      return {
        nodes: new Int32Array(),
        links: levels.map((_, at) => {
          if (at === level - 1) return idsWhere(below, (link) => parentOfLink[link] === sw)
          if (at === level) return idsWhere(links, (link) => link >= firstPort[sw] && link < firstPort[sw + 1])
          return new Int32Array()
        }),
      }
    }
  const last = levels.length - 1
  throw new RangeError(
    `the machine has no switch ${name}: found switches ${switchName(topology, 0, 0)} to ${switchName(topology, last, levels[last].switches - 1)}`,
  )
}

/** Returns the links between two switches. @param name as in `linkName` */
function cablesNamed(name: string, topology: Topology): Outage['resources'] {
  const links = topology.levels.map((level, at) =>
    idsWhere(level.links, (link) => linkName(topology, at, link) === name),
  )
  if (links.every((ids) => ids.length === 0))
    throw new RangeError(`link: no cable joins the two switches of ${name}, or the machine lacks the switches`)
  return { nodes: new Int32Array(), links }
}

function idsWhere(count: number, isIn: (id: number) => boolean): Int32Array {
  return Int32Array.from({ length: count }, (_, id) => id).filter(isIn)
}

/** Nodes and cables that are down after some lines of a file. */
class DownParts {
  readonly #topology: Topology
  readonly #nodes = new Set<number>()
  /** Rails in which the cable of a link is down, by level and link. */
  readonly #rails: ReadonlyArray<Map<number, Set<number>>>

  constructor(topology: Topology) {
    this.#topology = topology
    this.#rails = topology.levels.map(() => new Map())
  }

  /**
   * Applies an outage, and returns it with the links that go down or come up as a whole. Calls `fail` if a node or cable
   * fails while down, or comes back while up.
   */
  follow(outage: Outage, fail: (problem: string) => never): Outage {
    const { change, resources, rails, cables = resources.links } = outage
    const isDown = change === 'down'
    const check = (wasDown: boolean, name: () => string): void => {
      if (wasDown === isDown) fail(`${name()} is ${isDown ? 'down already' : 'not down'}`)
    }
    for (const node of Array.from(resources.nodes)) {
      check(this.#nodes.has(node), () => nodeName(this.#topology, node))
      if (isDown) this.#nodes.add(node)
      else this.#nodes.delete(node)
    }
    const ofOutage = Array.from(rails ?? { length: railCount(this.#topology) }, (rail, at) => rail ?? at)
    const links = cables.map((ids, level) =>
      Array.from(ids).filter((link) => {
        const down = this.#rails[level].get(link) ?? new Set()
        this.#rails[level].set(link, down)
        const before = down.size
        for (const rail of ofOutage) {
          check(down.has(rail), () => `level-${level} link ${link}${rails === undefined ? '' : ` in rail ${rail}`}`)
          if (isDown) down.add(rail)
          else down.delete(rail)
        }
        return isDown ? before === 0 : down.size === 0
      }),
    )
    return rails === undefined ? outage : { ...outage, resources: { nodes: resources.nodes, links } }
  }
}

/**
 * Returns the outages of a log for a run of the log's jobs on the same machine at the same times. Time 0 is the arrival
 * of the run's first job; earlier outages get the time 0. For any other run, returns no outages, and a message for
 * people in `leftOut`: `5 outages of the log are left out: …`.
 *
 * @param first the first job's arrival in the log, in ms; undefined if jobs arrive at other times than in the log
 */
export function outagesOfTrace(
  machine: RecordedMachine | undefined,
  topology: Topology,
  first: number | undefined,
): { readonly outages: ReadonlyArray<Outage>; readonly leftOut?: string } {
  if (machine === undefined || machine.outages.length === 0) return { outages: [] }
  const down = machine.outages.filter(({ change }) => change === 'down').length
  const leftOut = (why: string) => ({ outages: [], leftOut: `${down} outages of the log are left out: ${why}` })
  if (first === undefined) return leftOut('jobs arrive at other times than in the log')
  if (!isSameMachine(machine.topology, topology))
    return leftOut(`the log is of another machine, ${machine.topology.name}`)
  return { outages: machine.outages.map((outage) => ({ ...outage, time: Math.max(0, outage.time - first) })) }
}

/** Compares two shapes without their names and blocks. If both machines have names of nodes, the names must be equal. */
function isSameMachine(a: Topology, b: Topology): boolean {
  const shape = (topology: Topology): string =>
    JSON.stringify({ ...topologyToJson(topology), name: '', blocks: undefined })
  const names = a.nodeNames === undefined || b.nodeNames === undefined || a.nodeNames.join() === b.nodeNames.join()
  return names && shape(a) === shape(b)
}
