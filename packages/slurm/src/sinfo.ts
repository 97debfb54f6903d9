import { HostlistError, parseHostlist } from '@cloister/topology'
import { TraceError } from '@cloister/trace-io'
import type { NodeIds } from './node-ids.ts'

/** Arguments of `sinfo` for what `parseSinfo` reads: nodes by their states, of all partitions or of some alone. */
export function sinfoArguments(partitions: ReadonlyArray<string> = []): ReadonlyArray<string> {
  // It takes one or the other.
  const among = partitions.length === 0 ? '--all' : `--partition=${partitions.join()}`
  return ['--noheader', '--format=%T|%N', among]
}

/** States in which Slurm gives a node to no job. A mark behind them (`idle*`) says that it does not answer. */
const useless = /^(?:down|drain|fail|error|unknown|inval|future|power(?:ed|ing)_down|reboot)/

/** A machine has no more nodes. */
const LIMIT = 2 ** 22

/**
 * Reads which nodes of the machine are of use to no job: those that are down, drain or do not answer, and those that Slurm does not
 * name, since it has not got them or they are in other partitions.
 *
 * @returns nodes, ascending
 * @throws TraceError at the first line that is none
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
        expected: 'idle|node[0-3]',
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
