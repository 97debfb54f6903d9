import { type SlurmJson, slurmJsonList } from '@cloister/trace-io'
import type { NodeIds } from './node-ids.ts'
import { parseSinfo } from './sinfo.ts'

/** Of the states that a node may have besides its first, those in which Slurm gives it to no job. Power saving is none. */
const useless = /^(?:DRAIN|FAIL|REBOOT_ISSUED|INVALID)/
const silent: ReadonlySet<string> = new Set(['NOT_RESPONDING', 'NO_RESPOND'])

/**
 * Reads the nodes of slurmrestd, `/slurm/v0.0.…/nodes`, as `parseSinfo` does: from v0.0.37 on, where they have all their states.
 *
 * @param partitions of these alone; all where there are none
 * @returns nodes of the machine that are of use to no job, ascending
 * @throws TraceError at the first node that is none
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

/** As `sinfo` writes it. */
function stateOf(node: SlurmJson): string {
  const [base, ...more] = [...node.words('state'), ...node.words('state_flags')].map((word) => word.toUpperCase())
  if (base === undefined) node.fail('state', 'a state such as idle')
  const state = (more.find((word) => useless.test(word)) ?? base).toLowerCase()
  return more.some((word) => silent.has(word)) ? `${state}*` : state
}
