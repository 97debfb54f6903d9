import type { ForwardingTables, Resources, RouteChange, Router, Routes, SwitchEntries } from '@cloister/placement'
import { describeIrregularity, type Topology } from '@cloister/topology'
import { ConnectedJobs } from './connected-jobs.ts'
import { LiveLinks } from './live-links.ts'
import { changedEntries, type FillRow, Rows } from './rows.ts'

/** Computes tables from the links of a machine that are up: each call makes the tables anew. */
export type Scheme = (live: LiveLinks) => FillRow

/**
 * Returns a router whose tables do not depend on jobs. After each failure or repair of links, the scheme computes the
 * tables again. So the tables depend only on the topology and on the set of failed links.
 *
 * @param unsupported returns the reason for which the scheme does not serve a machine, if any
 */
export function staticRouter(
  name: string,
  schemeOf: (topology: Topology) => Scheme,
  unsupported: (topology: Topology) => string | undefined = () => undefined,
): Router {
  return {
    contract: 1,
    name,
    version: '1.0.0',
    claims: { links: 'shared', changes: 'none' },
    make: (topology) => {
      const live = new LiveLinks(topology)
      const reason = unsupported(topology) ?? live.unconnectedLeaves()
      return reason === undefined ? new StaticTables(live, schemeOf(topology)) : { unsupported: reason }
    },
  }
}

/** Returns a reason not to serve an irregular machine, for schemes that compute ports from a regular shape. */
export function irregular(topology: Topology): string | undefined {
  return topology.pgft === undefined
    ? `${describeIrregularity(topology)}; routes are made on regular trees, such as radix:18`
    : undefined
}

/**
 * Returns a scheme that keeps the ports of given routes where they still lead to the node on a minimal route. Another
 * port is replaced: by number `port mod count` of the `count` ports of minimal routes.
 */
export function around(routes: Routes): Scheme {
  return (live) => {
    const { firstNodeOfLeaf, leaves } = live.topology
    const usable: Array<number> = []
    return (level, sw, ports) => {
      for (let node = 0; node < ports.length; node++) ports[node] = routes.port(level, sw, node)
      if (live.isWhole) return
      for (let leaf = 0; leaf < leaves; leaf++) {
        if (level === 0 && leaf === sw) continue
        const count = live.portsTowards(level, sw, leaf, usable)
        usable.length = count
        for (let node = firstNodeOfLeaf[leaf]; node < firstNodeOfLeaf[leaf + 1]; node++)
          ports[node] = count === 0 ? -1 : usable.includes(ports[node]) ? ports[node] : usable[ports[node] % count]
      }
    }
  }
}

class StaticTables implements ForwardingTables {
  readonly #live: LiveLinks
  readonly #scheme: Scheme
  readonly #jobs: ConnectedJobs
  #rows: Rows

  constructor(live: LiveLinks, scheme: Scheme) {
    this.#live = live
    this.#scheme = scheme
    this.#jobs = new ConnectedJobs(live)
    this.#rows = new Rows(live.topology, scheme(live))
  }

  port(level: number, sw: number, node: number): number {
    return this.#rows.of(level, sw)[node]
  }

  initial(): Iterable<SwitchEntries> {
    return this.#rows.entries()
  }

  start(job: string, resources: Resources): ReadonlyArray<SwitchEntries> | { readonly unroutable: string } {
    const unroutable = this.#jobs.start(job, resources)
    return unroutable === undefined ? [] : { unroutable }
  }

  end(job: string): ReadonlyArray<SwitchEntries> {
    this.#jobs.end(job)
    return []
  }

  change(change: 'down' | 'up', { links }: Resources): ReadonlyArray<RouteChange> {
    const before = this.#rows
    // The scheme reads the live links, so the rows before the change are made before the change.
    before.freeze()
    if (!this.#live.change(change, links)) return []
    this.#rows = new Rows(this.#live.topology, this.#scheme(this.#live))
    const entries = changedEntries(this.#live.topology, before, this.#rows)
    return [...(entries.length > 0 ? [{ entries }] : []), ...this.#jobs.lostAndBack()]
  }
}
