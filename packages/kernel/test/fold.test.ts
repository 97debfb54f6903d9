import { countingRecorder, type Header, LogState, type Recorder } from '@cloister/eventlog'
import type { ClusterState, Placer } from '@cloister/placement'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Simulation, simulate } from '../src/index.ts'
import { run, runs } from './random-runs.ts'

it('the state of the kernel equals the fold of the log at every record', () => {
  fc.assert(
    fc.property(runs, (options) => {
      const snapshots = new Map<number, { readonly free: string; readonly afterwards: boolean }>()
      const { records } = run(options, simulate, (simulation) => watched(simulation, snapshots))
      const fold = new LogState(records[0] as Header)
      for (const record of records.slice(1)) {
        const snapshot = snapshots.get(record.seq)
        if (snapshot?.afterwards === false) expect(snapshot.free, `before record ${record.seq}`).toBe(freeInFold(fold))
        fold.apply(record)
        if (snapshot?.afterwards === true) expect(snapshot.free, `after record ${record.seq}`).toBe(freeInFold(fold))
      }
    }),
    { numRuns: 150 },
  )
})

it('a recorder that counts gets the type of every record, and no submit, allocate or reserve event', () => {
  fc.assert(
    fc.property(runs, (options) => {
      const types: string[] = []
      const withEvent = new Set<string>()
      const numbers = countingRecorder()
      const counts: Recorder = {
        count: (type) => (types.push(type), numbers.count!(type)),
        record: (event) => (withEvent.add(event.type), types.push(event.type), numbers.record(event)),
      }
      const { records } = run(options, simulate, (simulation) => {
        simulate({ ...simulation, recorder: counts })
        return simulation
      })
      expect(types).toEqual(records.map(({ type }) => type).filter((type) => type !== 'header' && type !== 'seal'))
      for (const type of ['submit', 'allocate', 'reserve']) expect(withEvent).not.toContain(type)
    }),
    { numRuns: 100 },
  )
})

/**
 * Stores the free nodes and links of the kernel's state at every record. The kernel changes its state before an
 * allocate record, and after a release record.
 */
function watched(
  simulation: Simulation<any>,
  snapshots: Map<number, { free: string; afterwards: boolean }>,
): Simulation<any> {
  const seen: Array<ClusterState<any>> = []
  const placer: Placer<any> = {
    ...simulation.placer,
    claims: simulation.placer.claims,
    index: simulation.placer.index!,
    place(state, request, index) {
      if (request.purpose === 'start' && !seen.includes(state as ClusterState<any>))
        seen.push(state as ClusterState<any>)
      return simulation.placer.place(state, request, index)
    },
  }
  const recorder: Recorder = {
    record: (event) => {
      // The policy first sees the state of the empty machine, for submitted jobs, and then the kernel's current state.
      const free = seen[1] === undefined ? undefined : freeInState(seen[1])
      const seq = simulation.recorder.record(event)
      if (free !== undefined) snapshots.set(seq, { free, afterwards: event.type === 'allocate' })
      return seq
    },
  }
  return { ...simulation, placer, recorder }
}

function freeInState(state: ClusterState<any>): string {
  const nodes = Array.from({ length: state.topology.nodes }, (_, node) => node).filter((node) => state.isNodeFree(node))
  const links = state.topology.levels.map(({ links: count }, level) =>
    Array.from({ length: count }, (_, link) => link).filter((link) => state.isLinkFree(level, link)),
  )
  return JSON.stringify({ nodes, links })
}

function freeInFold(fold: LogState): string {
  const nodes = [...fold.freeNodes].sort((a, b) => a - b)
  const links = fold.topology.levels.map(({ links: count }, level) =>
    Array.from({ length: count }, (_, link) => link).filter(
      (link) =>
        fold.linkOwner(level, link) === undefined &&
        fold.bandwidthInUse(level, link) === 0 &&
        !fold.downLinks[level].has(link),
    ),
  )
  return JSON.stringify({ nodes, links })
}
