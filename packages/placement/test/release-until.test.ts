import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commands, everything, CheckedStates, machines } from './commands.ts'

function atThatTime(...of: Parameters<typeof everything>): Record<string, unknown> {
  const { lastEndOnLeaf: _, endOfLink: __, freeNodesAtDecision: ___, ...others } = everything(...of)
  return others
}

function atPresent(...of: Parameters<typeof everything>): Record<string, unknown> {
  const { lastEndOnLeaf, endOfLink, freeNodesAtDecision } = everything(...of)
  return { lastEndOnLeaf, endOfLink, freeNodesAtDecision }
}

test('releaseUntil releases just the jobs that are expected to end by then', () => {
  fc.assert(
    fc.property(machines, commands, fc.integer({ min: -1, max: 6 }), (machine, history, time) => {
      const { topology, states } = CheckedStates.after(machine, history)
      for (const { real } of states) {
        const atOnce = real.fork()
        atOnce.releaseUntil(time)
        const oneByOne = real.fork()
        for (const allocation of [...real.running].filter(({ estimatedEnd }) => estimatedEnd <= time))
          oneByOne.release(allocation)
        expect(atThatTime(topology, atOnce)).toEqual(atThatTime(topology, oneByOne))
        // Of when jobs end, and of what is free now, it tells what the state tells that it was made from.
        expect(atPresent(topology, atOnce)).toEqual(atPresent(topology, real))
        expect(atOnce.running).toEqual(oneByOne.running)
        oneByOne.drop()
        atOnce.drop()
      }
    }),
  )
})
