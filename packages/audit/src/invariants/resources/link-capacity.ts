import type { Invariant } from '../../invariant.ts'

export const linkCapacity: Invariant = {
  name: 'link-capacity',
  property:
    'If the policy claims `capped` links, every allocation with links names its bandwidth on each link, and the jobs on a link together hold at most the header’s `link_capacity`.',
  begin(model, tally) {
    const { claims, link_capacity: capacity } = model.header.policy
    if (claims.links !== 'capped') return `the policy does not share links up to a cap (links: ${claims.links})`
    if (capacity === undefined) return 'the header has no link_capacity'
    return {
      allocate(record) {
        tally.tested()
        const { resources, nodes } = model.named!
        if (resources.length === nodes.length) return
        if (record.bandwidth === undefined) {
          tally.violated(record, 'the allocate names links, but no bandwidth')
          return
        }
        for (let i = nodes.length; i < resources.length; i++) {
          const used = model.owners[resources[i]]
          if (used + record.bandwidth <= capacity) continue
          tally.violated(
            record,
            `job ${record.job} takes ${record.bandwidth} MB/s of ${model.nameOf(resources[i])}, but other jobs hold ${used} of its ${capacity} MB/s`,
          )
          return
        }
      },
    }
  },
}
