import type { Allocate, Release, Route } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const routesPaired: Invariant = {
  name: 'routes-paired',
  property:
    "If the header names a router, each allocate is followed in the same instant by an add of the job's routes, and each release by the remove of the same routes, with equal entries and digest. The scheme of all these records is the router, and there are no other route records.",
  begin(model, tally) {
    const { router } = model.rules
    /** By job, the allocate or release that still needs its route record. */
    const due: Map<string, Allocate | Release> = new Map()
    /** By job, the record that added its routes. */
    const added: Map<string, Route> = new Map()
    let instant = 0

    const missed = (record: Allocate | Release): void => {
      due.delete(record.job)
      tally.violated(
        record,
        `the ${record.type} is not followed by ${record.type === 'allocate' ? 'the add' : 'the remove'} of the job's routes in its instant`,
      )
    }
    const expect = (record: Allocate | Release): void => {
      if (router === undefined) return
      tally.tested()
      const earlier = due.get(record.job)
      if (earlier !== undefined) missed(earlier)
      // Without an add there is nothing to remove, and the missing add is a violation already.
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
        if (router === undefined) return tally.violated(record, 'routes change, but the header names no router')
        if (record.scheme !== router)
          tally.violated(record, `scheme ${record.scheme}, but the router of the header is ${router}`)
        const expected = due.get(record.job)
        if (expected?.type !== (record.op === 'add' ? 'allocate' : 'release')) {
          return tally.violated(
            record,
            `${record.op} of routes after no ${record.op === 'add' ? 'allocate' : 'release'} of the job that still wants one`,
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
          tally.violated(record, `${record.entries} entries are removed, but ${entries} were added by ${seq}`)
        else if (record.digest !== digest)
          tally.violated(record, `routes of digest ${record.digest} are removed, but ${seq} added ${digest}`)
      },
    }
  },
}
