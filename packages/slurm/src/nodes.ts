import { HostlistError, nodeName, parseHostlist, type Topology } from '@cloister/topology'
import { type SlurmJson, slurmJsonList, timeReader, TraceError, type UtcOffset } from '@cloister/trace-io'

/**
 * `nodes`: node ids of a hostlist, ascending. `unknown`: the first name in the hostlist that the topology lacks, or the
 * beginning of a text that is no hostlist.
 */
export type NodesFound = { readonly nodes: Int32Array } | { readonly unknown: string }

/** Largest number of hostlists that `NodeIds` remembers. In a long history few hostlists occur again. */
const MOST_LISTS = 2 ** 16
/** Length of an array with many short lists of nodes: a typed array for each list would take five times the memory. */
const SLAB = 2 ** 16

/** Look-up of a topology's node ids by node names, with a memory of unusual hostlists. */
export class NodeIds {
  readonly #limit: number
  readonly #ids = new Map<string, number>()
  /** Ids of the nodes whose names end with a number, at the number, by the text before the number and its width. */
  readonly #numbered = new Map<string, Array<number>>()
  readonly #found: Int32Array
  readonly #lists = new Map<string, NodesFound>()
  #slab = new Int32Array(0)
  #used = 0

  constructor(topology: Topology) {
    this.#limit = topology.nodes
    this.#found = new Int32Array(topology.nodes)
    for (let node = 0; node < topology.nodes; node++) {
      const name = nodeName(topology, node)
      this.#ids.set(name, node)
      const [, prefix, digits] = /^(.*?)(\d{1,9})$/.exec(name) ?? []
      if (digits === undefined) continue
      const key = `${prefix} ${digits.length}`
      const nodes = this.#numbered.get(key) ?? []
      nodes[Number(digits)] = node
      this.#numbered.set(key, nodes)
    }
  }

  find(hostlist: string): NodesFound {
    const ascending = this.#ascending(hostlist)
    if (ascending !== undefined) return { nodes: this.#stored(ascending) }
    let found = this.#lists.get(hostlist)
    if (found === undefined) {
      found = this.#parse(hostlist)
      if (this.#lists.size >= MOST_LISTS) this.#lists.clear()
      this.#lists.set(hostlist, found)
    }
    return found
  }

  /**
   * Returns the nodes of one name with numbers in brackets, such as `node[7-9,12]`, without the names. Returns undefined
   * for a text in another form, for unknown nodes, and for nodes that do not ascend: `parseHostlist` reads these texts.
   */
  #ascending(hostlist: string): Int32Array | undefined {
    const open = hostlist.indexOf('[')
    const close = hostlist.length - 1
    if (open < 0 || hostlist[close] !== ']') return undefined
    let [count, width] = [0, 0]
    let ids: ReadonlyArray<number> | undefined
    for (let at = open + 1; at <= close;) {
      const middle = endOfDigits(hostlist, at)
      const second = hostlist[middle] === '-' ? middle + 1 : at
      const end = endOfDigits(hostlist, second)
      if (end - second !== middle - at || (end < close && hostlist[end] !== ',')) return undefined
      if (middle - at !== width) {
        width = middle - at
        ids = this.#numbered.get(`${hostlist.slice(0, open)} ${width}`)
      }
      const last = Number(hostlist.slice(second, end))
      let number = Number(hostlist.slice(at, middle))
      if (ids === undefined || middle === at || number > last) return undefined
      for (; number <= last; number++) {
        const id = ids[number]
        if (id === undefined || (count > 0 && id <= this.#found[count - 1])) return undefined
        this.#found[count++] = id
      }
      at = end + 1
    }
    return this.#found.subarray(0, count)
  }

  #parse(hostlist: string): NodesFound {
    try {
      const names = parseHostlist(hostlist, this.#limit)
      const ids = new Int32Array(names.length)
      let isAscending = true
      for (let at = 0; at < names.length; at++) {
        const id = this.#ids.get(names[at])
        if (id === undefined) return { unknown: names[at] }
        isAscending &&= at === 0 || id > ids[at - 1]
        ids[at] = id
      }
      return { nodes: this.#stored(isAscending ? ids : Int32Array.from(new Set(ids)).sort()) }
    } catch (error) {
      if (!(error instanceof HostlistError)) throw error
      return { unknown: hostlist.slice(0, 60) }
    }
  }

  #stored(nodes: Int32Array): Int32Array {
    if (this.#used + nodes.length > this.#slab.length) {
      this.#slab = new Int32Array(Math.max(SLAB, nodes.length))
      this.#used = 0
    }
    const stored = this.#slab.subarray(this.#used, this.#used + nodes.length)
    stored.set(nodes)
    this.#used += nodes.length
    return stored
  }
}

/** Returns the index after the digits of a text from an index on. */
function endOfDigits(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at++
  return at
}

/** Time in which a node was down, in Unix milliseconds; `until` is Infinity if the node is still down. */
export interface NodeOutage {
  readonly node: number
  readonly from: number
  readonly until: number
}

/** Outages of nodes in a file of Slurm's node events. */
export interface NodeEvents {
  /** Outages, sorted by node, then by time. Two outages of one node neither overlap nor touch. */
  readonly outages: ReadonlyArray<NodeOutage>
  /** Number of events about nodes that the topology lacks. */
  readonly unknown: number
}

const expected = 'the output of sacctmgr show event -P with the columns NodeName, TimeStart and TimeEnd'

/**
 * Parses the output of `sacctmgr show event -P format=NodeName,TimeStart,TimeEnd,State`. Every event counts as an
 * outage of its nodes, because a draining node takes no new job either. Events of the whole cluster (without a node)
 * are ignored.
 *
 * @throws TraceError for the first wrong line; the error names the line, the field, the text found and the text allowed
 */
export function parseNodeEvents(text: string, file: string, nodeIds: NodeIds, utcOffset?: UtcOffset): NodeEvents {
  const moment = timeReader(utcOffset)
  const wrong = (line: number, found: string, expected: string, field?: string): TraceError =>
    new TraceError({ file, line, field, found, expected })
  const [heading, ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const names = heading.split('|').map((name) => name.replaceAll(/\s/g, ''))
  const place = (...either: ReadonlyArray<string>): number => names.findIndex((name) => either.includes(name))
  const [name, start, end] = [place('NodeName'), place('TimeStart', 'Start'), place('TimeEnd', 'End')]
  if (name < 0 || start < 0 || end < 0) throw wrong(1, `the columns ${names.join(', ').slice(0, 200)}`, expected)
  const last = Math.max(name, start, end)
  const found: Array<NodeOutage> = []
  let unknown = 0
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const values = line.split('|')
    if (values.length > names.length && names.indexOf('Reason') >= 0 && names.indexOf('Reason') < last)
      throw wrong(
        index + 2,
        `${values.length} values for ${names.length} columns, because a Reason holds a bar`,
        'a file without the column Reason, or with Reason after all other columns',
      )
    const time = (at: number, field: string): number => {
      const value = values[at]?.trim() ?? ''
      const seconds = moment(value)
      if (seconds === undefined)
        throw wrong(index + 2, JSON.stringify(value), 'a time such as 2014-08-01T12:00:00', field)
      return seconds * 1000
    }
    if ((values[name] ?? '').trim() === '') continue
    const from = time(start, 'TimeStart')
    const isOpen = ['', 'Unknown', '0'].includes(values[end]?.trim() ?? '')
    const until = isOpen ? Infinity : Math.max(from, time(end, 'TimeEnd'))
    const nodes = nodeIds.find(values[name].trim())
    if ('unknown' in nodes) unknown++
    else for (const node of nodes.nodes) found.push({ node, from, until })
  }
  return { outages: joined(found), unknown }
}

/** Joins outages of one node that overlap or touch, and drops outages with a length of 0. */
function joined(outages: Array<NodeOutage>): ReadonlyArray<NodeOutage> {
  const result: Array<NodeOutage> = []
  for (const outage of outages.toSorted((a, b) => a.node - b.node || a.from - b.from)) {
    if (outage.until === outage.from) continue
    const before = result.at(-1)
    if (before !== undefined && before.node === outage.node && outage.from <= before.until)
      result[result.length - 1] = { ...before, until: Math.max(before.until, outage.until) }
    else result.push(outage)
  }
  return result
}

/**
 * Returns the arguments of `sinfo` for `parseSinfo`, which ask for the nodes in each state.
 *
 * @param partitions names of partitions: `sinfo` lists only their nodes; empty for all partitions
 */
export function sinfoArguments(partitions: ReadonlyArray<string> = []): ReadonlyArray<string> {
  // `sinfo` takes either --all or --partition, not both.
  const among = partitions.length === 0 ? '--all' : `--partition=${partitions.join()}`
  return ['--noheader', '--format=%T|%N', among]
}

/** States in which Slurm gives a node to no job. A star after a state (`idle*`) marks a node that does not answer. */
const useless = /^(?:down|drain|fail|error|unknown|inval|future|power(?:ed|ing)_down|reboot)/

/** Most nodes of a hostlist in the output of `sinfo`, more than any machine has. */
const LIMIT = 2 ** 22

/**
 * Parses the output of `sinfo`, and returns the ids of the nodes to which Slurm gives no job, ascending: nodes that are
 * down, drain or do not answer, and nodes that the output does not name.
 *
 * @param nodes number of nodes of the machine
 * @throws TraceError for the first wrong line
 */
export function parseSinfo(text: string, nodeIds: NodeIds, nodes: number): Int32Array {
  const isDown = new Uint8Array(nodes).fill(1)
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const [state, list, ...rest] = line.trim().split('|')
    if (list === undefined || rest.length > 0)
      throw wrongSinfo(at + 1, line, 'a state and a list of nodes, such as idle|node[0-3]')
    if (useless.test(state) || state.endsWith('*')) continue
    for (const name of namesIn(list, at + 1)) {
      const found = nodeIds.find(name)
      if ('nodes' in found) isDown[found.nodes[0]] = 0
    }
  }
  return Int32Array.from([...isDown.keys()].filter((node) => isDown[node] === 1))
}

function namesIn(list: string, line: number): ReadonlyArray<string> {
  try {
    return parseHostlist(list, LIMIT)
  } catch (error) {
    if (!(error instanceof HostlistError)) throw error
    throw wrongSinfo(line, list, 'a list of nodes such as node[0-3]')
  }
}

function wrongSinfo(line: number, text: string, expected: string): TraceError {
  return new TraceError({ file: 'sinfo', line, found: JSON.stringify(text.slice(0, 60)), expected })
}

/**
 * Pattern of the flags beside a node's base state with which the node gets no job from Slurm. A node in power saving gets
 * jobs.
 */
const uselessFlag = /^(?:DRAIN|FAIL|REBOOT_ISSUED|INVALID)/
const silent: ReadonlySet<string> = new Set(['NOT_RESPONDING', 'NO_RESPOND'])

/**
 * Parses the nodes in slurmrestd's answer to `/slurm/v0.0.…/nodes`, and returns the nodes to which Slurm gives no job.
 * The API's version must be v0.0.37 or later: earlier versions do not have all states of a node.
 *
 * @param partitions names of partitions: nodes outside of these partitions count as unusable; empty for all partitions
 * @returns ids of the nodes that are down, drain, do not answer or are missing in the answer, ascending
 * @throws TraceError for the first node with a missing or wrong value
 */
export function parseRestNodes(
  text: string,
  nodeIds: NodeIds,
  nodes: number,
  partitions: ReadonlyArray<string> = [],
): Int32Array {
  const lines = slurmJsonList(text, 'nodes', "slurmrestd's nodes", 'the nodes of slurmrestd')
    .filter((node) => partitions.length === 0 || node.words('partitions').some((name) => partitions.includes(name)))
    .map((node) => `${stateOf(node)}|${node.text('name')}\n`)
  return parseSinfo(lines.join(''), nodeIds, nodes)
}

function stateOf(node: SlurmJson): string {
  const [base, ...more] = [...node.words('state'), ...node.words('state_flags')].map((word) => word.toUpperCase())
  if (base === undefined) node.fail('state', 'a state such as idle')
  const state = (more.find((word) => uselessFlag.test(word)) ?? base).toLowerCase()
  return more.some((word) => silent.has(word)) ? `${state}*` : state
}
