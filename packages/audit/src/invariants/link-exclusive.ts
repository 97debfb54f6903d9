import type { Invariant } from '../invariant.ts'

export const linkExclusive: Invariant = {
  name: 'link-exclusive',
  property: 'No job is given a link that another job still holds, where the policy claims that links are owned.',
  begin(machine, tally) {
    const { links } = machine.header.policy.claims
    if (links !== 'owned') return `the policy does not claim that links are owned (links: ${links})`
    return {
      allocate(record) {
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
