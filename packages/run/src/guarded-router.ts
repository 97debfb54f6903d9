import {
  EntryRules,
  type ForwardingTables,
  type Resources,
  type RouteChange,
  type SwitchEntries,
  tablesDefect,
} from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { isTagged, RouterFailedError } from './errors.ts'
import type { FoundRouter } from './services.ts'

/**
 * Makes the tables of a router from a package or a file. A breach of the contract becomes a RouterFailedError that names
 * the call: an exception, or an entry that does not exist.
 *
 * @throws RouterFailedError if `make` throws, or returns no tables
 */
export function guardedTables(
  found: FoundRouter,
  topology: Topology,
): ForwardingTables | { readonly unsupported: string } {
  const guard = new Guard(found, topology)
  const tables = guard.call('make', () => found.router.make(topology))
  const defect = tablesDefect(tables)
  if (defect !== undefined) return guard.fail('make', defect)
  if ('unsupported' in tables) return tables
  return {
    ...(tables.initial !== undefined && { initial: () => guard.entries('initial', () => tables.initial!()) }),
    start(job, resources) {
      const calling = `start of job ${job}`
      const started = guard.call(calling, () => tables.start(job, resources))
      return isUnroutable(started) ? started : guard.entries(calling, () => started)
    },
    end: (job) => guard.entries(`end of job ${job}`, () => tables.end(job)),
    port: (level, sw, node) => guard.call('port', () => tables.port(level, sw, node)),
    ...(tables.change !== undefined && {
      change: (kind: 'down' | 'up', resources: Resources) =>
        guard.changes(`change (${kind})`, () => tables.change!(kind, resources)),
    }),
  }
}

function isUnroutable(started: unknown): started is { readonly unroutable: string } {
  return typeof started === 'object' && started !== null && 'unroutable' in started
}

class Guard {
  readonly #found: FoundRouter
  readonly #rules: EntryRules

  constructor(found: FoundRouter, topology: Topology) {
    this.#found = found
    this.#rules = new EntryRules(topology)
  }

  call<Result>(calling: string, run: () => Result): Result {
    try {
      return run()
    } catch (cause) {
      throw this.#failed(calling, cause)
    }
  }

  fail(calling: string, defect: string): never {
    const { router, origin } = this.#found
    throw new RouterFailedError({ router: router.name, origin, calling, cause: undefined, defect })
  }

  /** Calls the router at once, and checks the entries when they are read. */
  entries(calling: string, run: () => Iterable<SwitchEntries>): Iterable<SwitchEntries> {
    return this.#checked(calling, this.call(calling, run))
  }

  changes(calling: string, run: () => Iterable<RouteChange>): Iterable<RouteChange> {
    return this.call(calling, () =>
      Array.from(run(), (each) => ({ ...each, entries: this.#checked(calling, each.entries) })),
    )
  }

  *#checked(calling: string, entries: Iterable<SwitchEntries>): Generator<SwitchEntries> {
    const checked = this.#rules.checked(entries, (defect) => this.fail(calling, defect))
    for (;;) {
      const next = this.call(calling, () => checked.next())
      if (next.done === true) return
      yield next.value
    }
  }

  #failed(calling: string, cause: unknown): unknown {
    if (isTagged(cause)) return cause
    const { router, origin } = this.#found
    return new RouterFailedError({ router: router.name, origin, calling, cause })
  }
}
