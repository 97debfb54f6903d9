import type { HashFunction } from '@cloister/eventlog'
import { base64url } from '../../base64url.ts'
import type { Invariant } from '../../invariant.ts'
import type { ClusterModel } from '../../cluster/cluster-model.ts'

const DOWN = 0xffffffff
const MACHINE_IS_LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

export const stateDigest: Invariant = {
  name: 'state-digest',
  property: "Every seal has the digest of the owners of all nodes and links in the auditor's own replay.",
  begin(model, tally, hash) {
    return {
      seal(record) {
        tally.tested()
        const expected = digest(model, hash)
        if (record.state !== expected)
          tally.violated(record, `state ${record.state}, but the records before it give ${expected}`)
      },
    }
  },
}

/** SHA-256 over little-endian uint32: every node, then every link level by level, with its owner, MB/s in use, 0 or down. */
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
