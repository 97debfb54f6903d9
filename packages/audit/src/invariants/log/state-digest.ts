import type { HashFunction } from '@cloister/eventlog'
import { base64url } from '../../base64url.ts'
import type { Invariant } from '../../invariant.ts'
import type { Machine } from '../../cluster/cluster-model.ts'

const DOWN = 0xffffffff
const MACHINE_IS_LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

export const stateDigest: Invariant = {
  name: 'state-digest',
  property: "Every seal digests the owners of all nodes and links as the auditor's own replay of the records has them.",
  begin(machine, tally, hash) {
    return {
      seal(record) {
        tally.tested()
        const expected = digest(machine, hash)
        if (record.state !== expected)
          tally.violated(record, `state ${record.state}, but the records before it give ${expected}`)
      },
    }
  },
}

/** SHA-256 over little-endian uint32: every node, then every link level by level, with its owner, MB/s in use, 0 or down. */
function digest(machine: Machine, hash: HashFunction): string {
  const cells =
    machine.downCells === 0
      ? machine.owners
      : machine.owners.map((owner, cell) => (machine.downBy[cell] === 0 ? owner : DOWN))
  const computation = hash()
  computation.update(littleEndian(cells))
  return base64url(computation.digest())
}

function littleEndian(cells: Uint32Array): Uint8Array {
  if (MACHINE_IS_LITTLE_ENDIAN) return new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength)
  const view = new DataView(new ArrayBuffer(cells.byteLength))
  cells.forEach((cell, i) => view.setUint32(4 * i, cell, true))
  return new Uint8Array(view.buffer)
}
