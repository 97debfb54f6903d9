import { formatIdset, IdsetError, parseIdset, type Topology } from '@cloister/topology'
import { ID_LIMIT, MAX_PARTS, RecordError } from '../limits.ts'

/** Entries of one switch, as a router returns them: the same type as in the package placement. */
interface SwitchEntries {
  readonly level: number
  readonly sw: number
  readonly nodes: ArrayLike<number>
  /** Output port towards each node of `nodes`; -1 for no entry. */
  readonly ports: ArrayLike<number>
}

/** Output ports of switches towards a range of nodes, by a formula. */
export interface EntryRange {
  readonly first: number
  readonly last: number
  /** Port towards `first`; -1 if the range has no entries. */
  readonly port: number
  /** The port towards node `first + i` is `port + floor(i / stride) mod cycle`. */
  readonly cycle: number
  readonly stride: number
}

/** Equal entries of several switches. */
export interface EntryGroup {
  /** Numbers of the switches among all switches of the machine, leaves first, ascending. */
  readonly switches: Int32Array
  /** Ranges of nodes, ascending. */
  readonly ranges: ReadonlyArray<EntryRange>
}

/** Returns the number of the first switch of each level among all switches of a machine, leaves first. */
export function firstSwitchOfLevels({ levels }: Pick<Topology, 'levels'>): ReadonlyArray<number> {
  return levels.map((_, level) => levels.slice(0, level).reduce((sum, { switches }) => sum + switches, 0))
}

/**
 * Returns the spelling of entries in a route record: a text for each set of switches with equal entries, such as `0,2
 * 0-8:0+9 9-17:9+3`. The texts are in the order of their first switches.
 *
 * @param entries each switch at most once, leaves first, by id; switches without entries are left out
 */
export function spellEntries(
  firstOfLevel: ReadonlyArray<number>,
  entries: Iterable<SwitchEntries>,
): ReadonlyArray<string> {
  const groups = new Map<string, Array<number>>()
  for (const { level, sw, nodes, ports } of entries) {
    const text = spellRanges(nodes, ports)
    if (text === '') continue
    const number = firstOfLevel[level] + sw
    const group = groups.get(text)
    if (group === undefined) groups.set(text, [number])
    else group.push(number)
  }
  return Array.from(groups, ([text, switches]) => `${formatIdset(switches)}${text}`)
}

function spellRanges(nodes: ArrayLike<number>, ports: ArrayLike<number>): string {
  let text = ''
  for (let i = 0; i < nodes.length;) {
    const { port, last, cycle, stride } = rangeFrom(nodes, ports, i)
    const count = last - nodes[i] + 1
    text += ` ${nodes[i]}${count > 1 ? `-${last}` : ''}:${port < 0 ? '-' : port}`
    if (cycle > 1) text += `+${cycle}${stride > 1 ? `/${stride}` : ''}`
    i += count
  }
  return text
}

/** Returns the longest range that begins at the index `i` and follows the formula of `EntryRange`. */
function rangeFrom(nodes: ArrayLike<number>, ports: ArrayLike<number>, i: number): EntryRange {
  const [first, port] = [nodes[i], ports[i]]
  let end = i + 1
  const isNext = (): boolean => end < nodes.length && nodes[end] === first + end - i
  while (isNext() && ports[end] === port) end++
  const stride = end - i
  const constant = { first, last: first + stride - 1, port, cycle: 1, stride: 1 }
  if (port < 0 || !isNext() || ports[end] !== port + 1) return constant
  let cycle = Infinity
  for (; isNext(); end++) {
    const step = Math.floor((end - i) / stride)
    if (cycle === Infinity && ports[end] === port && (end - i) % stride === 0) cycle = step
    if (ports[end] !== port + (step % cycle)) break
  }
  // If the last port goes on after the range, a longer stride begins with it.
  if (isNext() && ports[end] === ports[end - 1]) end = i + Math.floor((end - i - 1) / stride) * stride
  if (end - i <= stride) return constant
  return { first, last: first + end - i - 1, port, cycle: Math.min(cycle, Math.ceil((end - i) / stride)), stride }
}

const RANGE = /^(\d+)(?:-(\d+))?:(?:(-)|(\d+)(?:\+(\d+)(?:\/(\d+))?)?)$/

/**
 * Returns the entries of a route record, text by text; an empty list for a record without `entries`.
 * @throws RecordError for a wrong spelling, or for too many switches
 */
export function entriesOf({ entries = [] }: { readonly entries?: ReadonlyArray<string> }): ReadonlyArray<EntryGroup> {
  let named = 0
  return entries.map((text) => {
    const [ids, ...spelled] = text.split(' ')
    const switches = switchesOf(text, ids)
    if (switches.length === 0 || spelled.length === 0) wrong(text, 'expected switches and ranges, such as 0,2 0-8:0+9')
    named += switches.length
    if (named > MAX_PARTS) throw new RecordError(`more than ${MAX_PARTS} switches in one record`)
    let last = -1
    const ranges = spelled.map((each) => {
      const range = rangeOf(text, each)
      if (range.first <= last) wrong(text, `range ${each} does not begin after node ${last} of the range before`)
      last = range.last
      return range
    })
    return { switches, ranges }
  })
}

function switchesOf(text: string, ids: string): Int32Array {
  try {
    return parseIdset(ids, ID_LIMIT)
  } catch (error) {
    if (!(error instanceof IdsetError)) throw error
    return wrong(text, error.message)
  }
}

function rangeOf(text: string, spelled: string): EntryRange {
  const [, first, last = first, none, port, cycle, stride] =
    RANGE.exec(spelled) ?? wrong(text, `expected a range of nodes with ports, such as 0-8:0+9, found ${spelled}`)
  const range = {
    first: number(text, first),
    last: number(text, last),
    port: none === undefined ? number(text, port) : -1,
    cycle: cycle === undefined ? 1 : number(text, cycle),
    stride: stride === undefined ? 1 : number(text, stride),
  }
  const count = range.last - range.first + 1
  const isShortest = last === first ? spelled.startsWith(`${first}:`) : count > 1
  const isFormula = cycle === undefined || (range.cycle > 1 && range.stride >= 1 && count > range.stride)
  if (!isShortest || !isFormula || stride === '1') wrong(text, `${spelled} is not the shortest spelling of a range`)
  return range
}

function number(text: string, digits: string): number {
  const value = Number(digits)
  if (value >= ID_LIMIT || String(value) !== digits) wrong(text, `${digits} is no number below ${ID_LIMIT}`)
  return value
}

function wrong(text: string, problem: string): never {
  throw new RecordError(`entries ${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)}: ${problem}`)
}

/** Calls `visit` with each node of a range, and with the port towards the node; -1 for no entry. */
export function eachEntry(
  { first, last, port, cycle, stride }: EntryRange,
  visit: (node: number, port: number) => void,
): void {
  for (let node = first; node <= last; node++)
    visit(node, port < 0 ? -1 : port + (Math.floor((node - first) / stride) % cycle))
}
