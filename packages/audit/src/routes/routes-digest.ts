import type { HashFunction } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import { base64url } from '../base64url.ts'
import { NO_ENTRY, type SwitchEntries } from './partition-routes.ts'

/** Returns the number and the digest of a job's forwarding entries, as a route record of a log has both (SPEC.md). */
export function digestOfRoutes(
  topology: Topology,
  nodes: Int32Array,
  routes: ReadonlyArray<SwitchEntries>,
  hash: HashFunction,
): { readonly entries: number; readonly digest: string } {
  const firstOfLevel = [0]
  for (const { switches } of topology.levels) firstOfLevel.push(firstOfLevel[firstOfLevel.length - 1] + switches)
  const computation = hash()
  const row = new DataView(new ArrayBuffer(4 + 4 * nodes.length))
  const put = (bytes: number): void => computation.update(new Uint8Array(row.buffer, 0, bytes))
  nodes.forEach((node, j) => row.setUint32(4 * j, node, true))
  put(4 * nodes.length)
  let entries = 0
  for (const { level, sw, ports } of routes) {
    row.setUint32(0, firstOfLevel[level] + sw, true)
    for (let j = 0; j < ports.length; j++) {
      row.setUint16(4 + 2 * j, ports[j], true)
      if (ports[j] !== NO_ENTRY) entries++
    }
    put(4 + 2 * ports.length)
  }
  return { entries, digest: base64url(computation.digest()) }
}
