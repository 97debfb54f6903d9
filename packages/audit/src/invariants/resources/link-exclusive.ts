import type { Invariant } from '../../invariant.ts'

export const linkExclusive: Invariant = {
  name: 'link-exclusive',
  property: 'No job is given a link that a job still holds, unless the policy shares links up to a cap.',
  begin(model, tally) {
    const { links } = model.header.policy.claims
    if (links === 'capped') return 'the policy shares links up to a cap'
    return {
      allocate(record) {
        // Most allocations of shared links name no link, and then there is nothing to test.
        if (links !== 'owned' && record.links === undefined) return
        tally.tested()
        const { resources } = model.named!
        for (let i = model.named!.nodes.length; i < resources.length; i++) {
          if (model.owners[resources[i]] === 0) continue
          tally.violated(record, `${model.nameOf(resources[i])} still belongs to ${model.ownerOf(resources[i])}`)
          return
        }
      },
    }
  },
}
