/** A message: JSON, and arrays of numbers, which would be slow and large as JSON. */
export interface Packed {
  readonly json: unknown
  readonly arrays: Readonly<Record<string, TypedArray>>
}
export type TypedArray = Int32Array | Float64Array | Uint8Array

const kinds = { i: Int32Array, f: Float64Array, u: Uint8Array }

/** Encodes a message: the length of a description (uint32), the description, then each array at a multiple of 8 bytes. */
export function pack({ json, arrays }: Packed): Uint8Array<ArrayBuffer> {
  const layout = Object.entries(arrays).map(
    ([name, array]) =>
      [name, array instanceof Int32Array ? 'i' : array instanceof Float64Array ? 'f' : 'u', array.length] as const,
  )
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
    arrays[name] = new kinds[kind](bytes, at, count)
    at = align(at + arrays[name].byteLength)
  }
  return { json, arrays }
}

function align(length: number): number {
  return (length + 7) & ~7
}
