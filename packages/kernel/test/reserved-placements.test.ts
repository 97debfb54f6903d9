import type { Placement } from '@cloister/placement'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ReservedPlacements } from '../src/guarded-policy.ts'

test('ReservedPlacements keeps the last reserved placement of each job until `take` removes it', () => {
  const event = fc.record({ job: fc.nat(6), isTaken: fc.boolean() })
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const reserved = new ReservedPlacements()
      const naive = new Map<number, { placement: Placement; checksum: number }>()
      events.forEach(({ job, isTaken }, checksum) => {
        if (isTaken) {
          expect(reserved.take(job)).toBe(naive.get(job))
          naive.delete(job)
          return
        }
        const answer = { placement: { ok: true, nodes: [job], links: [] } as const, checksum }
        reserved.set(job, answer)
        naive.set(job, answer)
      })
      for (let job = 0; job <= 6; job++) expect(reserved.take(job)).toBe(naive.get(job))
    }),
  )
})
