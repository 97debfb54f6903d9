import type { HashFunction } from '@cloister/eventlog'
import { base64url } from '../../base64url.ts'
import type { Invariant } from '../../invariant.ts'
import type { ClusterModel } from '../../cluster/cluster-model.ts'

const DOWN = 0xffffffff
const MACHINE_IS_LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

export const stateDigest: Invariant = {
  name: 'state-digest',
  property:
    'The `state` of every seal is the digest that the auditor computes from its own model of the owners of all nodes and links.',
  begin(model, tally, hash) {
    return {
      seal(record) {
        tally.tested()
        const expected = digest(model, hash)
        if (record.state !== expected)
          tally.violated(
            record,
            `the state digest is ${record.state}, but the records before the seal give ${expected}`,
          )
      },
    }
  },
}

/**
 * Returns the state digest of SPEC.md in base64url: the SHA-256 of one little-endian uint32 for each node, then for
 * each link, level by level. The integer is the seq of the owner's allocate, 0 if free, 0xffffffff if down; for a link
 * shared up to a cap that is not down, the MB/s in use.
 */
function digest(model: ClusterModel, hash: HashFunction): string {
  const resources =
    model.downResources === 0
      ? model.owners
      : model.owners.map((owner, resource) => (model.downBy[resource] === 0 ? owner : DOWN))
  const computation = hash()
  computation.update(littleEndian(resources))
  return base64url(computation.digest())
}

function littleEndian(resources: Uint32Array): Uint8Array {
  if (MACHINE_IS_LITTLE_ENDIAN) return new Uint8Array(resources.buffer, resources.byteOffset, resources.byteLength)
  const view = new DataView(new ArrayBuffer(resources.byteLength))
  resources.forEach((resource, i) => view.setUint32(4 * i, resource, true))
  return new Uint8Array(view.buffer)
}
