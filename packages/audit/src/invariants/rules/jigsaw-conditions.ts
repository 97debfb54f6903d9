import type { Allocate, Reserve } from '@cloister/eventlog'
import type { ClusterModel } from '../../cluster/cluster-model.ts'
import type { Invariant } from '../../invariant.ts'
import { type Breach, JigsawConditions } from './conditions.ts'

export const jigsawConditions: Invariant = {
  name: 'jigsaw-conditions',
  property:
    'If the policy claims this rule, every allocation and reservation meets the conditions of the Jigsaw paper for isolation and full bandwidth, counted in cables.',
  begin(model, tally) {
    const conditions = conditionsUnder(model, 'jigsaw-conditions')
    if (typeof conditions === 'string') return conditions
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

/** Returns the test of the Jigsaw conditions; a text, the reason, if jobs hold no links or the claim is missing. */
export function conditionsUnder({ header, topology }: ClusterModel, rule: string): JigsawConditions | string {
  const { claims, config } = header.policy
  if (claims.rule !== rule) return `the policy does not claim the rule (rule: ${claims.rule ?? 'none'})`
  if (claims.links !== 'owned' && claims.links !== 'capped')
    return `the rule needs links that jobs hold (links: ${claims.links})`
  return new JigsawConditions(topology, { leafJobsHoldUplinks: config['leafJobsHoldUplinks'] === true })
}

/** Returns the message of a breach with its condition in parentheses: the number in the Jigsaw paper, or the name. */
export function describeBreach({ condition, message }: Breach): string {
  return `${message} (${/^[1-6]$/.test(condition) ? `condition ${condition}` : condition})`
}
