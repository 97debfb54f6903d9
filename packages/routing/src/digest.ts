import type { RouteChange } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { PartitionRoutes } from './partition.ts'

/** SHA-256, as a function that starts a new computation: the same as the event log's. */
export type HashFunction = () => {
  update(bytes: Uint8Array): void
  /** The 32 bytes; called once, last. */
  digest(): Uint8Array
}

/**
 * How many entries a job's routes are, and their digest: the SHA-256 of the job's nodes, ascending, as little-endian
 * unsigned 32-bit integers; then for each switch that has an entry, leaves first, then L2 switches and so on, each level in
 * order of ids: its number among the switches of all levels, counted in this order, as 32 bits, and its port towards each
 * of the job's nodes as 16 bits, 65535 for none.
 */
export function changeOf(topology: Topology, routes: PartitionRoutes, hash: HashFunction): RouteChange {
  const { nodes, levels } = routes
  const computation = hash()
  computation.update(littleEndian(nodes, 4))
  const ports = new Uint16Array(nodes.length)
  const row = new Uint8Array(4 + 2 * nodes.length)
  let entries = 0
  let below = 0
  levels.forEach(({ switches }, level) => {
    for (let at = 0; at < switches.length; at++) {
      const found = routes.row(level, at, ports)
      if (found === 0) continue
      entries += found
      writeRow(row, below + switches[at], ports)
      computation.update(row)
    }
    below += topology.levels[level].switches
  })
  return { entries, digest: base64url(computation.digest()) }
}

function littleEndian(values: Int32Array, width: number): Uint8Array {
  const bytes = new Uint8Array(width * values.length)
  values.forEach((value, i) => writeInteger(bytes, width * i, value, width))
  return bytes
}

function writeRow(row: Uint8Array, sw: number, ports: Uint16Array): void {
  writeInteger(row, 0, sw, 4)
  for (let j = 0; j < ports.length; j++) {
    row[4 + 2 * j] = ports[j]
    row[5 + 2 * j] = ports[j] >>> 8
  }
}

function writeInteger(bytes: Uint8Array, at: number, value: number, width: number): void {
  for (let i = 0; i < width; i++) bytes[at + i] = value >>> (8 * i)
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Base64url (RFC 4648, section 5) without padding. */
function base64url(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const word = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    const digits = Math.min(4, Math.ceil(((bytes.length - i) * 4) / 3))
    for (let digit = 0; digit < digits; digit++) text += ALPHABET[(word >>> (18 - 6 * digit)) & 63]
  }
  return text
}
