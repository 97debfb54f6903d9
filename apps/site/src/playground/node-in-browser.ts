// The members of Node's modules that the conformance suite imports, for the worker of the checks. A browser can stop no
// endless loop within a worker, so the time limits of the suite have no effect: the page ends the worker instead.

// The suite records reads of the environment by a policy.
const none = { env: {}, hrtime: () => [0, 0] }
;(globalThis as { process?: unknown }).process ??= none

export const performance: Performance = globalThis.performance

export function createContext(context: object): object {
  return context
}

export class Script {
  runInContext(context: { readonly run: () => void }): void {
    context.run()
  }
}

/** Compares plain data, maps and sets. */
export function isDeepStrictEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b)
  const entries = (of: object): Array<[string, unknown]> =>
    Object.entries(of instanceof Map || of instanceof Set ? [...of] : of)
  const [ofA, ofB] = [entries(a), new Map(entries(b))]
  return (
    a.constructor === b.constructor &&
    ofA.length === ofB.size &&
    ofA.every(([key, value]) => ofB.has(key) && isDeepStrictEqual(value, ofB.get(key)))
  )
}

export const runInNewContext = missing
export const setFlagsFromString = missing
export const existsSync = missing
export const readFileSync = missing
export const dirname = missing
export const join = missing

function missing(): never {
  throw new Error('a browser has no such function')
}
