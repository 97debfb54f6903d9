import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isInstalled, programPath as path } from './installed.ts'

const [simulatedUmad] = globSync('/usr/lib/*/umad2sim/libumad2sim.so')
const packages = 'apt-get install --no-install-recommends opensm ibsim-utils libumad2sim0 infiniband-diags'

/** Returns the programs that `SimulatedFabric` lacks, with a command to install them; undefined if it lacks none. */
export function whatFabricLacks(): string | undefined {
  const missing = ['opensm', 'ibsim', 'dump_fts', 'ibtracert', 'smpquery', 'ibnetdiscover'].filter(
    (program) => !isInstalled(program),
  )
  if (simulatedUmad === undefined) missing.push('libumad2sim.so')
  return missing.length === 0 ? undefined : `${missing.join(', ')} not installed: ${packages}`
}

/** Input file of ibsim or OpenSM: its name, and its text in pieces. */
interface FabricFile {
  readonly name: string
  readonly pieces: Iterable<string>
}

/** Hop of a path that ibtracert prints: ports of two linked devices, which have the GUIDs `from` and `to`. */
export interface TracedHop {
  readonly from: string
  readonly outPort: number
  readonly to: string
  readonly inPort: number
}

/** OpenSM on an InfiniBand fabric simulated by ibsim, with all files in a temporary folder. */
export class SimulatedFabric {
  readonly #folder: string
  readonly #environment: NodeJS.ProcessEnv
  readonly #processes: Array<ChildProcess> = []
  #subnetUps = 0

  private constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'cloister-opensm-'))
    this.#environment = {
      ...process.env,
      PATH: path,
      LD_PRELOAD: simulatedUmad,
      IBSIM_SOCKNAME: `cloister-${process.pid}-${this.#folder.slice(-6)}`,
      OSM_CACHE_DIR: `${this.#folder}/cache/`,
      OSM_TMP_DIR: `${this.#folder}/dump/`,
    }
  }

  /** Starts ibsim and OpenSM, and waits until the subnet is up. @param engine OpenSM's options for the routing */
  static async boot(files: ReadonlyArray<FabricFile>, engine: ReadonlyArray<string>): Promise<SimulatedFabric> {
    const fabric = new SimulatedFabric()
    try {
      await fabric.#boot(files, engine)
      return fabric
    } catch (error) {
      await fabric.stop()
      throw error
    }
  }

  /** Returns the output of `ibnetdiscover` without a subnet manager. @param netlist the fabric in ibsim's format */
  static async discover(netlist: string): Promise<string> {
    const fabric = new SimulatedFabric()
    try {
      await fabric.#simulate([{ name: 'ibsim.net', pieces: [netlist] }])
      return fabric.#run('ibnetdiscover', [])
    } finally {
      await fabric.stop()
    }
  }

  /** Options of OpenSM to route by the forwarding tables in the file `lfts`. */
  static readonly byFile: ReadonlyArray<string> = ['-R', 'file,no_fallback', '-U', 'lfts']

  async #simulate(files: ReadonlyArray<FabricFile>): Promise<void> {
    for (const folder of ['cache', 'dump']) mkdirSync(join(this.#folder, folder))
    for (const { name, pieces } of files)
      writeFileSync(join(this.#folder, name === 'guid2lid' ? 'cache/guid2lid' : name), [...pieces].join(''))
    const simulator = this.#start('ibsim', ['-s', '-n', '-N', '8192', '-S', '512', '-P', '40000', 'ibsim.net'], {
      LD_PRELOAD: '',
    })
    await this.#until('ibsim to start', () => simulator.output().includes('MaxMcastCap'))
  }

  async #boot(files: ReadonlyArray<FabricFile>, engine: ReadonlyArray<string>): Promise<void> {
    await this.#simulate(files)
    this.#start('opensm', [
      '--dump_files_dir',
      'dump',
      '-f',
      'osm.log',
      '-e',
      ...engine,
      '-P',
      'partitions.conf',
      '-s',
      '0',
      '-d',
      '2',
    ])
    await this.#subnetUp()
  }

  /** Replaces the files `lfts` and `partitions.conf` if given, each in one step, and waits for OpenSM to read them. */
  async install(files: ReadonlyArray<FabricFile>): Promise<void> {
    for (const { name, pieces } of files) {
      if (name !== 'lfts' && name !== 'partitions.conf') continue
      writeFileSync(join(this.#folder, `${name}.new`), [...pieces].join(''))
      renameSync(join(this.#folder, `${name}.new`), join(this.#folder, name))
    }
    this.manager.kill('SIGHUP')
    await this.#subnetUp()
  }

  /** Process of OpenSM. */
  get manager(): ChildProcess {
    return this.#processes.at(-1)!
  }

  /** Folder with the files of the fabric, under the names given to `boot`. */
  get folder(): string {
    return this.#folder
  }

  /** Environment variables with which the programs of infiniband-diags see the simulated fabric. */
  get environment(): NodeJS.ProcessEnv {
    return this.#environment
  }

  /** Returns the ports in the forwarding tables of all switches, by keys `GUID LID` (of switch and destination). */
  tables(): ReadonlyMap<string, number> {
    const tables = new Map<string, number>()
    let guid = ''
    for (const line of this.#run('dump_fts', []).split('\n')) {
      const [, header] = /^Unicast lids .* guid (0x[0-9a-f]{16})/.exec(line) ?? []
      if (header !== undefined) guid = header
      const [, lid, port] = /^(0x[0-9a-f]+) (\d+) : \(/.exec(line) ?? []
      if (lid !== undefined) tables.set(`${guid} ${Number(lid)}`, Number(port))
    }
    return tables
  }

  /** Traces the path between the LIDs of each pair, by ibtracert on a node that must reach each pair's first LID. */
  trace(onNode: string, pairs: ReadonlyArray<readonly [number, number]>): ReadonlyArray<ReadonlyArray<TracedHop>> {
    writeFileSync(join(this.#folder, 'pairs'), pairs.map(([from, to]) => `${from} ${to}\n`).join(''))
    const paths: Array<Array<TracedHop>> = []
    let at = ''
    for (const line of this.#run('ibtracert', ['-n', '--ports-file', 'pairs'], onNode).split('\n')) {
      const [, start] = /^From \{(0x[0-9a-f]{16})\}/.exec(line) ?? []
      if (start !== undefined) {
        paths.push([])
        at = start
      }
      const [, outPort, to, inPort] = /^\[(\d+)\] -> \{(0x[0-9a-f]{16})\}\[(\d+)\]/.exec(line) ?? []
      if (to === undefined) continue
      paths.at(-1)!.push({ from: at, outPort: Number(outPort), to, inPort: Number(inPort) })
      at = to
    }
    return paths
  }

  /** Returns the output of `ibnetdiscover` on this fabric. */
  discover(): string {
    return this.#run('ibnetdiscover', [])
  }

  /** Returns the partition keys of the port with a LID, as numbers that include the bit of full membership. */
  partitionKeys(onNode: string, lid: number): ReadonlyArray<number> {
    return [...this.#run('smpquery', ['pkeys', String(lid), '1'], onNode).matchAll(/0x([0-9a-f]{4})/g)]
      .map(([, key]) => Number.parseInt(key, 16))
      .filter((key) => key !== 0)
  }

  async stop(): Promise<void> {
    for (const child of this.#processes.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
    }
    rmSync(this.#folder, { recursive: true })
  }

  #start(
    program: string,
    options: ReadonlyArray<string>,
    environment: NodeJS.ProcessEnv = {},
  ): { readonly output: () => string } {
    const child = spawn(program, options, {
      cwd: this.#folder,
      env: { ...this.#environment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout.on('data', (text) => (output += String(text)))
    child.stderr.on('data', (text) => (output += String(text)))
    child.on('error', () => {})
    this.#processes.push(child)
    return { output: () => output }
  }

  #run(program: string, options: ReadonlyArray<string>, onNode?: string): string {
    const environment = onNode === undefined ? this.#environment : { ...this.#environment, SIM_HOST: onNode }
    return execFileSync(program, options, {
      cwd: this.#folder,
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 2 ** 28,
      timeout: 600_000,
    })
  }

  async #subnetUp(): Promise<void> {
    await this.#until('SUBNET UP', () => {
      const log = this.#log()
      if (log.includes('No routing engine able')) throw new Error(`OpenSM refused the tables:\n${log}`)
      return log.split('SUBNET UP').length - 1 > this.#subnetUps
    })
    this.#subnetUps = this.#log().split('SUBNET UP').length - 1
  }

  #log(): string {
    try {
      return readFileSync(join(this.#folder, 'osm.log'), 'utf8')
    } catch {
      return ''
    }
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    for (let waited = 0; !holds(); waited += 10) {
      if (waited > 300_000) throw new Error(`waited 5 minutes for ${what}:\n${this.#log()}`)
      await sleep(10)
    }
  }
}
