import type { Topology } from '@cloister/topology'
import { FreeResources } from '../resources.ts'
import { ClusterState } from '../state.ts'

/** Member of a prototype of states, as it was when this module was loaded. */
interface Member {
  readonly prototype: object
  readonly key: string | symbol
  readonly descriptor: PropertyDescriptor
}

const prototypes: ReadonlyArray<object> = [ClusterState.prototype, FreeResources.prototype]
const originals: ReadonlyArray<Member> = prototypes.flatMap((prototype) =>
  Reflect.ownKeys(prototype).map((key) => ({
    prototype,
    key,
    descriptor: Object.getOwnPropertyDescriptor(prototype, key)!,
  })),
)
/** Names of the members that a state itself has. */
const ownMembers = new Set(['topology', 'linkCapacity', 'masks', 'index', 'running'])

/**
 * Returns a message about the first function of a state, or of all states, that a policy replaced or added, and puts
 * back the functions of all states; undefined if none was replaced.
 */
export function replacedFunction(state: ClusterState<any>): string | undefined {
  const own = Object.keys(state).find((key) => !ownMembers.has(key))
  const shared = replacedOfAll()
  if (own !== undefined) return `the state has a new member ${own}`
  return shared === undefined ? undefined : `the function ${shared} of all states was replaced`
}

function isAsBefore({ prototype, key, descriptor }: Member): boolean {
  // Reading a member is faster than reading its descriptor, but calls an accessor.
  if (descriptor.get === undefined)
    return Reflect.get(prototype, key) === descriptor.value && Object.hasOwn(prototype, key)
  return Object.getOwnPropertyDescriptor(prototype, key)?.get === descriptor.get
}

function replacedOfAll(): string | undefined {
  let replaced: string | undefined
  for (let i = 0; i < originals.length; i++) {
    const { prototype, key, descriptor } = originals[i]
    if (isAsBefore(originals[i])) continue
    replaced ??= String(key)
    Object.defineProperty(prototype, key, descriptor)
  }
  return replaced ?? addedToAll()
}

const counts = prototypes.map((prototype) => Reflect.ownKeys(prototype).length)

function addedToAll(): string | undefined {
  for (const [at, prototype] of prototypes.entries()) {
    const keys = Reflect.ownKeys(prototype)
    if (keys.length === counts[at]) continue
    const added = keys.find((key) => !originals.some((member) => member.prototype === prototype && member.key === key))
    if (added === undefined) continue
    Reflect.deleteProperty(prototype, added)
    return String(added)
  }
  return undefined
}

type Numbers = Int32Array

/** A topology as it was at first. The topology is shared by all jobs of a run, so no policy may write to it. */
export class OriginalTopology {
  readonly #numbers: Array<{ readonly path: string; readonly now: Numbers; readonly before: Numbers }> = []
  readonly #members: Array<{
    readonly path: string
    readonly of: any
    readonly key: string
    readonly before: unknown
  }> = []
  readonly #keys: Array<{ readonly path: string; readonly of: object; readonly keys: ReadonlyArray<string> }> = []

  constructor(topology: Topology) {
    this.#copy('topology', topology)
  }

  /** Returns the path of the first changed part, such as `topology.levels`, and restores the topology. */
  changedPart(): string | undefined {
    let changed: string | undefined
    for (const { path, of, key, before } of this.#members) {
      if (of[key] === before) continue
      changed ??= path
      Reflect.set(of, key, before)
    }
    for (const { path, now, before } of this.#numbers) {
      for (let i = 0; i < before.length; i++) {
        if (now[i] === before[i]) continue
        changed ??= `${path}[${i}]`
        now[i] = before[i]
      }
    }
    for (const { path, of, keys } of this.#keys) {
      const now = Object.keys(of)
      if (now.length === keys.length) continue
      changed ??= path
      for (const key of now) if (!keys.includes(key)) Reflect.deleteProperty(of, key)
    }
    return changed
  }

  #copy(path: string, of: object): void {
    const entries = Object.entries(of)
    // Lists of names can be long, and are not worth the time of a comparison after each call.
    if (Array.isArray(of) && typeof of[0] === 'string') return
    this.#keys.push({ path, of, keys: Object.keys(of) })
    for (const [key, before] of entries) {
      const name = Array.isArray(of) ? `${path}[${key}]` : `${path}.${key}`
      this.#members.push({ path: name, of, key, before })
      if (before instanceof Int32Array) this.#numbers.push({ path: name, now: before, before: before.slice() })
      else if (typeof before === 'object' && before !== null) this.#copy(name, before)
    }
  }
}
