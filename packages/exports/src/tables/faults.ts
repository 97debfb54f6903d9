import { type Down, type LogRecord, type LogState, railCablesOf, resourcesOf } from '@cloister/eventlog'
import { stepsOf } from './steps.ts'
import { optional, long, seconds, type Table, tableOf, text, whole } from './table.ts'

/** Failed node, link or cable. */
interface Part {
  readonly part: 'node' | 'link' | 'cable'
  /** Level of the link or cable, 0 for leaf uplinks; undefined for a node. */
  readonly level: number | undefined
  readonly id: number
  /** Rail of the cable; undefined for a node or link. */
  readonly rail: number | undefined
}

interface Failure extends Part {
  readonly down: Down
  /** Name of the node; undefined if the log has no names. */
  readonly name: string | undefined
  /** Job that held the node or link at the failure; undefined if there was none. */
  readonly job: string | undefined
  /** Time of the repair in seconds; undefined if the log has no repair. */
  readonly up: number | undefined
}

/** Table with a row for each failure of a node, link or cable, in the order of the repairs. */
export const faults: Table = tableOf<Failure>(
  'faults',
  'a failure of a node, link or cable',
  [
    long('failure', 'number of the down record', ({ down }) => down.seq),
    text('part', '`node`, `link`, or `cable` for a link of a single rail', ({ part }) => part),
    optional.whole('level', 'level of the link, 0 for leaf uplinks; missing for a node', ({ level }) => level),
    whole('id', 'id of the node or link', ({ id }) => id),
    optional.whole('rail', 'rail of the cable; missing for a node or link', ({ rail }) => rail),
    optional.text('node_name', 'name of the node; missing if the log has no names', ({ name }) => name),
    seconds('down_time', 'time of the failure', ({ down }) => down.t),
    optional.seconds('up_time', 'time of the repair; missing if the log ends before', ({ up }) => up),
    optional.text('job', 'job that held the node or link at the failure; missing if there was none', ({ job }) => job),
  ],
  failures,
)

function* failures(records: Iterable<LogRecord>): Generator<Failure, void> {
  let last!: LogState
  const open = new Map<string, Failure>()
  for (const { record: found, isBefore } of stepsOf(records, (state) => (last = state))) {
    if (found.type !== 'down' && found.type !== 'up') continue
    for (const part of partsOf(found)) {
      const key = JSON.stringify(part)
      const failure = open.get(key)
      open.delete(key)
      if (found.type === 'down') open.set(key, failureOf(part, found, last))
      else if (failure !== undefined && !isBefore) yield { ...failure, up: found.t }
    }
  }
  yield* open.values()
}

function failureOf(part: Part, down: Down, state: LogState): Failure {
  const owner = part.part === 'node' ? state.nodeOwner(part.id) : state.linkOwner(part.level!, part.id)
  const name = part.part === 'node' ? state.topology.nodeNames?.[part.id] : undefined
  return { ...part, down, name, job: owner?.submit.job, up: undefined }
}

function* partsOf(change: Down): Generator<Part, void> {
  const { nodes, links } = resourcesOf(change)
  for (const id of nodes) yield { part: 'node', level: undefined, id, rail: undefined }
  for (const [level, ids] of links.entries()) for (const id of ids) yield { part: 'link', level, id, rail: undefined }
  const single = railCablesOf(change)
  for (const rail of single?.rails ?? [])
    for (const [level, ids] of single!.cables.entries()) for (const id of ids) yield { part: 'cable', level, id, rail }
}
