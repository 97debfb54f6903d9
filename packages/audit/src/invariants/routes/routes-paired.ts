import type { Allocate, Release, Route } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const routesPaired: Invariant = {
  name: 'routes-paired',
  property:
    "If the header names a router, a route record with the op `add` follows each allocate in the same instant, and a route record with the op `remove` follows each release in the same instant. The `remove` has the same number of entries and the same digest as the `add` of the job. The scheme of every route record is the header's router. Every route record follows an allocate or release of its job, and a log without a router has no route records.",
  begin(model, tally) {
    const { router } = model.rules
    /** For each job id: the allocate or release that still needs a route record. */
    const due: Map<string, Allocate | Release> = new Map()
    /** For each job id: the route record that added the job's routes. */
    const added: Map<string, Route> = new Map()
    let instant = 0

    const missed = (record: Allocate | Release): void => {
      due.delete(record.job)
      tally.violated(
        record,
        `no route record with the op ${record.type === 'allocate' ? 'add' : 'remove'} follows the ${record.type} of job ${record.job} in the same instant`,
      )
    }
    const expect = (record: Allocate | Release): void => {
      if (router === undefined) return
      tally.tested()
      const earlier = due.get(record.job)
      if (earlier !== undefined) missed(earlier)
      // If the add of the job's routes is missing, the log has a violation already, and no remove is expected.
      if (record.type === 'allocate' || added.has(record.job)) due.set(record.job, record)
    }
    return {
      every(record) {
        if (model.instant === instant && record.type !== 'end') return
        instant = model.instant
        for (const earlier of due.values()) missed(earlier)
      },
      allocate: expect,
      release: expect,
      route(record) {
        tally.tested()
        if (router === undefined)
          return tally.violated(record, 'the log has a route record, but the header names no router')
        if (record.scheme !== router)
          tally.violated(record, `the scheme is ${record.scheme}, but the header's router is ${router}`)
        const expected = due.get(record.job)
        if (expected?.type !== (record.op === 'add' ? 'allocate' : 'release')) {
          return tally.violated(
            record,
            `the op is ${record.op}, but no ${record.op === 'add' ? 'allocate' : 'release'} of job ${record.job} needs this route record`,
          )
        }
        due.delete(record.job)
        if (record.op === 'add') {
          added.set(record.job, record)
          return
        }
        const { seq, entries, digest } = added.get(record.job)!
        added.delete(record.job)
        if (record.entries !== entries)
          tally.violated(
            record,
            `the route record removes ${record.entries} entries, but record ${seq} added ${entries}`,
          )
        else if (record.digest !== digest)
          tally.violated(
            record,
            `the route record removes entries of digest ${record.digest}, but record ${seq} added ${digest}`,
          )
      },
    }
  },
}
