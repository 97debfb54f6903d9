import type { HashFunction } from '@cloister/eventlog'
import type { Invariant } from '../invariant.ts'
import { TablesDigest } from '../routes/tables-digest.ts'
import { base64url } from '../seal-chain.ts'

export const stateDigest: Invariant = {
  name: 'state-digest',
  property:
    'The `state` of every seal is the digest that the auditor computes from its own model of the owners of all nodes and links and, in a log with a router, of the route records in force.',
  begin(model, tally, hash) {
    const tables = model.header.router === undefined ? undefined : new TablesDigest(hash)
    return {
      route: (record) => tables?.follow(record),
      seal(record) {
        tally.tested()
        const expected = digest(model.sums.bytes(), tables, hash)
        if (record.state !== expected)
          tally.violated(
            record,
            `the state digest is ${record.state}, but the records before the seal give ${expected}`,
          )
      },
    }
  },
}

function digest(sums: Uint8Array, tables: TablesDigest | undefined, hash: HashFunction): string {
  const computation = hash()
  computation.update(sums)
  if (tables !== undefined) computation.update(tables.bytes())
  return base64url(computation.digest())
}
