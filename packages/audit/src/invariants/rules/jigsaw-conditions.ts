import type { Allocate, Reserve } from '@cloister/eventlog'
import { type Breach, JigsawConditions } from './conditions.ts'
import type { Invariant } from '../../invariant.ts'

export const jigsawConditions: Invariant = {
  name: 'jigsaw-conditions',
  property:
    'Every allocation and reservation keeps the conditions for isolation and full bandwidth, in cables, where the policy claims this rule.',
  begin(model, tally) {
    const { claims, config } = model.header.policy
    if (claims.rule !== 'jigsaw-conditions') return `the policy does not claim it (rule: ${claims.rule ?? 'none'})`
    if (claims.links !== 'owned' && claims.links !== 'capped')
      return `the conditions are on links that jobs hold (links: ${claims.links})`
    const conditions = new JigsawConditions(model.topology, {
      leafJobsHoldUplinks: config['leafJobsHoldUplinks'] === true,
    })
    const check = (record: Allocate | Reserve): void => {
      const { nodes, links, malformed, unknown } = model.named!
      if (malformed !== undefined || unknown !== undefined || nodes.length === 0) return
      tally.tested()
      const breach = conditions.breach(nodes, links)
      if (breach !== undefined) tally.violated(record, describeBreach(breach))
    }
    return { allocate: check, reserve: check }
  },
}

/** The fault, and the condition by its number in the paper where it has one. */
export function describeBreach({ condition, message }: Breach): string {
  return `${message} (${/^[1-6]$/.test(condition) ? `condition ${condition}` : condition})`
}
