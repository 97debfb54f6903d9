import { countingRecorder, type Recorder } from '@cloister/eventlog'
import { type QueueDiscipline, simulate } from '@cloister/kernel'
import { bindPolicy, type Resources } from '@cloister/placement'
import { parseTopology, type Topology } from '@cloister/topology'
import type { Workload } from '@cloister/workload'
import { type Config, mosaic } from '../src/index.ts'
import { cableBreach } from './cable-rule.ts'

/** Queue discipline of plain EASY backfilling with a window of 50 jobs. */
export const easy: QueueDiscipline = { backfill: 'easy', window: 50 }

/**
 * Queue discipline of the comparison with the prototype in mosaic's README: `--window-order largest --replan
 * --move-min-nodes 20`.
 */
export const largestFirst: QueueDiscipline = {
  backfill: 'easy',
  window: 50,
  reservation: 'movable',
  windowOrder: 'largest',
  replan: true,
  moveMinNodes: 20,
}

/**
 * Runs a whole workload under Mosaic with exact estimates, and calls `see` with every allocation and every reservation.
 */
export function watchRun(
  spec: string,
  workload: Workload,
  queue: QueueDiscipline,
  see: (topology: Topology, resources: Resources) => void,
  config: Config = {},
): void {
  const topology = parseTopology(spec)
  const counting = countingRecorder()
  const recorder: Recorder = {
    record(event) {
      if (event.type === 'reserve' || event.type === 'allocate')
        see(topology, { nodes: event.nodes, links: event.links ?? [] })
      return counting.record(event)
    },
  }
  simulate({
    topology,
    policyName: mosaic.name,
    placer: bindPolicy(mosaic, topology, config).placer,
    workload,
    queue,
    estimates: 'exact',
    overrun: 'run-on',
    refusals: false,
    recorder,
  })
}

/** Number of allocations and reservations of a run, and the breaches of the rule of CONDITION.md. */
export interface CheckedRun {
  readonly checked: number
  readonly breaches: ReadonlyArray<string>
}

/** Runs a whole workload and checks the rule of CONDITION.md on every allocation and every reservation. */
export function checkRun(spec: string, workload: Workload, queue: QueueDiscipline, config?: Config): CheckedRun {
  const breaches: Array<string> = []
  let checked = 0
  const see = (topology: Topology, resources: Resources): void => {
    checked++
    const breach = cableBreach(topology, resources)
    if (breach !== undefined) breaches.push(`${resources.nodes.length} nodes: ${breach}`)
  }
  watchRun(spec, workload, queue, see, config)
  return { checked, breaches }
}
