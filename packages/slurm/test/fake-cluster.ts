import { nodeName, type Topology } from '@cloister/topology'
import { type AccountingRow, readSacct } from '@cloister/trace-io'

/** Run of a job of the fake cluster, with times in Unix seconds; `end` is Infinity during the run. */
export interface FakeRun {
  readonly start: number
  end: number
  state: string
  readonly nodes: ReadonlyArray<number>
}

interface FakeJob {
  readonly id: string
  submit: number
  /** Time from which the job may start, in Unix seconds; Infinity if the job may not start yet. */
  eligible: number
  readonly size: number
  state: string
  end: number
  readonly runs: Array<FakeRun>
}

/** Random cluster that advances second by second, and prints its state like Slurm's commands. */
export class FakeCluster {
  readonly jobs: Array<FakeJob> = []
  readonly down: Set<number> = new Set()
  now: number
  readonly #topology: Topology
  readonly #draw: (below: number) => number
  readonly #sharesNodes: boolean

  constructor(topology: Topology, start: number, draw: (below: number) => number, sharesNodes = false) {
    this.now = start
    this.#topology = topology
    this.#draw = draw
    this.#sharesNodes = sharesNodes
  }

  /** Advances the cluster by a second: jobs end, a node goes down or comes up, jobs arrive, start or are cancelled. */
  tick(): void {
    this.now++
    const draw = this.#draw
    for (const job of this.jobs) {
      const run = job.runs.at(-1)
      if (job.state === 'RUNNING' && run !== undefined && draw(6) === 0) this.#end(job, run)
    }
    if (draw(8) === 0) this.#flip(draw(this.#topology.nodes))
    if (draw(3) === 0) this.#submit()
    for (const job of this.jobs) {
      if (job.state !== 'PENDING') continue
      if (job.eligible === Infinity && draw(4) === 0) job.eligible = this.now
      if (job.eligible <= this.now && draw(3) === 0) this.#start(job)
      else if (draw(20) === 0) {
        job.state = 'CANCELLED'
        job.end = this.now
      }
    }
  }

  #end(job: FakeJob, run: FakeRun): void {
    run.end = this.now
    const how = this.#draw(8)
    run.state = ['COMPLETED', 'FAILED', 'TIMEOUT', 'CANCELLED', 'NODE_FAIL', 'PREEMPTED', 'REQUEUED', 'REQUEUED'][how]
    job.end = this.now
    if (how < 4) {
      job.state = run.state
      return
    }
    // The requeued job waits again, with a new submit time as in Slurm.
    job.state = 'PENDING'
    job.submit = this.now
    job.eligible = this.now + 1
  }

  #flip(node: number): void {
    if (this.down.has(node)) this.down.delete(node)
    else if (this.#holders(node) === 0) this.down.add(node)
  }

  #submit(): void {
    const id = String(this.jobs.length + 1)
    this.jobs.push({
      id: this.#draw(4) === 0 ? `${id}_0` : id,
      submit: this.now,
      eligible: this.#draw(4) === 0 ? Infinity : this.now + this.#draw(2),
      size: 1 + this.#draw(4),
      state: 'PENDING',
      end: Infinity,
      runs: [],
    })
  }

  #holders(node: number): number {
    const held = this.jobs.filter((job) => job.state === 'RUNNING' || this.isCompleting(job))
    return held.filter(({ runs }) => runs.at(-1)!.nodes.includes(node)).length
  }

  #start(job: FakeJob): void {
    const free = Array.from({ length: this.#topology.nodes }, (_, node) => node).filter(
      (node) => !this.down.has(node) && (this.#sharesNodes || this.#holders(node) === 0),
    )
    // A sixth of the jobs get a node less than they requested, like jobs that accept several numbers of nodes.
    const size = this.#draw(6) === 0 ? Math.max(1, job.size - 1) : job.size
    if (free.length < size) return
    const first = this.#draw(free.length - size + 1)
    job.state = 'RUNNING'
    job.runs.push({ start: this.now, end: Infinity, state: 'RUNNING', nodes: free.slice(first, first + size) })
  }

  /** Returns true in the second of a job's requeue: Slurm cleans the job's nodes up, and starts no job on the nodes. */
  isCompleting({ state, submit, runs }: FakeJob): boolean {
    return state === 'PENDING' && submit === this.now && runs.at(-1)?.end === this.now
  }

  #names(nodes: ReadonlyArray<number>): string {
    return nodes.map((node) => nodeName(this.#topology, node)).join()
  }

  /** Returns the output of `squeue`, also with jobs that ended less than `minJobAge` seconds ago. */
  squeue(minJobAge: number): string {
    return this.jobs
      .filter(({ state, end }) => state === 'PENDING' || state === 'RUNNING' || end + minJobAge > this.now)
      .map((job) => {
        const { id, submit, eligible, size, end, runs } = job
        const state = this.isCompleting(job) ? 'COMPLETING' : job.state
        const run = state === 'PENDING' ? undefined : runs.at(-1)
        const began = run !== undefined && (state === 'RUNNING' || run.end === end) ? run : undefined
        return [
          id,
          state,
          submit,
          eligible === Infinity ? 'N/A' : eligible,
          // Slurm 22.05 gives the present time as the start of a requeued job that is completing.
          state === 'COMPLETING' ? this.now : (began?.start ?? (state === 'PENDING' ? this.now + 50 : 'N/A')),
          state === 'RUNNING' ? this.now + 100 : state === 'PENDING' ? 'N/A' : end,
          '1:00',
          began?.nodes.length ?? size + 1,
          began === undefined ? '' : this.#names(began.nodes),
          'ann',
          '(null)',
          'all',
          Math.max(0, runs.length - 1),
          `cpu=4,node=${began?.nodes.length ?? size},billing=4`,
          4294901759,
          'normal',
          '(null)',
          '',
        ].join('|')
      })
      .map((line) => `${line}\n`)
      .join('')
  }

  sinfo(): string {
    const all = Array.from({ length: this.#topology.nodes }, (_, node) => node)
    const of = (isDown: boolean): string => this.#names(all.filter((node) => this.down.has(node) === isDown))
    return `${this.down.size === 0 ? '' : `drained*|${of(true)}\n`}mixed|${of(false)}\nidle|login\n`
  }

  /** Returns the rows of the accounting: a row for each run, and for each job that waits or was cancelled unstarted. */
  sacct(): ReadonlyArray<AccountingRow> {
    const lines = this.jobs.flatMap(({ id, submit, eligible, size, state, end, runs }) => {
      const common = [id, submit, eligible === Infinity ? 'Unknown' : eligible]
      const rows = runs.map((run) =>
        [
          ...common,
          run.start,
          run.end === Infinity ? 'Unknown' : run.end,
          run.nodes.length,
          run.state,
          this.#names(run.nodes),
        ].join('|'),
      )
      const last = runs.at(-1)
      if (state === 'RUNNING' || (last !== undefined && last.end === end && state !== 'PENDING')) return rows
      return [...rows, [...common, 'Unknown', state === 'PENDING' ? 'Unknown' : end, size, state, ''].join('|')]
    })
    const rows: Array<AccountingRow> = []
    const text = ['JobID|Submit|Eligible|Start|End|NNodes|State|NodeList', ...lines, ''].join('\n')
    readSacct(new TextEncoder().encode(text), { file: 'sacct' }, (row) => rows.push(row))
    return rows
  }
}
