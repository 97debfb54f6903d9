/** A message to the page: a JSON value, and arrays of numbers by name. Long arrays would be slow and large as JSON. */
export interface Packed {
  readonly json: unknown
  readonly arrays: Readonly<Record<string, TypedArray>>
}
export type TypedArray = Int32Array | Float64Array | Uint8Array

/**
 * Types of encoded arrays. `i`, `f`, `u`: unchanged. `r`: value and number of consecutive equal values. `s`, `q`: as
 * `i` and `r`, with two bytes for each integer.
 */
const kinds = { i: Int32Array, f: Float64Array, u: Uint8Array, r: Int32Array, s: Int16Array, q: Int16Array }
type Kind = keyof typeof kinds

function written(array: TypedArray): readonly [kind: Kind, as: TypedArray | Int16Array] {
  if (array instanceof Float64Array) return ['f', array]
  if (array instanceof Uint8Array) return ['u', array]
  const runs = runsOf(array)
  const as = runs ?? array
  const isShort = as.every((value) => value === (value << 16) >> 16)
  return [runs === undefined ? (isShort ? 's' : 'i') : isShort ? 'q' : 'r', isShort ? Int16Array.from(as) : as]
}

/** Returns value and number of consecutive equal values of an array; undefined if over half of the array's length. */
function runsOf(array: Int32Array): Int32Array | undefined {
  const runs = new Int32Array(array.length >>> 1)
  let length = 0
  for (let from = 0; from < array.length;) {
    let to = from + 1
    while (to < array.length && array[to] === array[from]) to++
    if (length + 2 > runs.length) return undefined
    runs[length++] = array[from]
    runs[length++] = to - from
    from = to
  }
  return runs.subarray(0, length)
}

function read(kind: Kind, array: TypedArray | Int16Array): TypedArray {
  if (kind === 'r' || kind === 'q') return expanded(array as Int32Array | Int16Array)
  return array instanceof Int16Array ? Int32Array.from(array) : array
}

function expanded(runs: Int32Array | Int16Array): Int32Array {
  let length = 0
  for (let at = 1; at < runs.length; at += 2) length += runs[at]
  const array = new Int32Array(length)
  let from = 0
  for (let at = 0; at < runs.length; at += 2) array.fill(runs[at], from, (from += runs[at + 1]))
  return array
}

/**
 * Encodes a message as bytes: the head's length in bytes (uint32, little endian), the head (JSON: the message's JSON
 * value, and names, types and lengths of the arrays), then each array at a multiple of 8 bytes.
 */
export function pack({ json, arrays: given }: Packed): Uint8Array<ArrayBuffer> {
  const arrays: Array<TypedArray | Int16Array> = []
  const layout = Object.entries(given).map(([name, array]) => {
    const [kind, as] = written(array)
    arrays.push(as)
    return [name, kind, as.length] as const
  })
  const head = new TextEncoder().encode(JSON.stringify({ json, layout }))
  const places: Array<number> = []
  let length = align(4 + head.length)
  for (const array of arrays) {
    places.push(length)
    length = align(length + array.byteLength)
  }
  const bytes = new Uint8Array(length)
  new DataView(bytes.buffer).setUint32(0, head.length, true)
  bytes.set(head, 4)
  arrays.forEach((array, at) => bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), places[at]))
  return bytes
}

/** Decodes a message that `pack` has encoded. */
export function unpack(bytes: ArrayBuffer): Packed {
  const length = new DataView(bytes).getUint32(0, true)
  const { json, layout } = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as {
    readonly json: unknown
    readonly layout: ReadonlyArray<readonly [string, Kind, number]>
  }
  let at = align(4 + length)
  const arrays: Record<string, TypedArray> = {}
  for (const [name, kind, count] of layout) {
    const array = new kinds[kind](bytes, at, count)
    at = align(at + array.byteLength)
    arrays[name] = read(kind, array)
  }
  return { json, arrays }
}

function align(length: number): number {
  return (length + 7) & ~7
}

/** A list of a moment: new entries, and parts of the list of an earlier moment, each by its first index and length. */
type ListDelta = ReadonlyArray<readonly [from: number, count: number] | Entry>
type Entry = Readonly<Record<string, unknown>> & { readonly job: string }

/** Lists of a moment, sent as differences to the page's last moment. Each job is in a list at most once. */
const lists = ['running', 'queue', 'reservations'] as const
type Lists = Readonly<Record<(typeof lists)[number], ReadonlyArray<Entry>>>

/** Number of sent moments that the sender stores as bases of differences: enough for four pages. */
const MOST_SENT = 4
/** Changes of an array are sent instead of the array if their encoding has at most 1/8 of the array's length. */
const FEWER = 8

/** Encodes moments for a page: as differences to the page's last moment, or whole if that moment is not stored. */
export class MomentSender {
  /** Prefix of moment names, so that names from the sender of another log or of an ended program are unknown. */
  readonly #own = Math.random().toString(36).slice(2)
  readonly #sent = new Map<string, Packed>()
  #count = 0

  /**
   * Returns a moment with a new name as `state`: whole, or as differences to the page's last moment.
   *
   * @param since name of the page's last moment; '' if the page has no moment; undefined for a whole moment without a
   *   name
   */
  send(moment: Packed, since: string | undefined): Packed {
    if (since === undefined) return moment
    const base = this.#sent.get(since)
    const state = `${this.#own}.${this.#count++}`
    const named = { json: { ...(moment.json as object), state }, arrays: moment.arrays }
    if (this.#sent.size === MOST_SENT) this.#sent.delete(this.#sent.keys().next().value!)
    this.#sent.set(state, named)
    return base === undefined ? named : deltaOf(base, named)
  }
}

function deltaOf(base: Packed, moment: Packed): Packed {
  const [earlier, now] = [base.json as Lists, moment.json as Lists]
  const changed = Object.fromEntries(lists.map((name) => [name, listDelta(earlier[name], now[name])]))
  const arrays = Object.entries(moment.arrays).map(([name, array]) => {
    const changes = arrayDelta(base.arrays[name], array)
    return changes === undefined ? [name, array] : [`${name}Changes`, changes]
  })
  return { json: { ...now, ...changed, isDelta: true }, arrays: Object.fromEntries(arrays) }
}

/** Decodes an answer of `MomentSender`. @param base the page's last moment: the last result of this function */
export function received(base: Packed | undefined, { json, arrays: given }: Packed): Packed {
  const { isDelta, ...whole } = json as Record<string, unknown>
  if (isDelta !== true || base === undefined) return { json, arrays: given }
  const earlier = base.json as Lists
  for (const name of lists) whole[name] = patchedList(earlier[name], whole[name] as ListDelta)
  const arrays = Object.entries(base.arrays).map(([name, array]) => {
    const changes = given[`${name}Changes`]
    return [name, changes === undefined ? given[name] : patchedArray(array, changes)]
  })
  return { json: whole, arrays: Object.fromEntries(arrays) as Packed['arrays'] }
}

function listDelta(base: ReadonlyArray<Entry>, list: ReadonlyArray<Entry>): ListDelta {
  const places = new Map(base.map(({ job }, at) => [job, at]))
  const delta: Array<[number, number] | Entry> = []
  for (const entry of list) {
    const at = places.get(entry.job)
    const part = delta.at(-1)
    if (at === undefined || !isSame(base[at], entry)) delta.push(entry)
    else if (Array.isArray(part) && part[0] + part[1] === at) part[1]++
    else delta.push([at, 1])
  }
  return delta
}

function patchedList(base: ReadonlyArray<Entry>, delta: ListDelta): ReadonlyArray<Entry> {
  return delta.flatMap((part) => (isPart(part) ? base.slice(part[0], part[0] + part[1]) : [part]))
}

function isPart(part: ListDelta[number]): part is readonly [number, number] {
  return Array.isArray(part)
}

function isSame(one: Entry, other: Entry): boolean {
  for (const name in other) if (!(name in one)) return false
  for (const name in one) {
    const [was, is] = [one[name], other[name]]
    if (was !== is && !(Array.isArray(was) && Array.isArray(is) && was.join(' ') === is.join(' '))) return false
  }
  return true
}

/** Returns start, length and value of the changed parts; undefined if over 1/8 of `array`, or if lengths differ. */
function arrayDelta(base: TypedArray | undefined, array: TypedArray): Int32Array | undefined {
  if (base?.length !== array.length || !(array instanceof Int32Array)) return undefined
  const changes = new Int32Array(Math.floor(array.length / FEWER / 3) * 3)
  let length = 0
  for (let at = 0; at < array.length; at++) {
    if (array[at] === base[at]) continue
    if (length === changes.length) return undefined
    const from = at
    while (array[at + 1] === array[from] && array[at + 1] !== base[at + 1]) at++
    changes.set([from, at + 1 - from, array[from]], length)
    length += 3
  }
  return changes.subarray(0, length)
}

function patchedArray(base: TypedArray, changes: TypedArray): TypedArray {
  const array = base.slice()
  for (let at = 0; at < changes.length; at += 3) array.fill(changes[at + 2], changes[at], changes[at] + changes[at + 1])
  return array
}
