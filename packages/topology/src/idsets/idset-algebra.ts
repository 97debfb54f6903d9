import { lowerBound } from '../lower-bound.ts'
/** Returns the ids in `a`, in `b` or in both. Arguments and result are strictly ascending. */
export function unionIdsets(a: Int32Array, b: Int32Array): Int32Array {
  const out = new Int32Array(a.length + b.length)
  let n = 0
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const x = a[i]
    const y = b[j]
    out[n++] = x < y ? x : y
    if (x <= y) i++
    if (y <= x) j++
  }
  while (i < a.length) out[n++] = a[i++]
  while (j < b.length) out[n++] = b[j++]
  return out.slice(0, n)
}

/** Returns the ids in both `a` and `b`, two strictly ascending lists. */
export function intersectIdsets(a: Int32Array, b: Int32Array): Int32Array {
  const out = new Int32Array(Math.min(a.length, b.length))
  let n = 0
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const x = a[i]
    const y = b[j]
    if (x === y) out[n++] = x
    if (x <= y) i++
    if (y <= x) j++
  }
  return out.slice(0, n)
}

/** Returns the ids in `a` and not in `b`, two strictly ascending lists. */
export function subtractIdsets(a: Int32Array, b: Int32Array): Int32Array {
  const out = new Int32Array(a.length)
  let n = 0
  let j = 0
  for (let i = 0; i < a.length; i++) {
    while (j < b.length && b[j] < a[i]) j++
    if (j === b.length || b[j] !== a[i]) out[n++] = a[i]
  }
  return out.slice(0, n)
}

/** Returns true if strictly ascending ids include `id`, by binary search. */
export function idsetIncludes(ids: Int32Array, id: number): boolean {
  const at = lowerBound(ids.length, (place) => ids[place] < id)
  return at < ids.length && ids[at] === id
}
