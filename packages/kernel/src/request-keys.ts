import type { Placer, Request } from '@cloister/placement'

/** Small integers for the keys under which a policy's refusals are remembered; -1 for requests that are not. */
export class RequestKeys<Index> {
  readonly #placer: Pick<Placer<Index>, 'requestKey'>
  #ofJob: Int32Array
  readonly #known = new Map<string | number, number>()

  constructor(placer: Pick<Placer<Index>, 'requestKey'>, jobs: number) {
    this.#placer = placer
    this.#ofJob = new Int32Array(jobs)
  }

  of(job: number): number {
    return this.#ofJob[job]
  }

  add(job: number, request: Request): number {
    const key = this.#intern(request)
    // Of jobs that come while others run it is not known how many there will be.
    if (job >= this.#ofJob.length) this.#ofJob = grown(this.#ofJob, job)
    this.#ofJob[job] = key
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
}

function grown(array: Int32Array, index: number): Int32Array {
  const larger = new Int32Array(2 * index + 64)
  larger.set(array)
  return larger
}
