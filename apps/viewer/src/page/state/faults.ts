import type { LogRecord } from '@cloister/eventlog'
import { parseIdset } from '@cloister/topology'
import { batch } from '@preact/signals'
import type { FaultRecord } from '../../run/questions.ts'
import { rememberPlace } from './address.ts'
import type { RunClient } from './run-client.ts'
import { moveToRecord, runs } from './session.ts'
import { pod, selectedJob, tab } from './view-state.ts'

/** The last fault of a log: a failure of the policy, or a record that contradicts the records before. */
export interface Fault {
  /** The record after which the page shows the fault: the fault record, or the record before a contradiction. */
  readonly seq: number
  readonly t: number
  readonly job: string | undefined
  /** The failure of the policy; undefined for a contradiction. */
  readonly failure: FaultRecord | undefined
  /** The record that contradicts the records before; undefined for a failure of the policy. */
  readonly contradiction: LogRecord | undefined
  /** Description of the fault, for people. */
  readonly message: string
  /** Nodes and links of the fault: all of the contradicting record, or those that the message of the failure names. */
  readonly nodes: ReadonlyArray<number>
  readonly links: ReadonlyArray<{ readonly level: number; readonly link: number }>
}

/** Returns the last fault of a run; undefined if the log has no fault. */
export function faultOf(run: RunClient): Fault | undefined {
  const overview = run.overview.value
  if (overview === undefined) return undefined
  const { broken, faults, seekable, lastTime, message } = overview
  if (broken !== null)
    return {
      seq: seekable - 1,
      t: 't' in broken ? broken.t : lastTime,
      job: 'job' in broken ? broken.job : undefined,
      failure: undefined,
      contradiction: broken,
      message: (message ?? '').replace(/^broken: /, ''),
      ...resourcesOf(broken),
    }
  const failure = faults.at(-1)
  if (failure === undefined) return undefined
  return {
    seq: failure.seq,
    t: failure.t,
    job: failure.job,
    failure,
    contradiction: undefined,
    message: failure.message,
    ...namedIn(failure, run),
  }
}

function resourcesOf(record: LogRecord): Pick<Fault, 'nodes' | 'links'> {
  if (!('nodes' in record)) return { nodes: [], links: [] }
  const { nodes, links = [] } = record as { readonly nodes: string; readonly links?: ReadonlyArray<string> }
  return {
    nodes: Array.from(parseIdset(nodes)),
    links: links.flatMap((ids, level) => Array.from(parseIdset(ids), (link) => ({ level, link }))),
  }
}

/** Returns the nodes and links of the machine that the message about a wrong placement names. */
export function namedIn(
  { code, message }: Pick<FaultRecord, 'code' | 'message'>,
  { topology: { nodes, levels } }: Pick<RunClient, 'topology'>,
): Pick<Fault, 'nodes' | 'links'> {
  if (code !== 'placement') return { nodes: [], links: [] }
  return {
    nodes: Array.from(message.matchAll(/\bnode (\d+)\b/g), ([, node]) => Number(node)).filter((node) => node < nodes),
    links: Array.from(message.matchAll(/\blevel-(\d+) link (\d+)\b/g), ([, level, link]) => ({
      level: Number(level),
      link: Number(link),
    })).filter(({ level, link }) => link < (levels[level]?.links ?? 0)),
  }
}

/** Moves the cursor to the fault of the first run with a fault, selects its job and opens the panel about the fault. */
export function revealFault(): void {
  const run = runs.peek().find((each) => faultOf(each) !== undefined)
  const fault = run && faultOf(run)
  if (run === undefined || fault === undefined) return
  const { podOfLeaf, leafOfNode, pods } = run.topology
  rememberPlace()
  batch(() => {
    moveToRecord(fault.seq, run.side)
    selectedJob.value = fault.job
    tab.value = 'fault'
    if (pods > 1 && fault.nodes.length > 0) pod.value = podOfLeaf[leafOfNode[fault.nodes[0]]]
  })
}
