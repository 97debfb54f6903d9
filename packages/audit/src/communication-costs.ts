import {
  type Allocate,
  type HashFunction,
  type Header,
  headerTopology,
  type LogRecord,
  resourcesOf,
} from '@cloister/eventlog'
import { lowestCommonLevel, type Topology } from '@cloister/topology'

/** Cost of a job's communication matrix on the nodes of an allocate record. */
export interface CommunicationCost {
  readonly seq: number
  readonly job: string
  /**
   * Bytes times distance, summed over all pairs of ranks. The distance of two ranks is twice the level, from 1 for
   * leaves, of the lowest switch above both nodes.
   */
  readonly hopBytes: number
  /** The sum of `hopBytes`, with each distance multiplied by 1 + the contention of the ranks' leaves (`#crowd`). */
  readonly effectiveHopBytes: number
}

/** Error for a job whose number of ranks differs from the size of the job's matrix. */
export class MatrixMisfitError extends RangeError {
  readonly _tag: 'MatrixMisfitError' = 'MatrixMisfitError'
  override readonly name: string = 'MatrixMisfitError'
  readonly seq: number
  readonly job: string

  constructor({ seq, job }: Allocate, ranks: number, ofMatrix: number) {
    super(`job ${job} has ${ranks} ranks, but its matrix has ${ofMatrix}`)
    this.seq = seq
    this.job = job
  }
}

/**
 * Yields the communication cost of every start of a job with a matrix, by the measure of Mangat and Malakar (JSSPP
 * 2025), from the log and the files of the matrices alone. The function shares no code with the policies that use this
 * measure.
 *
 * @param records records of a log, from the header on
 * @param files bytes of the files of matrices, in any order; files that the log does not name are ignored
 * @throws RangeError if no file has the SHA-256 of a matrix in the log's header
 * @throws MatrixMisfitError if the size of a matrix is not the number of a job's ranks
 */
export function* communicationCosts(
  records: Iterable<LogRecord>,
  files: ReadonlyArray<Uint8Array>,
  hash: HashFunction,
): Generator<CommunicationCost> {
  let machine: CommunicatingMachine | undefined
  for (const record of records) {
    if (record.type === 'header') machine = new CommunicatingMachine(record, files, hash)
    else if (record.type === 'submit' && record.communication !== undefined)
      machine?.patterns.set(record.job, record.communication.pattern)
    else if (record.type === 'release') machine?.release(record.job)
    else if (record.type === 'allocate' && machine?.patterns.has(record.job) === true) {
      const cost = machine.allocate(record)
      if (cost !== undefined) yield cost
    }
  }
}

class CommunicatingMachine {
  readonly patterns: Map<string, string> = new Map()
  readonly #topology: Topology
  readonly #matrices: ReadonlyMap<string, ReadonlyArray<ReadonlyArray<number>>>
  readonly #nodes = new Map<string, ReadonlyArray<number>>()

  constructor(header: Header, files: ReadonlyArray<Uint8Array>, hash: HashFunction) {
    this.#topology = headerTopology(header)
    this.#matrices = matricesOf(header, files, hash)
  }

  release(job: string): void {
    this.#nodes.delete(job)
  }

  allocate(record: Allocate): CommunicationCost | undefined {
    const nodes = Array.from(resourcesOf(record).nodes)
    this.#nodes.set(record.job, nodes)
    const matrix = this.#matrices.get(this.patterns.get(record.job)!)
    return matrix === undefined ? undefined : this.#cost(record, record.ranks ?? nodes, matrix)
  }

  #cost(
    record: Allocate,
    ranks: ReadonlyArray<number>,
    matrix: ReadonlyArray<ReadonlyArray<number>>,
  ): CommunicationCost {
    if (ranks.length !== matrix.length) throw new MatrixMisfitError(record, ranks.length, matrix.length)
    const { seq, job } = record
    const { leafOfNode } = this.#topology
    const busy = new Map<number, number>()
    for (const node of [...this.#nodes.values()].flat())
      busy.set(leafOfNode[node], (busy.get(leafOfNode[node]) ?? 0) + 1)
    let [hopBytes, effectiveHopBytes] = [0, 0]
    for (const [a, row] of matrix.entries()) {
      for (const [b, bytes] of row.entries()) {
        // The matrix has both directions of a pair of ranks, so each direction counts half.
        if (a === b || bytes === 0) continue
        const far = 2 * (lowestCommonLevel(this.#topology, ranks[a], ranks[b]) + 1)
        hopBytes += (bytes * far) / 2
        effectiveHopBytes += ((bytes * far) / 2) * (1 + this.#crowd(busy, leafOfNode[ranks[a]], leafOfNode[ranks[b]]))
      }
    }
    return { seq, job, hopBytes, effectiveHopBytes }
  }

  /**
   * Returns the contention of two leaves (or one) by equations 2 and 3 of Mishra et al. (ICPP Workshops 2020).
   *
   * @param busy number of nodes of communicating jobs on each leaf
   */
  #crowd(busy: ReadonlyMap<number, number>, leafA: number, leafB: number): number {
    const { firstNodeOfLeaf } = this.#topology
    const [commA, commB] = [busy.get(leafA) ?? 0, busy.get(leafB) ?? 0]
    const [nodesA, nodesB] = [leafA, leafB].map((leaf) => firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf])
    return leafA === leafB
      ? commA / nodesA
      : commA / nodesA + commB / nodesB + (0.5 * (commA + commB)) / (nodesA + nodesB)
  }
}

function matricesOf(
  header: Header,
  files: ReadonlyArray<Uint8Array>,
  hash: HashFunction,
): ReadonlyMap<string, ReadonlyArray<ReadonlyArray<number>>> {
  const bySum = new Map(files.map((bytes) => [sha256Of(bytes, hash), bytes]))
  return new Map(
    (header.workload.matrices ?? []).map(({ name, sha256 }) => {
      const bytes = bySum.get(sha256)
      if (bytes === undefined)
        throw new RangeError(`the log names the matrix ${name}, but no given file has its SHA-256, ${sha256}`)
      return [`matrix:${name}`, numbersOf(new TextDecoder().decode(bytes))] as const
    }),
  )
}

function sha256Of(bytes: Uint8Array, hash: HashFunction): string {
  const sum = hash()
  sum.update(bytes)
  return Array.from(sum.digest(), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Returns the rows of a matrix in a text: one row a line, numbers separated by white space or commas. */
function numbersOf(text: string): ReadonlyArray<ReadonlyArray<number>> {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) =>
      line
        .split(/[\s,]+/)
        .filter((field) => field !== '')
        .map(Number),
    )
}
