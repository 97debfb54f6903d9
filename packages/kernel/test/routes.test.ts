import { createHash } from 'node:crypto'
import type { Resources, RouteChange, Router } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { jigsaw } from '@cloister/policy-jigsaw'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { numbered, run, type RunOptions, runs } from './random-runs.ts'

/** A minimal router: a table entry for each node, and no routes for jobs of several leaves without links. */
const router: Router = {
  contract: 1,
  name: 'entries',
  make: (topology) => {
    const jobs = new Map<string, RouteChange>()
    return {
      port: () => -1,
      add: (job, parts) => {
        const leaves = new Set(Array.from(parts.nodes, (node) => topology.leafOfNode[node]))
        if (leaves.size > 1 && parts.links.length === 0) return { unroutable: 'its leaves have no links' }
        jobs.set(job, { entries: parts.nodes.length, digest: digestOf(parts) })
        return jobs.get(job)!
      },
      remove: (job) => {
        const change = jobs.get(job)!
        jobs.delete(job)
        return change
      },
    }
  },
}

function digestOf({ nodes, links }: Resources): string {
  return createHash('sha256')
    .update(JSON.stringify([Array.from(nodes), ...links.map((ids) => Array.from(ids))]))
    .digest('base64url')
}

it('route records hold the table entries that each start adds, and the same entries when the job ends', () => {
  const routed = runs.filter(({ policy }) => policy !== baseline).map((options) => ({ ...options, router }))
  fc.assert(
    fc.property(routed, (options) => {
      const added = new Map<string, string>()
      for (const record of run(options).records) {
        if (record.type === 'allocate') expect(added.has(record.job)).toBe(false)
        if (record.type !== 'route') continue
        const said = `${record.scheme} ${record.entries} ${record.digest}`
        if (record.op === 'add') added.set(record.job, said)
        else {
          expect(said).toBe(added.get(record.job))
          added.delete(record.job)
        }
      }
      expect(added.size).toBe(0)
    }),
    { numRuns: 60 },
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
      queue: { order: 'submit', backfill: 'none' },
      estimates: 'exact',
      overrun: 'run-on',
      refusals: false,
      router,
    }),
  ).toThrow(/^policy baseline: gave job 1 links that entries cannot route: /)
})
