import { type SlurmJson, slurmJsonList } from '@cloister/trace-io'
import type { NodeIds } from './node-ids.ts'
import { parseSinfo } from './sinfo.ts'

/**
 * Pattern of the flags beside a node's base state with which the node gets no job from Slurm. A node in power saving gets
 * jobs.
 */
const useless = /^(?:DRAIN|FAIL|REBOOT_ISSUED|INVALID)/
const silent: ReadonlySet<string> = new Set(['NOT_RESPONDING', 'NO_RESPOND'])

/**
 * Parses the nodes in slurmrestd's answer to `/slurm/v0.0.…/nodes`, and returns the nodes to which Slurm gives no job.
 * The API's version must be v0.0.37 or later: earlier versions do not have all states of a node.
 *
 * @param partitions names of partitions: nodes outside of these partitions count as unusable; empty for all partitions
 * @returns ids of the nodes that are down, drain, do not answer or are missing in the answer, ascending
 * @throws TraceError for the first node with a missing or wrong value
 */
export function parseRestNodes(
  text: string,
  nodeIds: NodeIds,
  nodes: number,
  partitions: ReadonlyArray<string> = [],
): Int32Array {
  const lines = slurmJsonList(text, 'nodes', "slurmrestd's nodes", 'the nodes of slurmrestd')
    .filter((node) => partitions.length === 0 || node.words('partitions').some((name) => partitions.includes(name)))
    .map((node) => `${stateOf(node)}|${node.text('name')}\n`)
  return parseSinfo(lines.join(''), nodeIds, nodes)
}

function stateOf(node: SlurmJson): string {
  const [base, ...more] = [...node.words('state'), ...node.words('state_flags')].map((word) => word.toUpperCase())
  if (base === undefined) node.fail('state', 'a state such as idle')
  const state = (more.find((word) => useless.test(word)) ?? base).toLowerCase()
  return more.some((word) => silent.has(word)) ? `${state}*` : state
}
