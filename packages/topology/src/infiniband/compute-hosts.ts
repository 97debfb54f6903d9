import { compareNaturally } from '../names/natural-order.ts'
import { parseHostlist } from '../names/hostlist.ts'
import { quote, TopologyError } from '../topology-error.ts'
import type { DiscoveredAdapter, DiscoveredFabric } from './discovered-fabric.ts'

/** Choice of the hosts and adapters of a fabric that are the nodes of the machine. */
export interface HostChoice {
  /**
   * Hosts on which jobs run, as a hostlist. Default: the largest group of hosts with the same name except for digits.
   */
  readonly nodes?: string
  /** Name of the adapter to use if hosts have several adapters, such as `mlx5_0`. */
  readonly adapter?: string
}

/** Pattern of the descriptions of adapters inside switches, which compute reductions and belong to no host. */
const NOT_A_HOST = /^Mellanox Technologies Aggregation Node/

/** Hosts of a fabric, sorted into nodes and other hosts. */
export interface HostsOfLeaf {
  /** Names of the nodes on each leaf, in natural order, by the id of the leaf switch. */
  readonly ofSwitch: ReadonlyMap<string, ReadonlyArray<string>>
  /** Names of cabled hosts that are no nodes (storage, login, management), in natural order. */
  readonly leftOut: ReadonlyArray<string>
  /** Ids of the switches with other adapters: adapters of hosts that are no nodes, and unused adapters of nodes. */
  readonly switchesOfOthers: ReadonlySet<string>
}

/** Finds the nodes of a machine among the hosts of its fabric, and the switch of each node. */
export function computeHosts(fabric: DiscoveredFabric, choice: HostChoice, source: string): HostsOfLeaf {
  const cabled = cabledHosts(fabric)
  const isCompute = computeRule([...new Set(cabled.map(({ host }) => host))], choice, source)
  const switchOf = new Map<string, string>()
  const leftOut = new Set<string>()
  const switchesOfOthers = new Set<string>()
  for (const { host, adapter, sw, line } of cabled) {
    if (!isCompute(host)) leftOut.add(host)
    if (!isCompute(host) || (choice.adapter !== undefined && adapter !== choice.adapter)) {
      switchesOfOthers.add(sw)
    } else {
      const before = switchOf.get(host)
      if (before !== undefined && before !== sw)
        throw new TopologyError(
          `host ${quote(host)} hangs on two switches, and a node hangs on one; choose an adapter, such as adapter=${adapter}`,
          { source, line },
        )
      switchOf.set(host, sw)
    }
  }
  return {
    ofSwitch: hostsBySwitch(switchOf, choice, source),
    leftOut: [...leftOut].sort(compareNaturally),
    switchesOfOthers,
  }
}

interface CabledHost extends Pick<DiscoveredAdapter, 'host' | 'adapter'> {
  readonly sw: string
  readonly line: number
}

function cabledHosts({ switches, adapters }: DiscoveredFabric): ReadonlyArray<CabledHost> {
  return switches.flatMap(({ id, cables }) =>
    cables.flatMap(({ device, line }) => {
      const found = adapters.get(device)
      if (found === undefined || NOT_A_HOST.test(`${found.host} ${found.adapter}`)) return []
      return [{ host: found.host, adapter: found.adapter, sw: id, line }]
    }),
  )
}

/** Returns a test for nodes: the hosts of `nodes`, or else the hosts with the most common name, apart from digits. */
function computeRule(hosts: ReadonlyArray<string>, { nodes }: HostChoice, source: string): (host: string) => boolean {
  if (nodes !== undefined) {
    const listed = new Set(parseHostlist(nodes))
    const unknown = [...listed].find((name) => !hosts.includes(name))
    if (unknown !== undefined)
      throw new TopologyError(`no adapter of host ${quote(unknown)} is cabled`, { source, field: 'nodes' })
    return (host) => listed.has(host)
  }
  const counts = new Map<string, number>()
  for (const host of hosts) counts.set(stem(host), (counts.get(stem(host)) ?? 0) + 1)
  const [common] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ['']
  return (host) => stem(host) === common
}

function stem(host: string): string {
  return host.replaceAll(/\d+/g, '#')
}

function hostsBySwitch(
  switchOf: ReadonlyMap<string, string>,
  { adapter }: HostChoice,
  source: string,
): ReadonlyMap<string, ReadonlyArray<string>> {
  if (switchOf.size === 0)
    throw new TopologyError(
      adapter === undefined ? 'no host found' : `no host has a cabled adapter ${quote(adapter)}`,
      { source },
    )
  const ofSwitch = new Map<string, Array<string>>()
  for (const host of [...switchOf.keys()].sort(compareNaturally)) {
    const sw = switchOf.get(host)!
    ofSwitch.set(sw, [...(ofSwitch.get(sw) ?? []), host])
  }
  return ofSwitch
}
