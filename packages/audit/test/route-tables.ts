import { createHash } from 'node:crypto'
import type { RouteRef } from './log-builder.ts'

/** Port number that stands for a missing entry. */
export const none = 65535

/** Returns the fields of a route record from the job's nodes and a table: ports by number of switch over all levels. */
export function routesOf(
  nodes: ReadonlyArray<number>,
  rows: Readonly<Record<number, ReadonlyArray<number>>>,
): RouteRef {
  const bytes: Array<number> = []
  const put = (value: number, size: number): void => {
    for (let i = 0; i < size; i++) bytes.push((value >> (8 * i)) & 255)
  }
  for (const node of nodes) put(node, 4)
  // JavaScript visits integer keys in ascending order.
  for (const [sw, ports] of Object.entries(rows)) {
    put(Number(sw), 4)
    for (const port of ports) put(port, 2)
  }
  const entries = Object.values(rows)
    .flat()
    .filter((port) => port !== none).length
  return {
    scheme: 'partition',
    entries,
    digest: createHash('sha256').update(Uint8Array.from(bytes)).digest('base64url'),
  }
}
