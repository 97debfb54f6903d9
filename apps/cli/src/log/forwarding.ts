import type { LogState, RunningJob } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import type { Routes } from '@cloister/placement'
import { dModK, partitionRouter, routesOfLog } from '@cloister/routing'
import { describeIrregularity, nodeName, switchName, type Topology } from '@cloister/topology'
import { nearest } from '../terminal/nearest.ts'
import { UnroutableError } from '../errors/errors.ts'
import { OptionError } from '@cloister/run'

/** Forwarding tables of a machine at one moment, computed from the running jobs. */
export interface Forwarding {
  /** `partition` if jobs own their links, else `d-mod-k` on the whole tree. */
  readonly scheme: string
  readonly routes: Routes
  /** Running jobs in the order of their starts. */
  readonly running: ReadonlyArray<RunningJob>
}

/**
 * Computes the forwarding tables for a state of a log.
 *
 * @throws UnroutableError if the machine or a job has no routes
 * @throws RoutingError if the routes exceed the limit for a log
 */
export function forwardingOf({ topology, header, running: jobs }: LogState): Forwarding {
  const running = [...jobs.values()].sort((a, b) => a.allocate.seq - b.allocate.seq)
  if (topology.pgft === undefined)
    throw new UnroutableError({
      subject: topology.name,
      reason: `${describeIrregularity(topology)}; routes are made on regular trees, such as radix:18`,
    })
  if (header.policy.claims.links !== 'owned') return { scheme: 'd-mod-k', routes: dModK(topology), running }
  const router = partitionRouter(sha256, routesOfLog)
  const tables = router.make(topology)
  if ('unsupported' in tables) throw new UnroutableError({ subject: topology.name, reason: tables.unsupported })
  for (const { submit, ...parts } of running) {
    const change = tables.add(submit.job, parts)
    if ('unroutable' in change) throw new UnroutableError({ subject: `job ${submit.job}`, reason: change.unroutable })
  }
  return { scheme: router.name, routes: tables, running }
}

/** Forwarding table of a switch: the port for each node of the running jobs. */
export interface ForwardingTable {
  readonly switch: string
  readonly scheme: string
  readonly entries: ReadonlyArray<{ readonly node: string; readonly job: string; readonly port: number }>
}

/**
 * Returns the forwarding table of a switch in a state of a log.
 *
 * @param name for example `leaf3`, `l2-3`, `spine3`, or the switch's own name
 * @throws UnroutableError, OptionError
 */
export function forwardingTable(state: LogState, name: string): ForwardingTable {
  const { topology } = state
  const { level, sw } = switchNamed(topology, name)
  const { scheme, routes, running } = forwardingOf(state)
  const entries = running
    .flatMap(({ submit, nodes }) =>
      Array.from(nodes, (node) => ({ node, job: submit.job, port: routes.port(level, sw, node) })),
    )
    .filter(({ port }) => port >= 0)
    .sort((a, b) => a.node - b.node)
    .map(({ node, job, port }) => ({ node: nodeName(topology, node), job, port }))
  return { switch: name, scheme, entries }
}

function switchNamed(topology: Topology, name: string): { readonly level: number; readonly sw: number } {
  const names = topology.levels.map(({ switches }, level) =>
    Array.from({ length: switches }, (_, sw) => switchName(topology, level, sw)),
  )
  const level = names.findIndex((ofLevel) => ofLevel.includes(name))
  if (level >= 0) return { level, sw: names[level].indexOf(name) }
  const close = nearest(name, names.flat())
  throw new OptionError({
    option: 'switch',
    reason: `there is no switch ${JSON.stringify(name)} in ${topology.name}${close === undefined ? '' : `; did you mean ${close}?`} Switches are named ${names[0][0]} to ${names.at(-1)!.at(-1)!}`,
  })
}
