import { type SlurmJson, slurmJsonList } from '@cloister/trace-io'
import type { NodeIds } from './node-ids.ts'
import { parseSinfo } from './sinfo.ts'

/** Additional states of a node in which Slurm gives the node to no job. Power saving does not count. */
const useless = /^(?:DRAIN|FAIL|REBOOT_ISSUED|INVALID)/
const silent: ReadonlySet<string> = new Set(['NOT_RESPONDING', 'NO_RESPOND'])

/**
 * Parses the nodes of slurmrestd, `/slurm/v0.0.…/nodes`, with the result of `parseSinfo`. Needs v0.0.37 or later,
 * because earlier versions do not have all states of a node.
 *
 * @param partitions partitions of the nodes; empty for all
 * @returns nodes of the machine without use for jobs, ascending
 * @throws TraceError for the first wrong node
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

/** Returns the state of a node in the spelling of `sinfo`. */
function stateOf(node: SlurmJson): string {
  const [base, ...more] = [...node.words('state'), ...node.words('state_flags')].map((word) => word.toUpperCase())
  if (base === undefined) node.fail('state', 'a state such as idle')
  const state = (more.find((word) => useless.test(word)) ?? base).toLowerCase()
  return more.some((word) => silent.has(word)) ? `${state}*` : state
}
