import { auditLog } from '@cloister/audit'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Header, headerTopology, LoggedTables, LogState, readLog, resourcesOf } from '@cloister/eventlog'
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

/** Failures and repairs of leaf uplinks, L2 uplinks and nodes, as the lines of an outage file. */
const outages = Array.from({ length: 40 }, (_, at) => {
  const links = [`${(at * 7) % 54}`, `${(at * 11) % 54}`]
  const what = at % 5 === 0 ? { nodes: String(at) } : { links: at % 2 === 0 ? links : links.slice(0, 1) }
  return [
    { t: 100 + 130 * at, type: 'down', ...what },
    { t: 190 + 130 * at, type: 'up', ...what },
  ]
}).flat()

describe('the tables that the route records of a log give', () => {
  it.each(cases)('equal the tables of the router, also after failures: %s with the router %s', async (name, router) => {
    const folder = mkdtempSync(join(tmpdir(), 'logged-tables-'))
    const file = join(folder, 'outages.ndjson')
    writeFileSync(file, outages.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const chunks: Array<Uint8Array> = []
    await Effect.runPromise(
      run(
        { trace: 'synth:7:120:5', topology: 'radix:6', policy: name, queue: 'easy:20', router, outages: file },
        { sink: (chunk) => chunks.push(chunk) },
      ).pipe(Effect.provide(nodeServices({ policies }))),
    )
    rmSync(folder, { recursive: true })
    const records = [...readLog(chunks, sha256)]
    const header = records[0] as Header
    const topology = headerTopology(header)
    const policy = policies.find((each) => each.name === name)!
    const bound = bindPolicy<any, any>(policy, topology, header.policy.config)
    const made = (): ForwardingTables => routingOf(router, topology, bound)!.tables
    const tables = made()
    const state = new LogState(header)
    let [compared, rerouted] = [0, 0]
    records.slice(1).forEach((record, at) => {
      state.apply(record)
      if (record.type === 'allocate') tables.start(record.job, state.running.get(record.job)!)
      if (record.type === 'release') tables.end(record.job)
      if (record.type === 'down' || record.type === 'up') tables.change?.(record.type, resourcesOf(record))
      if (record.type === 'route' && ['down', 'up'].includes(records[record.cause].type)) rerouted++
      // The tables are compared at the ends of instants, because route records follow the records that cause them.
      const next = records[at + 2]
      if (next !== undefined && 't' in next && next.t === state.t) return
      if (compared++ % 10 > 0) return
      const logged = new LoggedTables(topology, state.routes.values())
      expect(differences(header, logged, tables)).toEqual([])
      // A controller that continues the log makes the tables again from the running jobs and the failed links. Under the
      // claim `any`, tables may depend on earlier jobs, too.
      if (header.router!.claims.changes === 'any') return
      const again = made()
      for (const [job, resources] of state.running) again.start(job, resources)
      again.change?.('down', { nodes: state.downNodes.ids(), links: state.downLinks.map((ids) => ids.ids()) })
      expect(differences(header, logged, again)).toEqual([])
    })
    expect(compared).toBeGreaterThan(50)
    if (router === 'partition') expect(rerouted).toBeGreaterThan(20)
    expect(auditLog(chunks, sha256).violations).toEqual([])
    const routing = routingOf(router, topology, bound)!
    const again = rerun({ records: () => records, placer: bound.placer, policyName: name, routing })
    expect(again.difference).toBeUndefined()
  })
})
