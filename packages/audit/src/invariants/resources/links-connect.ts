import type { Allocate, Reserve } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import { ownRoutesGap } from '../../routes/own-routes.ts'
import { provesConnection } from '../../claims.ts'

export const linksConnect: Invariant = {
  name: 'links-connect',
  property:
    "If the policy claims that jobs own their links, every two nodes of an allocation or reservation have a minimal route over the job's own links. No message of a job then needs a link of another job.",
  begin(model, tally) {
    const { topology } = model
    const { links, rule } = model.header.policy.claims
    if (links !== 'owned') return `jobs do not own links (links: ${links})`
    if (provesConnection(rule, topology)) return `the rule ${rule} implies the property`
    const gapOf = ownRoutesGap(topology)
    const check = (record: Allocate | Reserve): void => {
      const { nodes, links: own, malformed, unknown } = model.named!
      if (malformed !== undefined || unknown !== undefined) return
      tally.tested()
      const gap = gapOf(nodes, own)
      if (gap !== undefined) tally.violated(record, gap)
    }
    return { allocate: check, reserve: check }
  },
}
