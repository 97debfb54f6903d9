import { performance } from 'node:perf_hooks'

/** Value that a policy may not use in `place`, with the trap that stands in its place during a call. */
interface Trapped {
  readonly holder: any
  readonly name: string
  readonly real: unknown
  readonly trap: unknown
}

/**
 * Globals with the clock, random numbers or the environment. Of `Temporal`, only `Temporal.Now` counts, because the
 * other members compute from their arguments.
 */
const GLOBALS = ['Date', 'performance', 'process', 'crypto', 'Temporal']

let traps: ReadonlyArray<Trapped> = []
let isSet = false
let read = new Set<string>()

/**
 * Runs `run`, in which `guarded` records reads of the clock, of random numbers and of the environment. Calls may be
 * nested. The globals stay as they are except during `guarded`.
 */
export function withTraps<Result>(run: () => Result): Result {
  if (traps.length > 0) return run()
  const undo: Array<() => void> = []
  try {
    traps = makeTraps(undo)
    return run()
  } finally {
    removeTraps()
    traps = []
    for (const each of undo) each()
  }
}

/** Puts the traps of `withTraps` in place for one call of a policy. */
export function setTraps(): void {
  isSet = true
  for (let i = 0; i < traps.length; i++) traps[i].holder[traps[i].name] = traps[i].trap
}

/** Takes the traps away. `interruptible` does so for a call that was stopped, because its `finally` never runs. */
export function removeTraps(): void {
  if (!isSet) return
  isSet = false
  for (let i = 0; i < traps.length; i++) traps[i].holder[traps[i].name] = traps[i].real
}

/** Returns the names of the trapped values that were read since the last call, such as `Date.now`. */
export function takeReads(): ReadonlyArray<string> {
  if (read.size === 0) return []
  const names = [...read]
  read = new Set()
  return names
}

/**
 * Runs a function, and returns the names of the values that it read from the clock, from random numbers and from the
 * environment.
 *
 * @example readsOf(() => Date.now()) // ['Date.now']
 */
export function readsOf(run: () => unknown): ReadonlyArray<string> {
  return withTraps(() => {
    takeReads()
    setTraps()
    try {
      run()
    } finally {
      removeTraps()
    }
    return takeReads()
  })
}

function makeTraps(undo: Array<() => void>): ReadonlyArray<Trapped> {
  const all: Array<Trapped> = []
  const add = (holder: any, name: string, trap: (real: any) => unknown): void => {
    const descriptor = Object.getOwnPropertyDescriptor(holder, name)
    if (descriptor?.configurable !== true) return
    const real: unknown = holder[name]
    // Some globals are accessors without a setter, and cannot be assigned.
    if (descriptor.writable !== true) {
      Object.defineProperty(holder, name, { value: real, writable: true, enumerable: false, configurable: true })
      undo.push(() => Object.defineProperty(holder, name, descriptor))
    }
    all.push({ holder, name, real, trap: trap(real) })
  }
  for (const name of GLOBALS) add(globalThis, name, (real) => members(name, real))
  add(Math, 'random', (real) => members('Math.random', real))
  // Modules can import `process` and `performance`, too.
  const { process } = globalThis
  add(process, 'env', (real) => members('process.env', real))
  add(process, 'hrtime', (real) => members('process.hrtime', real))
  add(Object.getPrototypeOf(performance), 'now', (real) => called('performance.now', real))
  return all
}

/** Returns an object that behaves as `real`, but records calls and reads of members. */
function members(name: string, real: object): unknown {
  return new Proxy(real, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof key === 'symbol' || key === 'prototype' || (name === 'Temporal' && key !== 'Now')) return value
      read.add(`${name}.${key}`)
      return typeof value === 'function' ? value.bind(target) : value
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

/** Returns a function that behaves as `real`, but records calls. A method needs its own `this`. */
function called(name: string, real: (...values: Array<unknown>) => unknown): unknown {
  return function (this: unknown, ...values: Array<unknown>): unknown {
    read.add(name)
    return real.apply(this, values)
  }
}
