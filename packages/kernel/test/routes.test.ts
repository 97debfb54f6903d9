import type { Resources, Router, SwitchEntries } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { jigsaw } from '@cloister/policy-jigsaw'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { numbered, run, type RunOptions, runs } from './random-runs.ts'

/** A minimal router: the first leaf gets an entry for each node of a job. Jobs of several leaves need links. */
const router: Router = {
  contract: 1,
  name: 'entries',
  version: '1.0.0',
  claims: { links: 'shared', changes: 'own' },
  make: (topology) => ({
    port: () => -1,
    start: (_, parts) => {
      const leaves = new Set(Array.from(parts.nodes, (node) => topology.leafOfNode[node]))
      if (leaves.size > 1 && parts.links.length === 0) return { unroutable: 'its leaves have no links' }
      return entriesOf(parts)
    },
    end: () => [],
  }),
}

/** Variant of `router` with the claim `any`: the router itself takes the entries back at each end. */
const changing: Router = {
  ...router,
  claims: { links: 'shared', changes: 'any' },
  make: (topology) => {
    const jobs = new Map<string, Resources>()
    const tables = router.make(topology)
    if ('unsupported' in tables) return tables
    return {
      ...tables,
      initial: () => [{ level: 0, sw: 1, nodes: [0], ports: [0] }],
      start: (job, parts) => {
        jobs.set(job, parts)
        return tables.start(job, parts)
      },
      end: (job) => {
        const { nodes } = jobs.get(job)!
        return [{ level: 0, sw: 0, nodes, ports: Array.from(nodes, () => -1) }]
      },
    }
  },
}

function entriesOf({ nodes }: Resources): ReadonlyArray<SwitchEntries> {
  return [{ level: 0, sw: 0, nodes, ports: Array.from(nodes, () => 0) }]
}

const routed = runs.filter(({ policy }) => policy !== baseline)

it('a route record has the entries of each start, and another undoes this record when the job ends', () => {
  fc.assert(
    fc.property(routed, (options) => {
      const added = new Map<string, number>()
      for (const record of run({ ...options, router }).records) {
        if (record.type === 'allocate') expect(added.has(record.job)).toBe(false)
        if (record.type !== 'route') continue
        const job = record.job!
        if (record.undo === undefined) added.set(job, record.seq)
        else {
          expect(record.undo).toBe(added.get(job))
          added.delete(job)
        }
      }
      expect(added.size).toBe(0)
    }),
    { numRuns: 60 },
  )
})

it('the first record has the entries before any job, and a router that claims `any` writes records without jobs', () => {
  fc.assert(
    fc.property(routed, (options) => {
      const { records } = run({ ...options, router: changing })
      const routes = records.filter((record) => record.type === 'route')
      expect(routes[0]).toMatchObject({ seq: 1, t: 0, cause: 0, entries: ['1 0:0'] })
      expect(routes.every(({ job, undo }) => job === undefined && undo === undefined)).toBe(true)
      const started = records.filter(({ type }) => type === 'allocate').length
      expect(routes.filter(({ entries }) => entries!.every((text) => text.endsWith(':-'))).length).toBe(started)
    }),
    { numRuns: 20 },
  )
})

it('a router changes only the route records of a log', () => {
  fc.assert(
    fc.property(
      runs.filter(({ policy }) => policy === jigsaw),
      (options) => {
        const decisions = (one: RunOptions): ReadonlyArray<unknown> =>
          run(one)
            .records.filter(
              ({ type }) => type === 'allocate' || type === 'release' || type === 'reserve' || type === 'kill',
            )
            .map((record) => ({ ...record, seq: 0, cause: 0, for: 0, backfill: 0 }))
        expect(decisions({ ...options, router })).toEqual(decisions(options))
      },
    ),
    { numRuns: 60 },
  )
})

it('a policy that gives a job links without routes ends the simulation with a fault that names the policy', () => {
  const jobs = numbered([{ submit: 0, size: 5, runTime: 1000, walltime: undefined }])
  expect(() =>
    run({
      topology: 'radix:4',
      policy: baseline,
      config: {},
      jobs,
      queue: { backfill: 'none' },
      estimates: 'exact',
      overrun: 'run-on',
      refusals: false,
      router,
    }),
  ).toThrow(/^policy baseline: gave job 1 links that entries cannot route: /)
})
