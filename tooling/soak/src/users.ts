import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SlurmCluster } from '@cloister/slurm-cluster'
import { ask, count } from './commands.ts'

type Draw = (below: number) => number

/** Text that Slurm takes in the fields of users. */
const HOSTILE = 'a|b"\'\n=é漢\u202e'
export const LICENSE = 'lé|"='

/** Users and operators of the cluster: they submit jobs and change jobs. */
export class Users {
  /** Number of submitted jobs by kind, and of changes by kind. */
  readonly counts: Map<string, number> = new Map()
  readonly submitted: Array<string> = []
  /** Jobs that somebody changed after their submission. */
  readonly touched: Set<string> = new Set()
  readonly #slurm: SlurmCluster
  readonly #folder: string
  readonly #draw: Draw
  readonly #largest: number
  #isRestarting = false

  /** @param largest nodes of the largest job */
  constructor(slurm: SlurmCluster, folder: string, draw: Draw, largest: number) {
    this.#slurm = slurm
    this.#folder = join(folder, HOSTILE)
    this.#draw = draw
    this.#largest = largest
    mkdirSync(this.#folder)
  }

  /** Submits a job, and sometimes changes an earlier job. */
  async act(): Promise<void> {
    const draw = this.#draw
    const nodes = 1 + draw(draw(10) === 0 ? this.#largest : 3)
    const seconds = draw(10) === 0 ? 10 + draw(20) : 1 + draw(6)
    const [kind, ...options] = this.#kind(draw(100))
    const asked = kind === 'too long' ? ['100', '1'] : [String(seconds), String(1 + draw(2))]
    const change = this.#change(draw(100))
    const shape = ['-N', String(nodes), '-t', asked[1], ...options]
    const script = kind === 'fails' ? 'exit 1' : `sleep ${asked[0]}`
    const id = await ask(this.#slurm, 'sbatch', '--parsable', '-o', '/dev/null', ...shape, '--wrap', script)
    count(this.counts, id === undefined ? 'not submitted' : kind)
    if (id !== undefined) this.submitted.push(id.trim())
    await change()
  }

  #kind(roll: number): readonly [string, ...ReadonlyArray<string>] {
    const last = this.submitted.at(-1)
    if (roll < 8)
      return [
        'hostile text',
        ...['account', 'comment', 'job-name', 'wckey', 'mail-user'].map((field) => `--${field}=${HOSTILE}`),
        `--chdir=${this.#folder}`,
      ]
    if (roll < 11) return ['features', '--constraint=a|b']
    if (roll < 13) return ['licenses', `--licenses=${LICENSE}:1`]
    if (roll < 17) return ['array', `--array=1-${2 + this.#draw(2)}`]
    if (roll < 22 && last !== undefined) return ['dependency', `--dependency=afterany:${last}`]
    if (roll < 26) return ['begin time', `--begin=now+${1 + this.#draw(20)}`]
    if (roll < 30) return ['priority', `--priority=${1 + this.#draw(1000)}`]
    if (roll < 33) return ['nice', `--nice=${this.#draw(1000)}`]
    if (roll < 34) return ['too long']
    if (roll < 37) return ['fails']
    return ['plain']
  }

  /** Draws a change of an earlier job, which may be over. */
  #change(roll: number): () => Promise<void> {
    const id = this.submitted.at(-1 - this.#draw(8))
    const update = (what: string) => ['scontrol', 'update', `JobId=${id}`, what]
    const changes: ReadonlyArray<readonly [number, string, ReadonlyArray<string>]> = [
      [10, 'cancel', ['scancel', String(id)]],
      [18, 'requeue', ['scontrol', 'requeue', String(id)]],
      [23, 'hold', ['scontrol', 'hold', String(id)]],
      [27, 'release', ['scontrol', 'release', String(id)]],
      [31, 'set priority', update('Priority=1000')],
      [35, 'resize', update(`NumNodes=${1 + this.#draw(4)}`)],
      [37, 'set comment', update('AdminComment=cloister|site')],
    ]
    const change = changes.find(([below]) => roll < below)
    const waits = this.#draw(2000)
    if (change === undefined || id === undefined) return () => Promise.resolve()
    const [, kind, [program, ...args]] = change
    return async () => {
      await sleep(waits)
      if ((await ask(this.#slurm, program, ...args)) === undefined) return
      count(this.counts, kind)
      this.touched.add(id)
      // Slurm delays the next run of a requeued job by two minutes.
      if (kind === 'requeue') await ask(this.#slurm, ...(update('StartTime=now+2') as [string, ...Array<string>]))
    }
  }

  /** Releases a job that Slurm has held after a failed launch, as an operator does. */
  async releaseAfterFailure(id: string): Promise<void> {
    count(this.counts, 'release after a failed launch')
    this.touched.add(id)
    await ask(this.#slurm, 'scontrol', 'release', id)
  }

  /** Cancels a job that was handed back, and for whose request Slurm finds no nodes, as a user does. */
  async cancelRefused(id: string): Promise<void> {
    count(this.counts, 'cancel of a refused job')
    await ask(this.#slurm, 'scancel', id)
  }

  /** Puts nodes into service that Slurm has drained itself, after a restart without its last seconds. */
  async resumeDuplicates(): Promise<void> {
    const drained = await ask(this.#slurm, 'sinfo', '-h', '-N', '-t', 'drain', '-o', '%N|%E')
    const nodes = (drained ?? '').split('\n').filter((line) => line.endsWith('|Duplicate jobid'))
    if (nodes.length === 0) return
    const names = nodes.map((line) => line.split('|')[0]).join()
    count(this.counts, 'resume after a duplicate job id')
    await ask(this.#slurm, 'scontrol', 'update', `NodeName=${names}`, 'State=RESUME')
  }

  /**
   * Restarts slurmdbd. A slurmctld that was killed while slurmdbd gave a job its index refuses each change of the job,
   * until slurmctld fails to send a new job to slurmdbd; then slurmctld asks for all missing indices again.
   */
  async restartAccounting(): Promise<void> {
    const { accounting } = this.#slurm
    if (accounting === undefined || this.#isRestarting) return
    this.#isRestarting = true
    count(this.counts, 'restart of slurmdbd')
    accounting.kill('SIGKILL')
    await this.act()
    await sleep(15_000)
    this.#slurm.startAccounting()
    await sleep(15_000)
    this.#isRestarting = false
  }
}
