import { performance } from 'node:perf_hooks'

/** Globals with the clock, random numbers or the environment, and the members that are forbidden; all if undefined. */
const GLOBALS: ReadonlyArray<readonly [name: string, member?: string]> = [
  ['Date'],
  ['performance'],
  ['process'],
  ['crypto'],
  ['Temporal', 'Now'],
]

let isPlacing = false
let hasTraps = false
let read = new Set<string>()

/**
 * Runs `run`. Meanwhile, reads of the clock, of random numbers and of the environment are recorded between
 * `startPlacing` and `endPlacing`. All reads return the true values. Calls may be nested.
 */
export function withTraps<Result>(run: () => Result): Result {
  if (hasTraps) return run()
  const undo: Array<() => void> = []
  hasTraps = true
  try {
    setTraps(undo)
    return run()
  } finally {
    hasTraps = false
    isPlacing = false
    for (const each of undo) each()
  }
}

/** Starts the record of reads, at the start of a call of the policy. */
export function startPlacing(): void {
  isPlacing = true
}

/** Ends the record of reads. A stopped call skips its `finally`, so `interruptible` ends the record after a stop. */
export function endPlacing(): void {
  isPlacing = false
}

/** Returns the names of the values that were read since the last call of `takeReads`, such as `Date.now`. */
export function takeReads(): ReadonlyArray<string> {
  if (read.size === 0) return []
  const names = [...read]
  read = new Set()
  return names
}

/** Records the names that a program gives in the field `reads` of its answer. */
export function addReads(answer: unknown): void {
  const { reads } = Object(answer) as { readonly reads?: unknown }
  if (Array.isArray(reads)) for (const name of reads) read.add(String(name))
}

/**
 * Runs a function, and returns the names of the values that it read from the clock, from random numbers and from the
 * environment. The result of the function may be the answer of a program that names its reads.
 *
 * @example readsOf(() => Date.now()) // ['Date.now']
 */
export function readsOf(run: () => unknown): ReadonlyArray<string> {
  return withTraps(() => {
    takeReads()
    startPlacing()
    try {
      addReads(run())
    } finally {
      endPlacing()
    }
    return takeReads()
  })
}

function setTraps(undo: Array<() => void>): void {
  const replace = (holder: object, name: string, by: PropertyDescriptor): void => {
    const descriptor = Object.getOwnPropertyDescriptor(holder, name)
    if (descriptor?.configurable !== true) return
    Object.defineProperty(holder, name, { enumerable: descriptor.enumerable === true, configurable: true, ...by })
    undo.push(() => Object.defineProperty(holder, name, descriptor))
  }
  const trap = (holder: any, name: string, called: string): void => {
    const real: (...values: Array<unknown>) => unknown = holder[name]
    const recorded = function (this: unknown, ...values: Array<unknown>): unknown {
      if (isPlacing) read.add(called)
      return real.apply(this, values)
    }
    replace(holder, name, { value: recorded, writable: true })
  }
  for (const [name, member] of GLOBALS) replace(globalThis, name, trappedGlobal(name, member))
  trap(Math, 'random', 'Math.random')
  // Modules can import `process` and `performance`, too.
  trap(Object.getPrototypeOf(performance), 'now', 'performance.now')
  const { process } = globalThis
  for (const name of ['env', 'hrtime'] as const) {
    const real = process[name]
    const members = trappedMembers(`process.${name}`, real)
    replace(process, name, { get: () => (isPlacing ? members : real), set: () => {} })
  }
}

/** Returns an accessor of a global. The value of an accessor is not read before use, because Node makes some late. */
function trappedGlobal(name: string, member: string | undefined): PropertyDescriptor {
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, name)
  if (descriptor?.get !== undefined)
    return {
      get() {
        if (isPlacing) read.add(name)
        return descriptor.get!.call(globalThis)
      },
    }
  const members = trappedMembers(name, Object(descriptor?.value), member)
  return { get: () => (isPlacing ? members : descriptor?.value) }
}

/** Returns an object that behaves as `real`, but records calls and reads of members. */
function trappedMembers(name: string, real: object, only?: string): unknown {
  return new Proxy(real, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof key === 'symbol' || key === 'prototype' || (only !== undefined && key !== only)) return value
      read.add(`${name}.${key}`)
      return typeof value === 'function' && only === undefined ? value.bind(target) : value
    },
    has(target, key) {
      read.add(name)
      return Reflect.has(target, key)
    },
    ownKeys(target) {
      read.add(name)
      return Reflect.ownKeys(target)
    },
    apply(target, self, values) {
      read.add(`${name}()`)
      return Reflect.apply(target as () => unknown, self, values)
    },
    construct(target, values) {
      read.add(`new ${name}()`)
      return Reflect.construct(target as new () => object, values)
    },
  })
}
