import type { HashFunction } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import { base64url } from './base64url.ts'
import { NO_ENTRY, type SwitchEntries } from './partition-routes.ts'

/** How a digest spells that there is no entry. */
const NONE = 0xffff

/** How many entries there are, and their digest as the log's format defines it. */
export function digestOfRoutes(
  topology: Topology, nodes: Int32Array, routes: ReadonlyArray<SwitchEntries>, hash: HashFunction,
): { readonly entries: number; readonly digest: string } {
  const firstOfLevel = [0]
  for (const { switches } of topology.levels) firstOfLevel.push(firstOfLevel[firstOfLevel.length - 1] + switches)
  const view = new DataView(new ArrayBuffer(4 * nodes.length + routes.length * (4 + 2 * nodes.length)))
  let at = 0
  for (const node of nodes) {
    view.setUint32(at, node, true)
    at += 4
  }
  let entries = 0
  for (const { level, sw, ports } of routes) {
    view.setUint32(at, firstOfLevel[level] + sw, true)
    at += 4
    for (const port of ports) {
      view.setUint16(at, port === NO_ENTRY ? NONE : port, true)
      at += 2
      if (port !== NO_ENTRY) entries++
    }
  }
  const computation = hash()
  computation.update(new Uint8Array(view.buffer))
  return { entries, digest: base64url(computation.digest()) }
}
