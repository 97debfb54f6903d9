import type { LogState } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { partitionRouter } from '@cloister/routing'
import { nodeName, switchName, type Topology } from '@cloister/topology'
import { nearest } from './nearest.ts'
import { Problem } from './problem.ts'
import { tablesOf } from './router-option.ts'

/** One switch's forwarding table at one moment: the port for each node of the jobs that run. */
export interface ForwardingTable {
  readonly switch: string
  readonly scheme: string
  readonly entries: ReadonlyArray<{ readonly node: string; readonly job: string; readonly port: number }>
}

/** The forwarding table of a switch (`leaf3`, `l2-3`, `spine3`, or its own name) in a state of a log, made anew from what runs. @throws Problem */
export function forwardingTable(state: LogState, name: string): ForwardingTable {
  const { topology, header } = state
  if (header.policy.claims.links !== 'owned') throw new Problem(`--routes: policy ${header.policy.name} gives jobs no links of their own (links: ${header.policy.claims.links})`)
  const { level, sw } = switchNamed(topology, name)
  const router = partitionRouter(sha256)
  const tables = tablesOf(router, topology)
  const running = [...state.running.values()].sort((a, b) => a.allocate.seq - b.allocate.seq)
  for (const { submit, ...parts } of running) {
    const change = tables.add(submit.job, parts)
    if ('unroutable' in change) throw new Problem(`--routes: job ${submit.job}: ${change.unroutable}`)
  }
  const entries = running.flatMap(({ submit, nodes }) => Array.from(nodes, (node) => ({ node, job: submit.job, port: tables.port(level, sw, node) })))
    .filter(({ port }) => port >= 0)
    .sort((a, b) => a.node - b.node)
    .map(({ node, job, port }) => ({ node: nodeName(topology, node), job, port }))
  return { switch: name, scheme: router.name, entries }
}

function switchNamed(topology: Topology, name: string): { readonly level: number; readonly sw: number } {
  const names = topology.levels.flatMap(({ switches }, level) => Array.from({ length: switches }, (_, sw) => switchName(topology, level, sw)))
  for (const [level, { switches }] of topology.levels.entries()) {
    for (let sw = 0; sw < switches; sw++) if (switchName(topology, level, sw) === name) return { level, sw }
  }
  const close = nearest(name, names)
  throw new Problem(`--switch: there is no switch ${JSON.stringify(name)} in ${topology.name}${close === undefined ? '' : `; did you mean ${close}?`} Switches are named ${names[0]} to ${names.at(-1)}`)
}
