import type { HashFunction } from '@cloister/eventlog'
import type { MachineModel } from '../cluster/machine-model.ts'
import type { Invariant } from '../invariant.ts'
import { TablesDigest } from '../routes/tables-digest.ts'
import { base64url } from '../seal-chain.ts'

const DOWN = 0xffffffff

export const stateDigest: Invariant = {
  name: 'state-digest',
  property:
    'The `state` of every seal is the digest that the auditor computes from its own model of the owners of all nodes and links and, in a log with a router, of the route records in force.',
  begin(model, tally, hash) {
    const tables = model.header.router === undefined ? undefined : new TablesDigest(hash)
    const sums = new ResourceSums(model)
    const named = (): void => sums.touch(model.named?.resources)
    return {
      ...(sums.needsTouches && {
        allocate: named,
        down: named,
        up: named,
        release: () => sums.touch(model.job?.allocation?.resources),
      }),
      route: (record) => tables?.follow(record),
      seal(record) {
        tally.tested()
        const expected = digest(sums.bytes(), tables, hash)
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

/**
 * The two sums of SPEC.md over all resources. The integer of a resource is the seq of the owner's allocate, 0 if free,
 * 0xffffffff if down; for a link shared up to a cap that is not down, the MB/s in use. A seal adds again the resources
 * that records have named since the previous seal. On a small machine, or if records have named more resources than
 * exist, a seal looks at every resource.
 */
class ResourceSums {
  readonly #model: MachineModel
  /** Integer of each resource at the previous seal. */
  readonly #summed: Uint32Array
  readonly #touched: Array<Int32Array> = []
  #mentions = 0
  readonly needsTouches: boolean
  #first = 0
  #second = 0

  constructor(model: MachineModel) {
    this.#model = model
    this.#summed = new Uint32Array(model.owners.length)
    this.needsTouches = model.owners.length > SMALL
  }

  /** Notes resources that a record may change. */
  touch(resources: Int32Array | undefined): void {
    if (resources === undefined) return
    this.#mentions += resources.length
    if (this.#mentions <= this.#summed.length) this.#touched.push(resources)
  }

  /** Returns the sums in the present state, as little-endian 32-bit integers. */
  bytes(): Uint8Array {
    const isListed = this.needsTouches && this.#mentions <= this.#summed.length
    if (isListed) for (const resources of this.#touched) for (const resource of resources) this.#sumUp(resource)
    else for (let resource = 0; resource < this.#summed.length; resource++) this.#sumUp(resource)
    this.#touched.length = 0
    this.#mentions = 0
    const view = new DataView(new ArrayBuffer(8))
    view.setInt32(0, this.#first, true)
    view.setInt32(4, this.#second, true)
    return new Uint8Array(view.buffer)
  }

  #sumUp(resource: number): void {
    const { owners, downBy } = this.#model
    const integer = downBy[resource] === 0 ? owners[resource] : DOWN
    const change = integer - this.#summed[resource]
    if (change === 0) return
    this.#summed[resource] = integer
    const number = resource + 1
    this.#first = (this.#first + Math.imul(change, mixed(2 * number))) | 0
    this.#second = (this.#second + Math.imul(change, mixed(2 * number + 1))) | 0
  }
}

/** Most nodes and links of a machine at which a look at all of them takes less time than notes of each record. */
const SMALL = 2 ** 16

/** Returns the weight `mix` of SPEC.md, as a signed integer. */
function mixed(number: number): number {
  let bits = number
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}
