import type { LogState } from './fold.ts'
import type { HashFunction } from './hash.ts'
import { OwnerArrays } from './owners.ts'

/** Returns the state digest of a state, equal to the `state` of a seal after this state (SPEC.md, "Seals"). */
export function stateDigest(state: LogState, hash: HashFunction): string {
  const { header, topology, seq, running, downNodes, downLinks } = state
  const owners = new OwnerArrays(topology, header.policy.claims.links === 'capped')
  for (const { allocate } of running.values()) owners.follow(allocate.seq, allocate)
  const down = { nodes: downNodes.ids(), links: downLinks.map((links) => links.ids()) }
  owners.follow(seq, { type: 'down', t: 0, ...down })
  return owners.digest(seq, hash)
}
