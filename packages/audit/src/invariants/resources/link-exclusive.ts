import type { Invariant } from '../../invariant.ts'

export const linkExclusive: Invariant = {
  name: 'link-exclusive',
  property: 'No allocate record names a link that a job holds, unless the policy claims `capped` links.',
  begin(model, tally) {
    const { links } = model.header.policy.claims
    if (links === 'capped') return 'the policy shares links up to a cap'
    return {
      allocate(record) {
        // Without a claim of owned links, most allocations name no link; an allocation without links is no test.
        if (links !== 'owned' && record.links === undefined) return
        tally.tested()
        const { resources } = model.named!
        for (let i = model.named!.nodes.length; i < resources.length; i++) {
          if (model.owners[resources[i]] === 0) continue
          tally.violated(
            record,
            `${model.nameOf(resources[i])} is allocated, but still belongs to ${model.ownerOf(resources[i])}`,
          )
          return
        }
      },
    }
  },
}
