import type { Resources, Routes } from '@cloister/placement'
import { fabricRoutes } from '@cloister/network'
import { type FabricPorts, nodeName, switchName, type Topology } from '@cloister/topology'
import { Data } from 'effect'
import { parseSwitchTables, type SwitchTables } from './switch-tables.ts'

/** The switches of the fabric differ from the topology. */
export class FabricError extends Data.TaggedError('FabricError')<{ readonly reason: string }> {
  override get message(): string {
    return `the fabric differs from the topology: ${this.reason}`
  }
}

/** Port number that means no route. OpenSM refuses a file with an entry for this port. */
const NO_ROUTE = 255

/** Writer of the file of forwarding tables for OpenSM. Also compares the switches' tables with the routes of jobs. */
export class FabricTables {
  readonly #topology: Topology
  readonly #ports: FabricPorts
  /**
   * Tables of the switches before the controller began; destinations outside of the topology keep these tables' routes.
   */
  readonly #found: SwitchTables
  readonly #lids: ReadonlyArray<string>

  /**
   * @param dump output of `dump_fts`
   * @throws FabricError if the dump lacks a switch or a node
   */
  constructor(topology: Topology, ports: FabricPorts, dump: string) {
    this.#topology = topology
    this.#ports = ports
    this.#found = parseSwitchTables(dump)
    const lids = new Map(
      [...this.#found.values()].flatMap(({ entries }) => [...entries].map(([of, { lid }]) => [of, lid])),
    )
    ports.switchGuids.forEach((guids, level) =>
      guids.forEach((guid, sw) => {
        if (!this.#found.has(guid))
          throw new FabricError({ reason: `no switch has the GUID ${guid} of ${switchName(topology, level, sw)}` })
      }),
    )
    this.#lids = ports.nodeGuids.map((guid, node) => {
      const lid = lids.get(guid)
      if (lid !== undefined) return lid
      const reason = `no switch knows ${nodeName(topology, node)}, port GUID ${guid}; OpenSM must have routed the fabric by itself before the controller begins`
      throw new FabricError({ reason })
    })
  }

  /** Yields the file for `opensm -R file -U FILE`, switch by switch. @param jobs allocations of jobs with routes */
  *file(own: Routes, jobs: Iterable<Resources>): Generator<string> {
    const { switchGuids, nodeGuids, numbers } = this.#ports
    const routes = fabricRoutes(this.#topology, own, jobs)
    const known = new Set(nodeGuids)
    const ofTopology = new Set(switchGuids.flat())
    for (const [guid, { heading, entries }] of this.#found)
      if (!ofTopology.has(guid)) yield tableOf(heading, [...entries.values()])
    for (const [level, guids] of switchGuids.entries())
      for (const [sw, guid] of guids.entries()) {
        const { heading, entries } = this.#found.get(guid)!
        const others = [...entries].filter(([of]) => !known.has(of)).map(([, entry]) => entry)
        let text = tableOf(heading, others)
        for (const [node, portGuid] of nodeGuids.entries()) {
          const port = numbers[level][sw][routes.port(level, sw, node)]
          text += `${this.#lids[node]} ${String(port).padStart(3, '0')} : (Channel Adapter portguid ${portGuid}: '${nodeName(this.#topology, node)}')\n`
        }
        yield text
      }
  }

  /** Returns true if the switches' current tables have every entry of a job's own routes. */
  hasRoutes(tables: SwitchTables, own: Routes, { nodes }: Resources): boolean {
    const { switchGuids, nodeGuids, numbers } = this.#ports
    return switchGuids.every((guids, level) =>
      guids.every((guid, sw) => {
        const entries = tables.get(guid)?.entries
        return Array.prototype.every.call(nodes, (node: number) => {
          const port = own.port(level, sw, node)
          return port < 0 || entries?.get(nodeGuids[node])?.port === numbers[level][sw][port]
        })
      }),
    )
  }
}

function tableOf(heading: string, entries: ReadonlyArray<{ readonly line: string; readonly port: number }>): string {
  const lines = entries.filter(({ port }) => port < NO_ROUTE).map(({ line }) => `${line}\n`)
  return `${heading}\n${lines.join('')}`
}
