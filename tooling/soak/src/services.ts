import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SlurmCluster } from '@cloister/slurm-cluster'
import { count } from './commands.ts'

/** Path of the built cloister.js. */
export const bundle: string = join(import.meta.dirname, '../../../apps/cli/dist/cloister.js')
const setClock = join(import.meta.dirname, '../set-clock.mjs')

/** Options of the services and the watchdog, and the time until a service starts again, in seconds. */
export const SECONDS = { interval: 0.5, lease: 20, command: 3, startWithin: 20, restart: 1, watchdog: 40 } as const

const target = ['--partition', 'all', '--topology', 'slurm:topology.conf', '--lease', 'lease', '--json']

/** Returns the arguments of a controller. @param log name of the event log; all controllers share one lease */
export function controllerArguments(log: string): ReadonlyArray<string> {
  const times = {
    interval: SECONDS.interval,
    'lease-seconds': SECONDS.lease,
    'command-seconds': SECONDS.command,
    'start-within': SECONDS.startWithin,
    'metrics-port': 0,
  }
  const options = Object.entries(times).flatMap(([name, value]) => [`--${name}`, String(value)])
  return ['drive', 'slurm', ...target, '--policy', 'jigsaw', '--out', log, ...options]
}

/** Arguments of a watchdog. */
export const watchdogArguments: ReadonlyArray<string> = [
  'drive',
  'watchdog',
  ...target,
  '--after',
  String(SECONDS.watchdog),
]

/** Service of Cloister: its process starts again a second after each end. */
export class Service {
  readonly name: string
  /** Number of ends by reason, such as `SIGKILL`. */
  readonly ends: Map<string, number> = new Map()
  /** Output of ends that no disturbance explains. */
  readonly surprises: Array<string> = []
  /** Ids of the jobs whose changes Slurm refused, according to the output of the service. */
  readonly refused: Set<string> = new Set()
  process: ChildProcess | undefined
  readonly #folder: string
  readonly #slurm: SlurmCluster
  readonly #arguments: ReadonlyArray<string>
  #isStopped = false
  #address: string | undefined

  /** @param args arguments of Cloister */
  constructor(name: string, folder: string, slurm: SlurmCluster, args: ReadonlyArray<string>) {
    this.name = name
    this.#folder = folder
    this.#slurm = slurm
    this.#arguments = args
    this.setClock(0)
    this.start()
  }

  get #clock(): string {
    return join(this.#folder, `${this.name}.clock`)
  }

  /** Sets the wall clock of this service to the real time plus `ms`. */
  setClock(ms: number): void {
    writeFileSync(this.#clock, String(ms))
  }

  start(): void {
    this.#isStopped = false
    const command = [process.execPath, '--import', setClock, bundle, ...this.#arguments]
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], {
      cwd: this.#folder,
      env: { ...this.#slurm.environment, CLOISTER_SOAK_CLOCK: this.#clock },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.process = child
    let said = ''
    child.stderr.on('data', (text: Buffer) => {
      said = `${said}${String(text)}`.slice(-10_000)
      appendFileSync(join(this.#folder, `${this.name}.stderr`), text)
      for (const [, id] of said.matchAll(/^job (\S+) is held .*: Slurm refuses the changes of the job/gm))
        this.refused.add(id)
      this.#address ??= /^metrics: (\S+)\/metrics$/m.exec(said)?.[1]
    })
    child.once('close', (code, signal) => {
      this.#address = undefined
      this.#note(signal ?? `exit ${code}`, said)
      if (!this.#isStopped) setTimeout(() => this.#isStopped || this.start(), SECONDS.restart * 1000)
    })
  }

  #note(how: string, said: string): void {
    const last = said.trim().split('\n').at(-1) ?? ''
    const known = ['nothing is done without the lease', 'writes the file'].find((text) => said.includes(text))
    const isByFault = how === 'SIGKILL' || how === 'exit 143' || how === 'SIGTERM'
    count(this.ends, isByFault ? how : `${how}, ${known ?? last}`)
    if (!isByFault && known === undefined) this.surprises.push(`${this.name} ended by ${how}: ${said.slice(-600)}`)
  }

  /** Returns the answer of `/healthz`, such as `ok` or `standby`; undefined if the service does not answer. */
  async health(): Promise<string | undefined> {
    return (await this.#get('/healthz'))?.trim()
  }

  /** Returns the metrics of the service; undefined if the service does not answer. */
  metrics(): Promise<string | undefined> {
    return this.#get('/metrics')
  }

  async #get(path: string): Promise<string | undefined> {
    if (this.#address === undefined) return undefined
    try {
      const answer = await fetch(`${this.#address}${path}`, { signal: AbortSignal.timeout(5000) })
      return await answer.text()
    } catch {
      return undefined
    }
  }

  /** Sends a signal to the process, if the process runs. */
  signal(signal: NodeJS.Signals): void {
    this.process?.kill(signal)
  }

  /** Ends the process and does not start it again. @returns true if the process ended within 30 s after the signal */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<boolean> {
    this.#isStopped = true
    const child = this.process!
    if (child.exitCode !== null || child.signalCode !== null) return true
    const ended = new Promise<boolean>((resolve) => child.once('close', () => resolve(true)))
    child.kill('SIGCONT')
    child.kill(signal)
    const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 30_000).unref())
    const isInTime = await Promise.race([ended, late])
    if (!isInTime) child.kill('SIGKILL')
    await ended
    return isInTime
  }
}
