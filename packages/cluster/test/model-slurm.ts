import { NodeIds, parseDrivenJobs, type SlurmJob } from '@cloister/slurm'
import { nodeName, type Topology } from '@cloister/topology'
import type { JobChange } from '../src/index.ts'

/** Run of a job on nodes. Times are Unix seconds. */
interface ModelRun {
  readonly start: number
  end: number
  readonly nodes: ReadonlyArray<number>
  /** Number of restarts of the job before this run. */
  readonly restarts: number
}

/** Job in the model of Slurm. */
export interface ModelJob {
  readonly id: string
  readonly partition: string
  readonly size: number
  /** Run time of the job in seconds, if the walltime is not shorter. */
  readonly length: number
  /** Requested walltime, in seconds. */
  readonly limit: number
  submit: number
  eligible: number
  state: string
  reason: string
  isHeld: boolean
  mark: string
  features: string
  required: ReadonlyArray<number> | undefined
  restarts: number
  end: number
  /** End of the clean-up after the last run, in Unix seconds. The nodes become free one after the other. */
  cleanUntil: number
  readonly runs: Array<ModelRun>
}

/**
 * Model of Slurm with held jobs, required nodes and releases. The model advances second by second, without random
 * draws.
 */
export class ModelSlurm {
  now: number
  readonly jobs: Array<ModelJob> = []
  readonly useless: Set<number> = new Set()
  /** Called at each start of a job in the model. */
  onStart: (job: ModelJob, nodes: ReadonlyArray<number>) => void = () => {}
  readonly #topology: Topology
  readonly #nodeIds: NodeIds
  readonly #parsed = new Map<string, SlurmJob>()

  constructor(topology: Topology, now: number) {
    this.#topology = topology
    this.#nodeIds = new NodeIds(topology)
    this.now = now
  }

  submit(job: Pick<ModelJob, 'size' | 'length' | 'limit' | 'mark' | 'features' | 'partition'>, isHeld: boolean): void {
    this.jobs.push({
      ...job,
      id: String(this.jobs.length + 1),
      submit: this.now,
      eligible: isHeld ? -1 : this.now,
      state: 'PENDING',
      reason: isHeld ? 'JobHeldUser' : 'Priority',
      isHeld,
      required: undefined,
      restarts: 0,
      end: -1,
      cleanUntil: 0,
      runs: [],
    })
  }

  /** Advances the model by a second. Released jobs start in submit order, if enough nodes are free. */
  tick(): void {
    this.now++
    for (const job of this.jobs) {
      const run = job.runs.at(-1)
      if (job.state === 'RUNNING' && run !== undefined && this.now >= run.start + Math.min(job.length, job.limit))
        this.end(job, job.length <= job.limit ? 'COMPLETED' : 'TIMEOUT')
    }
    this.schedule()
  }

  schedule(): void {
    for (const job of this.jobs)
      if (job.state === 'PENDING' && !job.isHeld && job.eligible <= this.now) this.#start(job)
  }

  end(job: ModelJob, state: string): void {
    if (job.state === 'RUNNING') {
      const run = job.runs.at(-1)!
      run.end = this.now
      // Every second job frees its nodes at once.
      if (Number(job.id) % 2 === 0) job.cleanUntil = this.now + run.nodes.length
    }
    job.state = state
    job.end = this.now
  }

  /** Requeues a running job. The job is not held, and may start 5 s later at the earliest. */
  requeue(job: ModelJob): void {
    job.runs.at(-1)!.end = this.now
    Object.assign(job, {
      state: 'PENDING',
      reason: 'BeginTime',
      isHeld: false,
      eligible: this.now + 5,
      restarts: job.restarts + 1,
    })
  }

  #start(job: ModelJob): void {
    const free = this.#free()
    const required = job.required ?? []
    if (!required.every((node) => free.has(node))) return
    const nodes = [...new Set([...required, ...free])].slice(0, job.size).sort((a, b) => a - b)
    if (nodes.length < job.size) return
    job.state = 'RUNNING'
    job.runs.push({ start: this.now, end: Infinity, nodes, restarts: job.restarts })
    this.onStart(job, nodes)
  }

  #free(): Set<number> {
    const free = new Set(Array.from({ length: this.#topology.nodes }, (_, node) => node))
    for (const node of this.useless) free.delete(node)
    for (const job of this.jobs) for (const node of this.#nodesOf(job)) free.delete(node)
    return free
  }

  /** Returns the nodes of a running job, or the nodes that Slurm still cleans up after the run. */
  #nodesOf({ state, runs, cleanUntil }: ModelJob): ReadonlyArray<number> {
    if (state === 'RUNNING') return runs.at(-1)!.nodes
    return this.now < cleanUntil ? runs.at(-1)!.nodes.slice(this.now - cleanUntil) : []
  }

  isOver(job: ModelJob): boolean {
    return job.state !== 'PENDING' && job.state !== 'RUNNING' && this.now >= job.cleanUntil
  }

  /** Changes a job as `scontrol` does; returns false if `scontrol` would refuse. */
  do(change: JobChange): boolean {
    const job = this.jobs.find(({ id }) => id === change.id)!
    if (job.state !== 'PENDING') return false
    switch (change.kind) {
      case 'hold':
        Object.assign(job, { isHeld: true, reason: 'JobHeldAdmin' })
        return true
      case 'release':
        if (job.isHeld)
          Object.assign(job, { isHeld: false, reason: 'Priority', eligible: Math.max(job.eligible, this.now) })
        return true
      case 'free':
        job.required = undefined
        return true
      case 'free-started':
        return false
      case 'require':
        job.required = [...change.nodes]
        return true
      case 'hand-back':
        Object.assign(job, { mark: 'cloister-handed-back', required: undefined, isHeld: false, eligible: this.now })
        return true
    }
  }

  /** Returns the jobs as `squeue` would show the jobs. Lines of jobs that have not changed are not parsed again. */
  see(minJobAge: number): ReadonlyArray<SlurmJob> {
    return this.#lines(minJobAge).map((line) => {
      const eligible = Number(line.split('|')[3])
      const key = `${eligible <= this.now} ${line}`
      const known = this.#parsed.get(key)
      if (known !== undefined) return known
      const [job] = parseDrivenJobs(line, '|', this.#nodeIds, this.now).jobs
      this.#parsed.set(key, job)
      return job
    })
  }

  #lines(minJobAge: number): ReadonlyArray<string> {
    return this.jobs
      .filter((job) => !this.isOver(job) || job.end + minJobAge > this.now)
      .map((job) => {
        const run = job.state === 'PENDING' ? undefined : job.runs.at(-1)
        const began = run !== undefined && (job.state === 'RUNNING' || run.end === job.end) ? run : undefined
        const time = (at: number | undefined): string => (at === undefined || at < 0 ? 'N/A' : String(at))
        const isCompleting = this.now < job.cleanUntil
        const state = isCompleting ? 'COMPLETING' : job.state
        return [
          job.id,
          state,
          job.submit,
          time(job.eligible),
          time(began?.start),
          this.isOver(job) ? job.end : 'N/A',
          `00:00:${String(job.limit).padStart(2, '0')}`,
          job.size,
          began === undefined ? '' : this.#names(isCompleting ? this.#nodesOf(job) : began.nodes),
          'ann',
          'physics',
          job.partition,
          job.restarts,
          `cpu=1,node=${job.size}`,
          job.isHeld ? 0 : 4294901759,
          'normal',
          '(null)',
          job.reason,
          '(null)',
          job.required === undefined ? '' : this.#names(job.required),
          job.features,
          '(null)',
          '',
          job.mark,
          '',
        ].join('|')
      })
  }

  #names(nodes: ReadonlyArray<number>): string {
    return nodes.map((node) => nodeName(this.#topology, node)).join()
  }
}
