import type { Placer, Request } from '@cloister/placement'

const MOST_NODES = 2 ** 31 - 1

/**
 * Sizes, estimates and request keys of jobs, in arrays, because every scheduling pass reads them. The request key of a
 * job is a small integer for the key that the policy gives to its request; -1 if the policy gives no key.
 */
export class RequestKeys<Index> {
  readonly #placer: Pick<Placer<Index>, 'requestKey'>
  #ofJob: Int32Array
  #sizes: Int32Array
  #estimates: Float64Array
  readonly #known = new Map<string | number, number>()

  constructor(placer: Pick<Placer<Index>, 'requestKey'>, jobs: number) {
    this.#placer = placer
    this.#ofJob = new Int32Array(jobs)
    this.#sizes = new Int32Array(jobs)
    this.#estimates = new Float64Array(jobs)
  }

  of(job: number): number {
    return this.#ofJob[job]
  }

  sizeOf(job: number): number {
    return this.#sizes[job]
  }

  estimateOf(job: number): number {
    return this.#estimates[job]
  }

  add(job: number, request: Request): number {
    const key = this.#intern(request)
    // `LiveScheduler` does not know the number of its jobs in advance.
    if (job >= this.#ofJob.length) this.#grow(job)
    this.#ofJob[job] = key
    // No machine has more than `MOST_NODES` nodes, so the policy refuses such a request in any case.
    this.#sizes[job] = Math.min(request.nodes, MOST_NODES)
    this.#estimates[job] = request.estimate!
    return key
  }

  #intern(request: Request): number {
    const key = this.#placer.requestKey === undefined ? request.nodes : this.#placer.requestKey(request)
    if (key === undefined) return -1
    const known = this.#known.get(key)
    if (known !== undefined) return known
    this.#known.set(key, this.#known.size)
    return this.#known.size - 1
  }

  #grow(job: number): void {
    this.#ofJob = grown(this.#ofJob, new Int32Array(2 * job + 64))
    this.#sizes = grown(this.#sizes, new Int32Array(2 * job + 64))
    this.#estimates = grown(this.#estimates, new Float64Array(2 * job + 64))
  }
}

function grown<Numbers extends Int32Array | Float64Array>(numbers: Numbers, larger: Numbers): Numbers {
  larger.set(numbers)
  return larger
}
