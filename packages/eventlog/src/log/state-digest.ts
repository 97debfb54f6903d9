import type { LogState } from './fold.ts'
import type { HashFunction } from './hash.ts'
import { OwnerArrays } from './owners.ts'
import { resourcesOf } from '../records/decode.ts'

/** Returns the state digest of a state, equal to the `state` of a seal after this state (SPEC.md, "Seals"). */
export function stateDigest(state: LogState, hash: HashFunction): string {
  const { header, topology, seq, running, downNodes, downLinks } = state
  const owners = new OwnerArrays(topology, header.policy.claims.links === 'capped')
  for (const { allocate } of running.values())
    owners.allocate(allocate.seq, allocate.job, resourcesOf(allocate), allocate.bandwidth ?? 0)
  owners.down(seq, { nodes: downNodes.ids(), links: downLinks.map((links) => links.ids()) })
  return owners.digest(seq, hash)
}
