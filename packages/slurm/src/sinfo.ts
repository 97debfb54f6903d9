import { HostlistError, parseHostlist } from '@cloister/topology'
import { TraceError } from '@cloister/trace-io'
import type { NodeIds } from './node-ids.ts'

/**
 * Returns the arguments of `sinfo` for `parseSinfo`, which ask for the nodes in each state.
 *
 * @param partitions names of partitions: `sinfo` lists only their nodes; empty for all partitions
 */
export function sinfoArguments(partitions: ReadonlyArray<string> = []): ReadonlyArray<string> {
  // `sinfo` takes either --all or --partition, not both.
  const among = partitions.length === 0 ? '--all' : `--partition=${partitions.join()}`
  return ['--noheader', '--format=%T|%N', among]
}

/** States in which Slurm gives a node to no job. A star after a state (`idle*`) marks a node that does not answer. */
const useless = /^(?:down|drain|fail|error|unknown|inval|future|power(?:ed|ing)_down|reboot)/

/** Most nodes of a hostlist in the output of `sinfo`, more than any machine has. */
const LIMIT = 2 ** 22

/**
 * Parses the output of `sinfo`, and returns the ids of the nodes to which Slurm gives no job, ascending: nodes that are
 * down, drain or do not answer, and nodes that the output does not name.
 *
 * @param nodes number of nodes of the machine
 * @throws TraceError for the first wrong line
 */
export function parseSinfo(text: string, nodeIds: NodeIds, nodes: number): Int32Array {
  const isDown = new Uint8Array(nodes).fill(1)
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const [state, list, ...rest] = line.trim().split('|')
    if (list === undefined || rest.length > 0)
      throw new TraceError({
        file: 'sinfo',
        line: at + 1,
        found: JSON.stringify(line.slice(0, 60)),
        expected: 'a state and a list of nodes, such as idle|node[0-3]',
      })
    if (useless.test(state) || state.endsWith('*')) continue
    for (const name of namesIn(list, at + 1)) {
      const found = nodeIds.find(name)
      if ('nodes' in found) isDown[found.nodes[0]] = 0
    }
  }
  return Int32Array.from([...isDown.keys()].filter((node) => isDown[node] === 1))
}

function namesIn(list: string, line: number): ReadonlyArray<string> {
  try {
    return parseHostlist(list, LIMIT)
  } catch (error) {
    if (!(error instanceof HostlistError)) throw error
    throw new TraceError({
      file: 'sinfo',
      line,
      found: JSON.stringify(list.slice(0, 60)),
      expected: 'a list of nodes such as node[0-3]',
    })
  }
}
