import type { Invariant } from '../../invariant.ts'

export const linkCapacity: Invariant = {
  name: 'link-capacity',
  property:
    'If the policy shares links up to a cap, every allocation with links names the bandwidth that it takes of each, and no link carries more than its capacity.',
  begin(model, tally) {
    const { claims, link_capacity: capacity } = model.header.policy
    if (claims.links !== 'capped') return `the policy does not share links up to a cap (links: ${claims.links})`
    if (capacity === undefined) return 'the header does not say what a link can carry'
    return {
      allocate(record) {
        tally.tested()
        const { resources, nodes } = model.named!
        if (resources.length === nodes.length) return
        if (record.bandwidth === undefined) {
          tally.violated(record, 'names links without the used bandwidth')
          return
        }
        for (let i = nodes.length; i < resources.length; i++) {
          const used = model.owners[resources[i]]
          if (used + record.bandwidth <= capacity) continue
          tally.violated(
            record,
            `takes ${record.bandwidth} MB/s of ${model.nameOf(resources[i])}, which has ${capacity} and carries ${used}`,
          )
          return
        }
      },
    }
  },
}
