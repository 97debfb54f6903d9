/** A message: JSON, and arrays of numbers, which would be slow and large as JSON. */
export interface Packed {
  readonly json: unknown
  readonly arrays: Readonly<Record<string, TypedArray>>
}
export type TypedArray = Int32Array | Float64Array | Uint8Array

const kinds = { i: Int32Array, f: Float64Array, u: Uint8Array, r: Int32Array }

/** Equal neighbours as one: value and length of each run; undefined where that is no shorter. */
function runsOf(array: Int32Array): Int32Array | undefined {
  const runs = new Int32Array(array.length >>> 2)
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

function expanded(runs: Int32Array): Int32Array {
  let length = 0
  for (let at = 1; at < runs.length; at += 2) length += runs[at]
  const array = new Int32Array(length)
  let from = 0
  for (let at = 0; at < runs.length; at += 2) array.fill(runs[at], from, (from += runs[at + 1]))
  return array
}

/** Encodes a message: the length of a description (uint32), the description, then each array at a multiple of 8 bytes, as runs where that is shorter by much. */
export function pack({ json, arrays: given }: Packed): Uint8Array<ArrayBuffer> {
  const arrays: Record<string, TypedArray> = {}
  const layout = Object.entries(given).map(([name, array]) => {
    const runs = array instanceof Int32Array ? runsOf(array) : undefined
    arrays[name] = runs ?? array
    const kind =
      runs === undefined ? (array instanceof Int32Array ? 'i' : array instanceof Float64Array ? 'f' : 'u') : 'r'
    return [name, kind, arrays[name].length] as const
  })
  const head = new TextEncoder().encode(JSON.stringify({ json, layout }))
  const places: Array<number> = []
  let length = align(4 + head.length)
  for (const array of Object.values(arrays)) {
    places.push(length)
    length = align(length + array.byteLength)
  }
  const bytes = new Uint8Array(length)
  new DataView(bytes.buffer).setUint32(0, head.length, true)
  bytes.set(head, 4)
  Object.values(arrays).forEach((array, at) =>
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), places[at]),
  )
  return bytes
}

/** Decodes what `pack` encoded. */
export function unpack(bytes: ArrayBuffer): Packed {
  const length = new DataView(bytes).getUint32(0, true)
  const { json, layout } = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as {
    readonly json: unknown
    readonly layout: ReadonlyArray<readonly [string, keyof typeof kinds, number]>
  }
  let at = align(4 + length)
  const arrays: Record<string, TypedArray> = {}
  for (const [name, kind, count] of layout) {
    const array = new kinds[kind](bytes, at, count)
    at = align(at + array.byteLength)
    arrays[name] = kind === 'r' ? expanded(array as Int32Array) : array
  }
  return { json, arrays }
}

function align(length: number): number {
  return (length + 7) & ~7
}
