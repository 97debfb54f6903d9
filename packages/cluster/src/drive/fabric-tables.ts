import type { Resources, Routes } from '@cloister/placement'
import { fabricRoutes } from '@cloister/network'
import { type FabricPorts, nodeName, switchName, type Topology } from '@cloister/topology'
import { Data } from 'effect'
import type { LogState, RunningJob } from '@cloister/eventlog'

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

/** Entry of a switch's forwarding table: one line of `dump_fts`. */
interface TableEntry {
  /** LID of the destination port, hexadecimal with 0x. */
  readonly lid: string
  readonly port: number
  readonly line: string
}

interface SwitchTable {
  /** Line above the switch's entries in the output of `dump_fts`. */
  readonly heading: string
  /** Entries by the GUID of the destination's port; by LID if the line has no GUID. */
  readonly entries: ReadonlyMap<string, TableEntry>
}

/** Tables of switches, by the GUID of the switch: 0x and 16 hexadecimal digits. */
type SwitchTables = ReadonlyMap<string, SwitchTable>

const HEADING = /^Unicast lids .* guid (0x[0-9a-f]{16})/
/** The pattern skips the description of a node, in quotes behind the GUID, because hosts choose their descriptions. */
const ENTRY = /^(0x[0-9a-f]+) (\d+)(?: : \((?:[^':]* portguid (0x[0-9a-f]{16}))?)?/

/** Parses the output of `dump_fts`. Lines that are neither heading nor entry are skipped. */
export function parseSwitchTables(text: string): SwitchTables {
  const tables = new Map<string, SwitchTable>()
  let entries = new Map<string, TableEntry>()
  for (const line of text.split('\n')) {
    const [, guid] = HEADING.exec(line) ?? []
    if (guid !== undefined) {
      entries = new Map()
      tables.set(guid, { heading: line, entries })
      continue
    }
    const [, lid, port, portGuid = lid] = ENTRY.exec(line) ?? []
    if (lid !== undefined) entries.set(portGuid, { lid, port: Number(port), line })
  }
  return tables
}

/** Notes about the running jobs: each job whose routes the switches have, by the dumps of the switches' tables. */
export class JobRoutes {
  readonly #tables: FabricTables
  /** `seq` of each job's start whose routes the switches have, by the job's name in the log. */
  readonly #confirmed = new Map<string, number>()
  /** Starts and route records of the jobs in the last file for OpenSM, as text; undefined before the first file. */
  #sent: string | undefined

  constructor(tables: FabricTables) {
    this.#tables = tables
  }

  /** Returns true if jobs have started or ended, or routes have changed, since the last file for OpenSM. */
  isChanged(state: LogState): boolean {
    return routedJobsOf(state) !== this.#sent
  }

  file(state: LogState, own: Routes): Generator<string> {
    return this.#tables.file(own, state.running.values())
  }

  markSent(state: LogState): void {
    this.#sent = routedJobsOf(state)
  }

  /** Notes each running job with all routes in the switches. @param dump output of `dump_fts` */
  see(state: LogState, own: Routes, dump: string): void {
    const tables = parseSwitchTables(dump)
    for (const [job, { allocate, ...parts }] of this.#open(state))
      if (this.#tables.hasRoutes(tables, own, parts)) this.#confirmed.set(job, allocate.seq)
  }

  /** Returns the names in the log of the running jobs whose routes the switches do not have yet. */
  unrouted(state: LogState): ReadonlySet<string> {
    for (const job of this.#confirmed.keys()) if (!state.running.has(job)) this.#confirmed.delete(job)
    return new Set(this.#open(state).map(([job]) => job))
  }

  #open({ running }: LogState): ReadonlyArray<readonly [string, RunningJob]> {
    return [...running].filter(([job, { allocate }]) => this.#confirmed.get(job) !== allocate.seq)
  }
}

function routedJobsOf({ running, routes }: LogState): string {
  return [...[...running.values()].map(({ allocate }) => allocate.seq), 'routes', ...routes.keys()].join()
}
