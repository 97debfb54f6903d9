import type { Invariant } from '../../invariant.ts'

export const linkExclusive: Invariant = {
  name: 'link-exclusive',
  property: 'No job is given a link that another job still holds, unless the policy shares links up to a cap.',
  begin(machine, tally) {
    const { links } = machine.header.policy.claims
    if (links === 'capped') return 'the policy shares links up to a cap'
    return {
      allocate(record) {
        // Where links are not owned most allocations name none.
        if (links !== 'owned' && record.links === undefined) return
        tally.tested()
        const { cells } = machine.parts!
        for (let i = machine.parts!.nodes.length; i < cells.length; i++) {
          if (machine.owners[cells[i]] === 0) continue
          tally.violated(record, `${machine.nameOf(cells[i])} still belongs to ${machine.ownerOf(cells[i])}`)
          return
        }
      },
    }
  },
}
