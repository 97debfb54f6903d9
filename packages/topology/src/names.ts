import { type ErrorPlace, MAX_IDS, MAX_NAME_CHARACTERS, quote, show, TopologyError } from './topology-error.ts'
import type { Topology } from './topology.ts'
import { switchOfLink } from './wiring.ts'

/** Returns the name of a node in the topology's source; an invented name such as `node17` if the source has none. */
export function nodeName(topology: Pick<Topology, 'nodeNames'>, node: number): string {
  return topology.nodeNames?.[node] ?? `node${node}`
}

const LEVEL_PREFIXES = ['leaf', 'l2-', 'spine']

/**
 * Returns the name of a switch in the topology's source; if the source has none, `leaf3`, `l2-3`, `spine3` or `l4-3`.
 */
export function switchName(topology: Pick<Topology, 'levels'>, level: number, sw: number): string {
  return topology.levels[level].names?.[sw] ?? `${LEVEL_PREFIXES[level] ?? `l${level + 1}-`}${sw}`
}

/** Returns the names of a link's two switches, the lower first: `leaf1 -> l2-0`. Parallel cables have the same name. */
export function linkName(topology: Topology, level: number, link: number): string {
  const lower = switchName(topology, level, switchOfLink(topology, level, link))
  return `${lower} -> ${switchName(topology, level + 1, topology.levels[level].parentOfLink[link])}`
}

/**
 * Returns the machine with other names of nodes, in the order of node ids.
 *
 * @throws TopologyError for a wrong number of names, or for a name that is repeated or does not fit in a hostlist
 */
export function withNodeNames(topology: Topology, names: ReadonlyArray<string>): Topology {
  checkNodeNames(names, topology.nodes, { source: topology.name })
  return { ...topology, nodeNames: [...names] }
}

/** Returns the names of all switches, from the leaves up, each level in the order of ids. */
export function switchNames(topology: Topology): string[] {
  return topology.levels.flatMap(({ switches }, level) =>
    Array.from({ length: switches }, (_, sw) => switchName(topology, level, sw)),
  )
}

/**
 * Returns the machine with other names of switches.
 *
 * @param names names of all switches, from the leaves up, each level in the order of ids
 * @throws TopologyError for a wrong number of names, or for a name that is repeated or does not fit in a hostlist
 */
export function withSwitchNames(topology: Topology, names: ReadonlyArray<string>): Topology {
  const count = topology.levels.reduce((sum, { switches }) => sum + switches, 0)
  const place = { source: topology.name }
  if (names.length !== count) throw new TopologyError(`expected ${count} switch names, found ${names.length}`, place)
  checkUnique(names, 'switch', place)
  let first = 0
  const levels = topology.levels.map((level) => ({ ...level, names: names.slice(first, (first += level.switches)) }))
  return { ...topology, levels }
}

/** Throws a TopologyError for a wrong number of names, or for a name that is repeated or does not fit in a hostlist. */
export function checkNodeNames(names: ReadonlyArray<string>, nodes: number, place: ErrorPlace): void {
  if (names.length !== nodes) throw new TopologyError(`expected ${nodes} node names, found ${names.length}`, place)
  checkUnique(names, 'node', place)
}

/** Throws a TopologyError for wrong numbers of names, or for a name that is repeated or does not fit in a hostlist. */
export function checkSwitchNames(
  names: ReadonlyArray<ReadonlyArray<string>>,
  switches: ReadonlyArray<number>,
  place: ErrorPlace,
): void {
  switches.forEach((count, level) => {
    const found = names[level]?.length
    if (found !== count)
      throw new TopologyError(`expected ${count} switch names of level ${level}, found ${found ?? 'none'}`, place)
  })
  checkUnique(names.flat(), 'switch', place)
}

function checkUnique(names: ReadonlyArray<string>, what: string, place: ErrorPlace): void {
  const seen = new Set<string>()
  for (const name of names) {
    if (!isHostName(name))
      throw new TopologyError(
        `${show(name)} is no ${what} name: a name is not empty and has no white space and none of , [ ] " # = \\`,
        place,
      )
    if (seen.has(name)) throw new TopologyError(`the ${what} name ${quote(name)} occurs twice`, place)
    seen.add(name)
  }
}

/** Error for a text that is no hostlist, or for a name that no hostlist can hold. */
export class HostlistError extends Error {
  readonly _tag = 'HostlistError' as const
  override readonly name: string = 'HostlistError'
}

const NOT_IN_NAMES = /[\s\p{Cc},[\]"#=\\]/u

/** Returns true for text that is not empty and has no white space, no control character and none of , [ ] " # = \ */
export function isHostName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && !NOT_IN_NAMES.test(name)
}

/** Name split at its last number: `rack2-n07-ib` gives `rack2-n`, `07`, `-ib`. `digits` has at most 15 digits. */
interface NumberedName {
  readonly prefix: string
  readonly digits: string
  readonly suffix: string
}

/**
 * Returns names as a Slurm hostlist: successive names that differ in the last number become `cab[1-14,16-19]`. The
 * hostlist keeps the order of the names, repeated names, and leading zeros: `parseHostlist` returns the same names.
 *
 * @throws HostlistError if a name is empty or has white space or a character of , [ ] " # = \
 */
export function formatHostlist(names: Iterable<string>): string {
  const groups: string[] = []
  let group: NumberedName | undefined
  let ranges: string[] = []
  let first = ''
  let last = ''
  const closeRange = (): void => {
    if (first !== '') ranges.push(first === last ? first : `${first}-${last}`)
  }
  const closeGroup = (): void => {
    closeRange()
    if (group === undefined) return
    const plain = ranges.length === 1 && first === last
    groups.push(group.prefix + (plain ? first : `[${ranges.join()}]`) + group.suffix)
  }
  for (const name of names) {
    if (!isHostName(name))
      throw new HostlistError(
        `${show(name)} fits in no hostlist: a name is not empty and has no white space and none of , [ ] " # = \\`,
      )
    const numbered = cutAtNumber(name)
    if (numbered === undefined) {
      closeGroup()
      groups.push(name)
      group = undefined
      first = ''
      continue
    }
    const sameGroup = group !== undefined && numbered.prefix === group.prefix && numbered.suffix === group.suffix
    if (sameGroup && numbered.digits === numberAfter(last, first.length)) {
      last = numbered.digits
      continue
    }
    if (sameGroup) closeRange()
    else {
      closeGroup()
      group = numbered
      ranges = []
    }
    first = last = numbered.digits
  }
  closeGroup()
  return groups.join()
}

function cutAtNumber(name: string): NumberedName | undefined {
  let end = name.length
  while (end > 0 && !isDigit(name, end - 1)) end--
  let start = end
  while (start > 0 && end - start < 15 && isDigit(name, start - 1)) start--
  return start === end
    ? undefined
    : { prefix: name.slice(0, start), digits: name.slice(start, end), suffix: name.slice(end) }
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}

function numberAfter(digits: string, width: number): string {
  return String(Number(digits) + 1).padStart(width, '0')
}

/**
 * Reads a Slurm hostlist: names separated by commas, each with any number of bracketed lists,
 * `rack[1-2]n[001-032,040]`. The last bracketed list varies fastest. The names have the order of the text, with
 * repeated names and leading zeros. Empty text gives no names.
 *
 * @param limit largest number of names that the hostlist may stand for
 * @throws HostlistError if the text is no hostlist, or stands for too many names or characters
 */
export function parseHostlist(text: string, limit: number = MAX_IDS): string[] {
  const names: string[] = []
  if (text === '') return names
  let characters = 0
  for (let at = 0; at <= text.length;) {
    const end = endOfEntry(text, at)
    characters += expandEntry(text, at, end, names, limit, MAX_NAME_CHARACTERS - characters)
    at = end + 1
  }
  return names
}

/** Returns the index of the first comma outside brackets from `from` on, or else the length of the text. */
function endOfEntry(text: string, from: number): number {
  let open = -1
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === '[') {
      if (open >= 0)
        throw new HostlistError(`${quote(text)}: "[" at character ${at} within the brackets that opened at ${open}`)
      open = at
    } else if (character === ']') {
      if (open < 0) throw new HostlistError(`${quote(text)}: "]" at character ${at} closes nothing`)
      open = -1
    } else if (character === ',' && open < 0) return at
  }
  if (open >= 0) throw new HostlistError(`${quote(text)}: "[" at character ${open} is never closed`)
  return text.length
}

/** Adds the names of one entry to `names`. Returns the number of characters of the added names. */
function expandEntry(
  text: string,
  from: number,
  end: number,
  names: string[],
  limit: number,
  characterLimit: number,
): number {
  let expanded = ['']
  let length = 0
  for (const part of partsOf(text, from, end, limit - names.length, limit)) {
    const count = typeof part === 'string' ? 1 : countOf(part)
    length += typeof part === 'string' ? part.length : widthOf(part.at(-1)!)
    if (expanded.length * count * length > characterLimit)
      throw new HostlistError(`${quote(text)}: names of more than ${MAX_NAME_CHARACTERS} characters together`)
    if (typeof part === 'string') expanded = expanded.map((name) => name + part)
    else {
      const numbers = part.flatMap(numbersOf)
      expanded = expanded.flatMap((name) => numbers.map((number) => name + number))
    }
  }
  for (const name of expanded) names.push(name)
  return expanded.length * length
}

/** Numbers in brackets, such as `001-032`: the first number, the count of numbers, and the least number of digits. */
interface NumberRange {
  readonly first: number
  readonly count: number
  readonly width: number
}

function numbersOf({ first, count, width }: NumberRange): ReadonlyArray<string> {
  return Array.from({ length: count }, (_, at) => String(first + at).padStart(width, '0'))
}

/** Returns the number of digits of the last number. */
function widthOf({ first, count, width }: NumberRange): number {
  return Math.max(width, String(first + count - 1).length)
}

function countOf(ranges: ReadonlyArray<NumberRange>): number {
  return ranges.reduce((sum, { count }) => sum + count, 0)
}

/**
 * Returns the number of names of a hostlist without making the names. See `parseHostlist`.
 *
 * @throws HostlistError if the text is no hostlist, or stands for more than `limit` names
 */
export function countHostlist(text: string, limit: number = MAX_IDS): number {
  let names = 0
  for (let at = 0; at <= text.length && text !== '';) {
    const end = endOfEntry(text, at)
    let count = 1
    for (const part of partsOf(text, at, end, limit - names, limit))
      if (typeof part !== 'string') count *= countOf(part)
    names += count
    at = end + 1
  }
  return names
}

/** Returns the parts of an entry: texts outside brackets, and the ranges in brackets. @param most names that are left */
function partsOf(
  text: string,
  from: number,
  end: number,
  most: number,
  limit: number,
): ReadonlyArray<string | ReadonlyArray<NumberRange>> {
  if (from === end)
    throw new HostlistError(`${quote(text)}: expected a name at character ${from}, such as cn[001-032,040]`)
  const parts: Array<string | ReadonlyArray<NumberRange>> = []
  let names = 1
  for (let at = from; at < end;) {
    const bracket = text.indexOf('[', at)
    const open = bracket < 0 || bracket > end ? end : bracket
    if (open > at) {
      const literal = text.slice(at, open)
      if (!isHostName(literal))
        throw new HostlistError(
          `${quote(text)}: ${quote(literal)} at character ${at} has white space or one of " # = \\`,
        )
      parts.push(literal)
    }
    if (open === end) break
    const close = text.indexOf(']', open)
    const ranges = rangesIn(text, open + 1, close, Math.floor(most / names))
    names *= countOf(ranges)
    parts.push(ranges)
    at = close + 1
  }
  if (names > most) throw new HostlistError(`${quote(text)}: more than ${limit} names`)
  return parts
}

function rangesIn(text: string, from: number, end: number, limit: number): ReadonlyArray<NumberRange> {
  const ranges: Array<NumberRange> = []
  let left = limit
  for (let at = from; at <= end;) {
    const middle = endOfDigits(text, at)
    const second = text[middle] === '-' ? middle + 1 : at
    const next = endOfDigits(text, second)
    const [width, lastWidth] = [middle - at, next - second]
    const isRange = width > 0 && width <= 15 && lastWidth > 0 && lastWidth <= 15
    if (!isRange || (next < end && text[next] !== ','))
      throw wrongRange(text, at, end, 'is no range of numbers, such as 001-032')
    const first = Number(text.slice(at, middle))
    const count = Number(text.slice(second, next)) - first + 1
    if (count < 1) throw wrongRange(text, at, end, 'must ascend')
    if (lastWidth < width || (lastWidth > width && text[second] === '0'))
      throw wrongRange(text, at, end, 'has ends of different widths')
    if (count > left) throw wrongRange(text, at, end, `makes more names than the ${limit} still allowed`)
    left -= count
    ranges.push({ first, count, width })
    at = next + 1
  }
  return ranges
}

function wrongRange(text: string, at: number, end: number, problem: string): HostlistError {
  const [part] = text.slice(at, end).split(',')
  return new HostlistError(`${quote(text)}: ${quote(part)} at character ${at} ${problem}`)
}

/** Compares names: runs of digits as numbers, other characters by code unit. `cn9` < `cn10`; `cn1` < `cn01`. */
export function compareNaturally(a: string, b: string): number {
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    if (isDigit(a, i) && isDigit(b, j)) {
      const endA = endOfDigits(a, i)
      const endB = endOfDigits(b, j)
      const order = compareNumbers(a.slice(i, endA), b.slice(j, endB))
      if (order !== 0) return order
      i = endA
      j = endB
    } else {
      const order = a.charCodeAt(i++) - b.charCodeAt(j++)
      if (order !== 0) return order
    }
  }
  return a.length - i - (b.length - j) || a.length - b.length || compareText(a, b)
}

function endOfDigits(text: string, at: number): number {
  while (at < text.length && isDigit(text, at)) at++
  return at
}

function compareNumbers(a: string, b: string): number {
  const significantA = a.replace(/^0+/, '')
  const significantB = b.replace(/^0+/, '')
  return significantA.length - significantB.length || compareText(significantA, significantB)
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
