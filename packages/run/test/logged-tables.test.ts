import { auditLog } from '@cloister/audit'
import { type Header, headerTopology, LoggedTables, LogState, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { bindPolicy, type ForwardingTables } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import jigsaw from '@cloister/policy-jigsaw'
import laas from '@cloister/policy-laas'
import leastConstrained from '@cloister/policy-least-constrained'
import mosaic from '@cloister/policy-mosaic'
import slurmTree from '@cloister/policy-slurm-tree'
import ta from '@cloister/policy-ta'
import { rerun } from '@cloister/replay'
import { Effect } from 'effect'
import { describe, expect, it } from 'vitest'
import { routingOf, run } from '../src/index.ts'
import { nodeServices } from '../src/node/index.ts'

const policies = [baseline, jigsaw, laas, leastConstrained, mosaic, slurmTree, ta]
const forAllLinks = ['d-mod-k', 'scheduling-aware', 'random', 'min-hop', 'updn', 'ftree'] as const
const cases = policies.flatMap((policy) => {
  const ofOwnLinks = policy === baseline || policy === slurmTree ? [] : (['partition'] as const)
  const ofPolicy = policy === baseline ? forAllLinks : forAllLinks.slice(0, 2)
  return [...ofOwnLinks, ...ofPolicy].map((router) => [policy.name, router] as const)
})

/** Returns the ports of two tables that differ, at most one a switch. */
function differences(header: Header, logged: LoggedTables, tables: ForwardingTables): ReadonlyArray<string> {
  return headerTopology(header).levels.flatMap(({ switches }, level) =>
    Array.from({ length: switches }, (_, sw) => {
      const node = logged.row(level, sw).findIndex((port, at) => port !== tables.port(level, sw, at))
      return node < 0 ? [] : [`switch ${sw} of level ${level}, node ${node}`]
    }).flat(),
  )
}

describe('the tables that the route records of a log give', () => {
  it.each(cases)(
    'equal the tables of the router at every 100th record: %s with the router %s',
    async (name, router) => {
      const chunks: Array<Uint8Array> = []
      await Effect.runPromise(
        run(
          { trace: 'synth:7:120:5', topology: 'radix:6', policy: name, queue: 'easy:20', router },
          { sink: (chunk) => chunks.push(chunk) },
        ).pipe(Effect.provide(nodeServices({ policies }))),
      )
      const records = [...readLog(chunks, sha256)]
      const header = records[0] as Header
      const policy = policies.find((each) => each.name === name)!
      const bound = bindPolicy<any, any>(policy, headerTopology(header), header.policy.config)
      const { tables } = routingOf(router, headerTopology(header), bound)!
      const state = new LogState(header)
      let compared = 0
      for (const record of records.slice(1)) {
        state.apply(record)
        if (record.type === 'allocate') tables.start(record.job, state.running.get(record.job)!)
        if (record.type === 'release') tables.end(record.job)
        // Route records follow the allocate or release in the same instant.
        if (record.type !== 'route' && record.type !== 'seal') continue
        if (record.seq > 1 && record.seq % 20 !== 0) continue
        compared++
        expect(differences(header, new LoggedTables(state.topology, state.routes.values()), tables)).toEqual([])
      }
      expect(compared).toBeGreaterThan(0)
      expect(auditLog(chunks, sha256).violations).toEqual([])
      const routing = routingOf(router, headerTopology(header), bound)!
      const again = rerun({ records: () => records, placer: bound.placer, policyName: name, routing })
      expect(again.difference).toBeUndefined()
    },
  )
})
