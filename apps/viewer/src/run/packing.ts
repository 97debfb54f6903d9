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
