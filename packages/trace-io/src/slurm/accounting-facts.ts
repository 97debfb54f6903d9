import { countHostlist, HostlistError, parseHostlist } from '@cloister/topology'
import { accountedId, type AccountingField, type AccountingRow, openStates } from './accounting.ts'

/** Facts of a file of Slurm's accounting besides its jobs. */
export interface AccountingFacts {
  /** Fields that the file lacks, each with the information that the field would give. */
  readonly lacks: ReadonlyArray<{ readonly field: string; readonly gives: string }>
  /** Command of Slurm that prints a file with all fields. */
  readonly command: string
  /** Number of jobs with graphics processors; undefined if the file does not state graphics processors. */
  readonly gpuJobs: number | undefined
  /**
   * Account of the jobs that shared nodes; undefined if the file has no lists of nodes or too many names of nodes, or
   * if the option `countsNodeSharing` is false.
   */
  readonly nodeSharing: NodeSharing | undefined
  readonly contradictions: Contradictions
}

const uses: ReadonlyArray<readonly [fields: ReadonlyArray<AccountingField>, gives: string]> = [
  [['JobIDRaw'], 'a separate number for each job of an array'],
  [
    ['Eligible'],
    'the time from which a job could start; without the field, every job arrives at its submit time, and dependencies count as waiting',
  ],
  [['Start'], 'the waiting times of jobs'],
  [['End'], 'the end times of jobs'],
  [['TimelimitRaw', 'Timelimit'], 'the walltimes of jobs, which are the estimates of backfilling'],
  [['NodeList'], 'the nodes of jobs, and jobs on shared nodes'],
  [['AllocTRES', 'ReqTRES'], 'the graphics processors of jobs'],
  [['User'], 'the users of jobs'],
  [['Account'], 'the accounts of jobs'],
  [['Partition'], 'the partitions of jobs'],
]

/**
 * Fields to ask `sacct` for. All exist in Slurm 22.05, because `sacct` prints nothing if asked for an unknown field.
 */
export const sacctFields = [
  'JobID',
  'JobIDRaw',
  'Submit',
  'Eligible',
  'Start',
  'End',
  'ElapsedRaw',
  'TimelimitRaw',
  'NNodes',
  'State',
  'Partition',
  'User',
  'Account',
  'NodeList',
  'AllocTRES',
  'ReqTRES',
  'QOS',
  'Reservation',
  'Priority',
  'Flags',
] as const

/** Command for `sacct`: all users, no steps, every run of a requeued job, times as Unix seconds, nothing rounded. */
export const sacctCommand: string = `SLURM_TIME_FORMAT=%s sacct -a -X -D -P --noconvert -S FROM -E TO -o ${sacctFields.join()}`

/** Returns the fields that a file of Slurm's accounting lacks; none for undefined `fields`. */
export function whatIsLacking(fields: ReadonlySet<AccountingField> | undefined): AccountingFacts['lacks'] {
  if (fields === undefined) return []
  return uses
    .filter(([either]) => !either.some((field) => fields.has(field)))
    .map(([[field], gives]) => ({ field, gives }))
}

/** Account of the rows of Slurm's accounting with fields that contradict each other; `rows` is their number. */
export interface Contradictions {
  readonly rows: number
  /** Number of rows by contradiction, such as `End before Start`. A row may have several contradictions. */
  readonly kinds: Readonly<Record<string, number>>
  /** Line of the first row with a contradiction, from 1; undefined without contradictions. */
  readonly firstLine: number | undefined
}

/** Pairs of fields with the same meaning, and the values of both fields in one line; -1 for an unknown value. */
export type SaidTwice = ReadonlyArray<readonly [fields: string, one: number, other: number]>

/** Most names of nodes to read from the hostlists of a file, because a few bytes can stand for millions of names. */
const MAX_NAMES = 50_000_000

/** Counter of the rows of Slurm's accounting with fields that contradict each other. */
export class ContradictionCounter {
  readonly #kinds = new Map<string, number>()
  #rows = 0
  #firstLine: number | undefined

  add(row: AccountingRow, twice: SaidTwice = []): void {
    const found = [...this.#kindsIn(row), ...twice.flatMap(([fields, one, other]) => differing(fields, one, other))]
    if (found.length === 0) return
    this.#rows++
    this.#firstLine ??= row.line
    for (const kind of found) this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1)
  }

  get found(): Contradictions {
    return { rows: this.#rows, kinds: Object.fromEntries(this.#kinds), firstLine: this.#firstLine }
  }

  *#kindsIn(row: AccountingRow): Generator<string, void> {
    const { submit, start, end, elapsed, nodes, nodeList, state } = row
    if (start >= 0 && end >= 0) {
      if (end < start) yield 'End before Start'
      else if (elapsed > end - start) yield 'Elapsed longer than from Start to End'
      else if (elapsed >= 0 && elapsed < end - start) yield 'Elapsed shorter than from Start to End'
    }
    if (start >= 0 && start < submit) yield 'Start before Submit'
    if (end >= 0 && openStates.has(state)) yield `End of a job that is ${state}`
    if (start >= 0 && nodes > 0 && nodeList !== '' && !hasNames(nodeList, nodes))
      yield 'NNodes differs from the number of names in NodeList'
  }
}

function differing(fields: string, one: number, other: number): ReadonlyArray<string> {
  return one < 0 || other < 0 || one === other ? [] : [`${fields} differ`]
}

/** Account of the jobs that used a node at the same time as another job; `jobs` is their number. */
interface NodeSharing {
  readonly jobs: number
  /** Ids of the first two jobs in time that shared a node, and the node's name; undefined if no jobs shared nodes. */
  readonly first: { readonly jobs: readonly [string, string]; readonly node: string } | undefined
}

/**
 * Finds the jobs of an accounting that shared nodes, by the names of the nodes and the times of the runs. A run with an
 * unknown end and a run time that is unknown or 0 counts as endless. Returns undefined after 50 million names of nodes.
 * A hostlist that is wrong or exceeds the rest of this limit counts as empty.
 */
export function nodeSharingOf(rows: ReadonlyArray<AccountingRow>): NodeSharing | undefined {
  const sharing = new Set<string>()
  let first: NodeSharing['first']
  /** Run with the latest end so far, by node. */
  const latest = new Map<string, AccountingRow>()
  let namesLeft = MAX_NAMES
  const started = rows.filter(({ start, nodeList }) => start >= 0 && nodeList !== '')
  for (const row of started.sort((a, b) => a.start - b.start || a.line - b.line)) {
    if (endOf(row) <= row.start) continue
    const names = namesIn(row.nodeList, namesLeft)
    namesLeft -= Math.max(1, names.length)
    if (namesLeft <= 0) return undefined
    for (const node of names) {
      const other = latest.get(node)
      if (other === undefined || endOf(other) <= row.start) {
        latest.set(node, row)
        continue
      }
      const [one, another] = [accountedId(other), accountedId(row)]
      // Two runs of one job do not share a node, even if their times overlap because the clocks of nodes disagree.
      if (one !== another) {
        first ??= { jobs: [one, another], node }
        sharing.add(one).add(another)
      }
      if (endOf(other) < endOf(row)) latest.set(node, row)
    }
  }
  return { jobs: sharing.size, first }
}

function endOf({ start, end, elapsed }: AccountingRow): number {
  return end >= 0 ? end : elapsed > 0 ? start + elapsed : Infinity
}

/** Returns the names of a hostlist; no names if the text is no hostlist or has more than `limit` names. */
function namesIn(hostlist: string, limit: number): ReadonlyArray<string> {
  try {
    return parseHostlist(hostlist, limit)
  } catch (error) {
    if (error instanceof HostlistError) return []
    throw error
  }
}

/** Returns true if a hostlist has so many names; false if the text is no hostlist. */
function hasNames(hostlist: string, count: number): boolean {
  try {
    return countHostlist(hostlist, count) === count
  } catch (error) {
    if (error instanceof HostlistError) return false
    throw error
  }
}

/** Numbers of processors and of graphics processors of a job; 0 for a number that the accounting does not state. */
export type HeldProcessors = Pick<AccountingRow, 'cpus' | 'gpus'>

/**
 * Estimated processors and graphics processors of each node: the largest numbers that a job had on the node. Slurm's
 * accounting states the processors of jobs, but not of nodes. Nodes are numbers from 0.
 */
export class NodeCapacities {
  readonly #cpus: Array<number> = []
  readonly #gpus: Array<number> = []

  /**
   * Raises the estimate of each node of a job to the job's share on the node, if the share is larger. The shares of a
   * job on its nodes are assumed to be equal.
   */
  learn(nodes: ArrayLike<number>, { cpus, gpus }: HeldProcessors): void {
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at]
      this.#cpus[node] = Math.max(this.#cpus[node] ?? 0, cpus / nodes.length)
      this.#gpus[node] = Math.max(this.#gpus[node] ?? 0, gpus / nodes.length)
    }
  }

  /**
   * Returns true if a job uses neither all processors nor all graphics processors of its nodes, by the estimates. An
   * unknown number (0) counts as less than all. Returns false if both numbers of the job are unknown.
   */
  isPart(nodes: ArrayLike<number>, { cpus, gpus }: HeldProcessors): boolean {
    let [allCpus, allGpus] = [0, 0]
    for (let at = 0; at < nodes.length; at++) {
      allCpus += this.#cpus[nodes[at]] ?? 0
      allGpus += this.#gpus[nodes[at]] ?? 0
    }
    if (cpus === 0 && gpus === 0) return false
    return (cpus === 0 || cpus < allCpus) && (gpus === 0 || gpus < allGpus)
  }
}

/** Number of a node that stands for every node while the names of nodes are not read. */
const ANY_NODE = 0

/**
 * Finds the jobs that use only a part of the processors of their nodes. If the names of a job's nodes are unknown or
 * too many, the largest share that any job had on a node counts as a whole node.
 *
 * @param rows all rows of the accounting, for estimates of the processors of nodes
 * @param jobs jobs that `jobsOfRows` made from `rows`
 * @returns 1 for each job on only a part of the job's nodes, 0 for any other job; undefined if no row states processors
 *   or graphics processors
 */
export function jobsOnParts(
  rows: ReadonlyArray<AccountingRow>,
  jobs: ReadonlyArray<AccountingRow>,
): Uint8Array | undefined {
  if (!rows.some(({ cpus, gpus }) => cpus > 0 || gpus > 0)) return undefined
  const alike = new NodeCapacities()
  for (const row of rows) if (row.nodes > 0) alike.learn([ANY_NODE], perNode(row))
  const mayBePart = jobs.map((job) => job.nodes > 0 && alike.isPart([ANY_NODE], perNode(job)))
  // If every job has the largest share of a node, which is usual, no job uses a part of a node, and no name is needed.
  if (!mayBePart.includes(true)) return new Uint8Array(jobs.length)
  const nodes = new NodeNumbers()
  const capacities = new NodeCapacities()
  for (const row of rows) capacities.learn(nodes.of(row), row)
  const isPart = (job: AccountingRow): boolean => {
    const own = nodes.of(job)
    return own.length === 0 || capacities.isPart(own, job)
  }
  return Uint8Array.from(jobs, (job, at) => (mayBePart[at] && isPart(job) ? 1 : 0))
}

function perNode({ cpus, gpus, nodes }: AccountingRow): HeldProcessors {
  return { cpus: cpus / nodes, gpus: gpus / nodes }
}

class NodeNumbers {
  readonly #numbers = new Map<string, number>()
  #namesLeft = MAX_NAMES

  /** Returns the numbers of a row's nodes; none without a hostlist, or if earlier hostlists have too many names. */
  of({ nodeList }: AccountingRow): ReadonlyArray<number> {
    if (nodeList === '' || this.#namesLeft <= 0) return []
    const names = namesIn(nodeList, this.#namesLeft)
    this.#namesLeft -= Math.max(1, names.length)
    return names.map((name) => {
      const number = this.#numbers.get(name) ?? this.#numbers.size
      this.#numbers.set(name, number)
      return number
    })
  }
}
