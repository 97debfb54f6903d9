import type { RouteChange } from '@cloister/placement'
import { base64url, type Topology } from '@cloister/topology'
import type { PartitionRoutes } from './partition.ts'

/** Function that starts the computation of a SHA-256, the same type as in the package eventlog. */
export type HashFunction = () => {
  update(bytes: Uint8Array): void
  /** Returns the 32 bytes of the SHA-256. Callers call `digest` once, after the last `update`. */
  digest(): Uint8Array
}

/**
 * Returns the number of entries in a job's routes, and their digest: a SHA-256 of two parts. The first part has the
 * job's nodes, ascending, as little-endian unsigned 32-bit integers. The second part has a row for each switch with an
 * entry, from the leaves up, each level in order of ids: the number of the switch among all switches of the machine,
 * counted in this order, as 32 bits, then its port towards each of the job's nodes as 16 bits, 65535 for no port.
 */
export function changeOf(topology: Topology, routes: PartitionRoutes, hash: HashFunction): RouteChange {
  const { nodes, levels } = routes
  const computation = hash()
  computation.update(littleEndian(nodes))
  const ports = new Uint16Array(nodes.length)
  const switches = levels.reduce((sum, level) => sum + level.switches.length, 0)
  const rows = new Rows(switches, nodes.length, (bytes) => computation.update(bytes))
  let entries = 0
  let below = 0
  levels.forEach((own, level) => {
    for (let at = 0; at < own.switches.length; at++) {
      const found = routes.row(level, at, ports)
      entries += found
      if (found > 0) rows.add(below + own.switches[at], ports)
    }
    below += topology.levels[level].switches
  })
  rows.flush()
  return { entries, digest: base64url(computation.digest()) }
}

const CHUNK_BYTES = 1 << 16

/** Passes rows of table entries to the hash function, several rows at a time. */
class Rows {
  readonly #bytes: Uint8Array
  readonly #rowBytes: number
  readonly #out: (bytes: Uint8Array) => void
  #used = 0

  constructor(rows: number, ports: number, out: (bytes: Uint8Array) => void) {
    this.#rowBytes = 4 + 2 * ports
    this.#bytes = new Uint8Array(this.#rowBytes * Math.max(1, Math.min(rows, Math.floor(CHUNK_BYTES / this.#rowBytes))))
    this.#out = out
  }

  add(sw: number, ports: Uint16Array): void {
    if (this.#used === this.#bytes.length) this.flush()
    const bytes = this.#bytes
    writeInteger(bytes, this.#used, sw)
    for (let j = 0, at = this.#used + 4; j < ports.length; j++, at += 2) {
      bytes[at] = ports[j]
      bytes[at + 1] = ports[j] >>> 8
    }
    this.#used += this.#rowBytes
  }

  flush(): void {
    this.#out(this.#bytes.subarray(0, this.#used))
    this.#used = 0
  }
}

function littleEndian(values: Int32Array): Uint8Array {
  const bytes = new Uint8Array(4 * values.length)
  values.forEach((value, i) => writeInteger(bytes, 4 * i, value))
  return bytes
}

function writeInteger(bytes: Uint8Array, at: number, value: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = value >>> (8 * i)
}
