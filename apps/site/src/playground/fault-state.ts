// The state of the nodes at a record of a log at which a policy failed, or at which the audit found a violation.
import { FoldError, type LogRecord, LogState } from '@cloister/eventlog'
import { parseIdset } from '@cloister/topology'

/** Request of a policy's fault, the policy's answer, and the state of the nodes before the request. */
export interface FaultState {
  /** Time in seconds. */
  readonly t: number
  /** Request as JSON. */
  readonly request: string
  /** Answer of the policy in words or as JSON; empty if the policy threw an error. */
  readonly answer: string
  /** Nodes of the answer, as the policy gave them: a node may appear twice, or not exist. */
  readonly given: ReadonlyArray<number>
  /** A letter for each node of each leaf: `f` free, `h` held by a job, `d` down. */
  readonly leaves: ReadonlyArray<string>
}

/** Largest machine whose state is shown, in nodes. */
const MOST_NODES = 4096
const MOST_CHARACTERS = 1000

/**
 * Returns the fault at the record `seq` of a log; undefined if an earlier record is inconsistent, or if the machine is
 * too large for a picture.
 *
 * @param answered last answer of the policy; undefined for a violation in a log, whose answer is the record itself
 */
export function faultAt(records: Iterable<LogRecord>, seq: number, answered: unknown): FaultState | undefined {
  let state: LogState | undefined
  try {
    for (const record of records) {
      if (record.type === 'header') state = new LogState(record)
      else if (record.seq === seq) return state && faultOf(state, record, answered)
      else state?.apply(record)
    }
  } catch (error) {
    if (!(error instanceof FoldError)) throw error
  }
  return undefined
}

function faultOf(state: LogState, record: LogRecord, answered: unknown): FaultState | undefined {
  if (state.topology.nodes > MOST_NODES || !('t' in record)) return undefined
  const nodes = 'nodes' in record && typeof record.nodes === 'string' ? [...parseIdset(record.nodes)] : []
  return {
    t: record.t,
    request: JSON.stringify(requestOf(state, record)).slice(0, MOST_CHARACTERS),
    answer: record.type === 'fault' ? inWords(answered) : JSON.stringify(record).slice(0, MOST_CHARACTERS),
    given: record.type === 'fault' ? nodesOf(answered) : nodes,
    leaves: lettersOf(state),
  }
}

/** Returns the request of a fault record, or the request that led to an allocate record. */
function requestOf(state: LogState, record: LogRecord): unknown {
  if (record.type === 'fault') return record.request
  if (!('job' in record) || typeof record.job !== 'string') return null
  const { job } = record
  const submit = state.waiting.get(job) ?? state.running.get(job)?.submit
  return submit && { job, nodes: submit.size, now: record.t, submitted: submit.t, estimate: submit.estimate }
}

function inWords(answered: unknown): string {
  if (answered === undefined) return ''
  return (JSON.stringify(answered, asArray) ?? `a ${typeof answered}`).slice(0, MOST_CHARACTERS)
}

function asArray(_: string, value: unknown): unknown {
  return ArrayBuffer.isView(value) ? Array.from(value as Int32Array) : value
}

function nodesOf(answered: unknown): ReadonlyArray<number> {
  const { nodes } = Object(answered) as { readonly nodes?: ArrayLike<number> }
  return nodes === undefined || nodes === null ? [] : Array.from(nodes, Number).slice(0, MOST_NODES)
}

function lettersOf({ topology: { leaves, firstNodeOfLeaf }, freeNodes, downNodes }: LogState): ReadonlyArray<string> {
  return Array.from({ length: leaves }, (_, leaf) => {
    const first = firstNodeOfLeaf[leaf]
    const letter = (node: number): string => (downNodes.has(node) ? 'd' : freeNodes.has(node) ? 'f' : 'h')
    return Array.from({ length: firstNodeOfLeaf[leaf + 1] - first }, (__, at) => letter(first + at)).join('')
  })
}
