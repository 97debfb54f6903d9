import { setTimeout as sleep } from 'node:timers/promises'
import type { SlurmCluster } from '@cloister/slurm-cluster'
import { ask, count } from './commands.ts'
import { controllerArguments, SECONDS, Service } from './services.ts'

type Draw = (below: number) => number

/** Part of a soak that the disturbances act on. */
interface Disturbed {
  readonly slurm: SlurmCluster
  readonly nodes: number
  readonly folder: string
  readonly controllers: ReadonlyArray<Service>
}

/** Disturbances of controllers, of Slurm's daemons, of nodes and of clocks, in an order drawn at random. */
export class Faults {
  /** Number of disturbances by kind. */
  readonly counts: Map<string, number> = new Map()
  /** True while a disturbance lasts that may keep controllers or Slurm from working. */
  isOn = false
  /** Times of the kills of slurmctld, in Unix ms. */
  readonly killsOfSlurm: Array<number> = []
  readonly surprises: Array<string> = []
  readonly #parts: Disturbed
  readonly #draw: Draw
  #bag: Array<string> = []

  constructor(parts: Disturbed, draw: Draw) {
    this.#parts = parts
    this.#draw = draw
  }

  /** Carries out the next disturbance, and mends it. Each kind comes once before a kind comes again. */
  async next(active: Service): Promise<void> {
    if (this.#bag.length === 0) this.#bag = Object.keys(this.#kinds)
    const [kind] = this.#bag.splice(this.#draw(this.#bag.length), 1)
    count(this.counts, kind)
    this.isOn = !kind.startsWith('harmless')
    await this.#kinds[kind](active)
    this.isOn = false
  }

  readonly #kinds: Readonly<Record<string, (active: Service) => Promise<void>>> = {
    'kill -9 of the active controller': async (active) => active.signal('SIGKILL'),
    'kill -9 of all controllers': async () => {
      for (const each of this.#parts.controllers) each.signal('SIGKILL')
    },
    'SIGTERM to the active controller': async (active) => active.signal('SIGTERM'),
    'active controller stopped (SIGSTOP)': async (active) => {
      const { process } = active
      process?.kill('SIGSTOP')
      await this.#wait(1.5 * SECONDS.lease)
      process?.kill('SIGCONT')
    },
    'kill -9 of slurmctld': async () => {
      this.killsOfSlurm.push(Date.now())
      await this.#parts.slurm.killController()
      await this.#wait(10)
      this.#parts.slurm.startController()
    },
    'kill -9 of slurmctld and the active controller': async (active) => {
      active.signal('SIGKILL')
      await this.#kinds['kill -9 of slurmctld'](active)
    },
    'kill -9 of slurmd': async () => {
      const nodes = this.#someNodes()
      for (const node of nodes) await this.#parts.slurm.killNode(node)
      await this.#wait(25)
      for (const node of nodes) this.#parts.slurm.startNode(node)
    },
    'all controllers away until the watchdog acts': async () => {
      const { controllers } = this.#parts
      await Promise.all(controllers.map((each) => each.stop('SIGKILL')))
      await sleep((1.25 * SECONDS.watchdog + 5) * 1000)
      for (const each of controllers) each.start()
    },
    'drained nodes': () => this.#setNodes('DRAIN'),
    'failed nodes': () => this.#setNodes('DOWN'),
    'harmless: clock of the active controller set back': (active) => this.#setClock(active, -this.#draw(7_200_000)),
    'harmless: clock of the active controller set forward': (active) => this.#setClock(active, this.#draw(600_000)),
    'harmless: controller beside the others with another log': async () => {
      const { folder, slurm } = this.#parts
      const name = `intruder-${this.counts.size}-${this.#draw(1e9)}`
      const intruder = new Service(name, folder, slurm, controllerArguments(`${name}.ndjson`))
      await this.#wait(10)
      await intruder.stop()
      this.surprises.push(...intruder.surprises)
    },
  }

  async #setNodes(state: string): Promise<void> {
    const name = `NodeName=node[${this.#someNodes().join()}]`
    await ask(this.#parts.slurm, 'scontrol', 'update', name, `State=${state}`, 'Reason=soak')
    await this.#wait(25)
    await this.resume(name)
  }

  /** Puts nodes into service again, and tries for five minutes until Slurm answers. */
  async resume(name = `NodeName=node[0-${this.#parts.nodes - 1}]`): Promise<void> {
    const end = Date.now() + 300_000
    while (Date.now() < end && (await ask(this.#parts.slurm, 'sinfo', '-h')) === undefined) await sleep(500)
    await ask(this.#parts.slurm, 'scontrol', 'update', name, 'State=RESUME')
  }

  /** Sets the clock until the clock of the controller is set again. */
  async #setClock(active: Service, ms: number): Promise<void> {
    active.setClock(ms)
    await this.#wait(25)
    if (this.#draw(2) === 0) active.signal('SIGKILL')
  }

  #someNodes(): ReadonlyArray<number> {
    const first = this.#draw(this.#parts.nodes)
    const last = Math.min(this.#parts.nodes - 1, first + this.#draw(4))
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  }

  /** Waits for a time drawn at random. @param most longest time in seconds */
  #wait(most: number): Promise<void> {
    return sleep(1000 * (1 + this.#draw(most)))
  }
}
