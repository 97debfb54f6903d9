import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasPlugin, isInstalled, programPath as path } from './installed.ts'

const packages = 'apt-get install --no-install-recommends slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge'

/** Returns the programs that Slurm's accounting lacks, with a command to install them; undefined if it lacks none. */
export function whatAccountingLacks(): string | undefined {
  const missing = ['slurmdbd', 'sacct', 'sacctmgr', 'mariadbd', 'mariadb-install-db', 'mariadb-admin'].filter(
    (program) => !isInstalled(program),
  )
  return missing.length === 0
    ? undefined
    : `${missing.join(', ')} not installed: apt-get install --no-install-recommends slurmdbd mariadb-server`
}

/** Returns a message with the command to install Slurm's REST API and tokens; undefined if both are installed. */
export function whatRestLacks(): string | undefined {
  return isInstalled('slurmrestd') && hasPlugin('auth_jwt') && hasPlugin('openapi_v0_0_38')
    ? undefined
    : 'slurmrestd 22.05 or its tokens not installed: apt-get install --no-install-recommends slurmrestd slurm-wlm-jwt-plugin'
}

/** Returns the reason why `SlurmCluster` cannot start, with a command to install lacking programs; else undefined. */
export function whatIsMissing(): string | undefined {
  const missing = ['slurmctld', 'slurmd', 'sbatch', 'salloc', 'scontrol', 'munged', 'setpriv'].filter(
    (program) => !isInstalled(program),
  )
  if (missing.length > 0) return `${missing.join(', ')} not installed: ${packages}`
  return process.getuid?.() === 0 ? undefined : 'only root can start the daemons of Slurm'
}

const hostMark = hostname().split('.')[0]

interface MoreConfiguration {
  readonly lines?: ReadonlyArray<string>
  readonly files?: Readonly<Record<string, string>>
  /** Features by node; a node without an entry has none. Features set by scontrol are lost when slurmctld restarts. */
  readonly features?: ReadonlyArray<string>
  /** True to start slurmdbd with a private database. */
  readonly hasAccounting?: boolean
  /** True to set up keys for the tokens of the REST API. */
  readonly hasTokens?: boolean
}

/** Private Slurm cluster on loopback: the controller and a daemon for each node, with private keys, ports and files. */
export class SlurmCluster {
  readonly #folder = mkdtempSync(join(tmpdir(), 'cloister-slurm-'))
  /** Environment variables with which the commands of Slurm find this cluster. */
  readonly environment: NodeJS.ProcessEnv = {
    PATH: path,
    HOME: this.#folder,
    SLURM_CONF: join(this.#folder, 'slurm.conf'),
  }
  readonly #daemons: Array<ChildProcess> = []
  #nodes = 0
  #restPort = 0
  #controller: ChildProcess | undefined
  /** Process of slurmdbd; undefined without accounting. */
  accounting: ChildProcess | undefined
  readonly #nodeDaemons: Array<ChildProcess> = []

  /**
   * Starts a cluster, and waits until all nodes are idle.
   *
   * @param topologyConf text of topology.conf; the nodes must be `node0`, `node1`, …
   * @param more further lines of slurm.conf, and further files of the cluster's folder by name
   */
  static async boot(nodes: number, topologyConf: string, more: MoreConfiguration = {}): Promise<SlurmCluster> {
    const cluster = new SlurmCluster()
    try {
      await cluster.#boot(nodes, topologyConf, more)
      return cluster
    } catch (error) {
      const log = cluster.#readLog()
      await cluster.stop()
      throw new Error(`Slurm did not start: ${(error as Error).message}\n${log}`, { cause: error })
    }
  }

  async #boot(
    nodes: number,
    topologyConf: string,
    { lines = [], files = {}, features = [], hasAccounting = false, hasTokens = false }: MoreConfiguration,
  ): Promise<void> {
    this.#nodes = nodes
    const at = (name: string): string => join(this.#folder, name)
    chmodSync(this.#folder, 0o755)
    for (const name of ['state', 'spool', 'munge']) mkdirSync(at(name))
    writeFileSync(at('munge/key'), 'k'.repeat(1024), { mode: 0o400 })
    writeFileSync(at('topology.conf'), topologyConf)
    for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text)
    const [dbdPort, databasePort, restPort, ...ports] = await freePorts(nodes + 4)
    this.#restPort = restPort
    const conf = slurmConf(this.#folder, ports, features)
    const accounting = hasAccounting
      ? `AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=127.0.0.1\nAccountingStoragePort=${dbdPort}\nAccountingStoragePass=${at('munge/socket')}\n`
      : ''
    if (hasTokens) writeFileSync(at('jwt.key'), 'j'.repeat(32), { mode: 0o600 })
    const tokens = hasTokens ? `AuthAltTypes=auth/jwt\nAuthAltParameters=jwt_key=${at('jwt.key')}\n` : ''
    writeFileSync(at('slurm.conf'), `${conf}${accounting}${tokens}${lines.map((line) => `${line}\n`).join('')}`)
    this.#start('munged', [
      '-F',
      '-f',
      `--socket=${at('munge/socket')}`,
      `--key-file=${at('munge/key')}`,
      `--pid-file=${at('munge/pid')}`,
      `--log-file=${at('munge/log')}`,
      `--seed-file=${at('munge/seed')}`,
    ])
    await until('munged listens', () => this.#succeeds('munge', ['-n', '-S', at('munge/socket')]))
    if (hasAccounting) await this.#startAccounting(dbdPort, databasePort)
    this.startController()
    for (let node = 0; node < nodes; node++) this.startNode(node)
    await until(`${nodes} nodes are idle`, () => this.#idleNodes() === nodes)
  }

  async #startAccounting(port: number, databasePort: number): Promise<void> {
    const at = (name: string): string => join(this.#folder, name)
    // A starting MariaDB removes temporary tables of other servers from a shared folder.
    const temporary = { TMPDIR: at('tables') }
    mkdirSync(at('tables'))
    execFileSync(
      'mariadb-install-db',
      ['--no-defaults', `--datadir=${at('database')}`, '--skip-test-db', '--user=root'],
      { env: { ...this.environment, ...temporary }, stdio: 'ignore' },
    )
    this.#start(
      'mariadbd',
      [
        '--no-defaults',
        `--datadir=${at('database')}`,
        `--socket=${at('database/socket')}`,
        `--port=${databasePort}`,
        '--bind-address=127.0.0.1',
        '--skip-grant-tables',
        '--user=root',
      ],
      temporary,
    )
    await until('the database answers', () =>
      this.#succeeds('mariadb-admin', ['--no-defaults', `--socket=${at('database/socket')}`, 'ping']),
    )
    writeFileSync(at('slurmdbd.conf'), slurmdbdConf(this.#folder, port, databasePort), { mode: 0o600 })
    this.startAccounting()
    await until('slurmdbd answers', () => this.#succeeds('sacctmgr', ['-i', 'add', 'cluster', 'cloister']))
  }

  startAccounting(): void {
    this.accounting = this.#start('slurmdbd', ['-D'])
  }

  /** Starts slurmctld. @param more further options, such as `-c` to start without the saved state */
  startController(...more: ReadonlyArray<string>): void {
    this.#controller = this.#start('slurmctld', ['-D', '-f', join(this.#folder, 'slurm.conf'), ...more])
  }

  startNode(node: number): void {
    const options = ['-D', '-N', `node${node}`, '-f', join(this.#folder, 'slurm.conf')]
    this.#nodeDaemons[node] = this.#start('slurmd', options)
  }

  /** Kills the slurmd of a node by SIGKILL. The processes of jobs on the node go on. */
  killNode(node: number): Promise<void> {
    return killed(this.#nodeDaemons[node])
  }

  /** Starts slurmrestd twice: on a Unix socket for this user, and on a port for requests with a token. */
  async startRest(): Promise<{ readonly socket: string; readonly address: string; readonly token: string }> {
    const socket = join(this.#folder, 'restd')
    // slurmrestd expects a separate user; this environment variable turns the check of the user off.
    const more = { SLURMRESTD_SECURITY: 'disable_user_check' }
    const byToken = { ...more, SLURM_JWT: 'daemon' }
    // With the plugins for the accounting (openapi/dbv0.0.*) slurmrestd would need slurmdbd.
    const versions = ['-s', 'openapi/v0.0.37,openapi/v0.0.38']
    this.#start('slurmrestd', [...versions, '-a', 'rest_auth/local', `unix:${socket}`], more)
    this.#start(
      'slurmrestd',
      [...versions, '-u', 'nobody', '-a', 'rest_auth/jwt', `127.0.0.1:${this.#restPort}`],
      byToken,
    )
    await until('slurmrestd listens on its socket', () => existsSync(socket))
    await untilListening(this.#restPort)
    const token = this.run('scontrol', ['token', 'lifespan=3600'])
    return { socket: `unix:${socket}`, address: `http://127.0.0.1:${this.#restPort}`, token }
  }

  /**
   * Waits until slurmctld has saved all jobs. A killed slurmctld forgets the changes after its last save.
   *
   * @param change changes or submits a job, because slurmctld saves jobs only after a change
   */
  async saved(change: () => unknown): Promise<void> {
    // At the call slurmctld may be writing an older state, so the first new file may lack the last changes.
    for (let save = 0; save < 2; save++) {
      const before = this.#savedAt
      change()
      await until('slurmctld saves its jobs', () => this.#savedAt > before)
    }
  }

  /** Time in ms at which slurmctld last saved its jobs; 0 before the first time. */
  get #savedAt(): number {
    return statSync(join(this.#folder, 'state/job_state'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  }

  /** Kills slurmctld by SIGKILL, so that slurmctld cannot save its state, as in a crash of the host. */
  killController(): Promise<void> {
    return killed(this.#controller!)
  }

  /** The Linux kernel ends the daemon if this process ends without a call of `stop`. */
  #start(program: string, options: ReadonlyArray<string>, more: NodeJS.ProcessEnv = {}): ChildProcess {
    const daemon = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...options], {
      env: { ...this.environment, ...more },
      stdio: 'ignore',
    })
    this.#daemons.push(daemon)
    return daemon
  }

  #succeeds(program: string, options: ReadonlyArray<string>): boolean {
    return spawnSync(program, options, { env: this.environment, stdio: 'ignore' }).status === 0
  }

  answers(): boolean {
    return this.#succeeds('scontrol', ['ping']) && this.#succeeds('squeue', ['-h'])
  }

  /** Runs a command of Slurm on this cluster, and returns the output. @throws Error if the command fails */
  run(program: string, options: ReadonlyArray<string>): string {
    return execFileSync(program, options, {
      env: this.environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  #idleNodes(): number {
    const { status, stdout } = spawnSync('sinfo', ['-h', '-o', '%D', '-t', 'idle'], {
      env: this.environment,
      encoding: 'utf8',
    })
    return status === 0 ? stdout.split('\n').reduce((sum, line) => sum + Number(line), 0) : 0
  }

  #readLog(): string {
    try {
      return readFileSync(join(this.#folder, 'slurmctld.log'), 'utf8').split('\n').slice(-15).join('\n')
    } catch {
      return 'slurmctld wrote no log'
    }
  }

  /** Starts a job without processes on exactly the given nodes. */
  occupy(nodes: ReadonlyArray<number>): void {
    this.run('salloc', ['--no-shell', '--immediate=10', '-N', String(nodes.length), '-w', names(nodes), '-t', '30'])
  }

  async cancelAll(): Promise<void> {
    this.run('scancel', ['-u', 'root'])
    await until('all nodes are idle again', () => this.#idleNodes() === this.#nodes)
  }

  /** Returns the nodes on which Slurm would start a job of `nodes` nodes now; undefined if it could not start now. */
  wouldPlace(nodes: number): ReadonlyArray<number> | undefined {
    const { stderr } = spawnSync('sbatch', ['--test-only', '-N', String(nodes), '-t', '5', '--wrap', 'true'], {
      env: { ...this.environment, TZ: 'UTC' },
      encoding: 'utf8',
    })
    const answer = /to start at (\S+) .* on nodes (\S+) in partition/.exec(stderr)
    if (answer === null) {
      if (/not available|allocation failure/i.test(stderr)) return undefined
      throw new Error(`sbatch --test-only answered: ${stderr}`)
    }
    const [, start, list] = answer
    if (Date.parse(`${start}Z`) > Date.now() + 30_000) return undefined
    return this.nodesIn(list)
  }

  /** Returns the node numbers in a hostlist of Slurm, ascending. */
  nodesIn(list: string): ReadonlyArray<number> {
    return this.run('scontrol', ['show', 'hostnames', list])
      .trim()
      .split('\n')
      .map((name) => Number(name.slice('node'.length)))
      .sort((a, b) => a - b)
  }

  /** Ends all jobs, because their processes would outlive the daemons; does nothing if slurmctld has ended. */
  async #endJobs(): Promise<void> {
    const ask = (program: string, options: ReadonlyArray<string>): string =>
      spawnSync(program, options, { env: this.environment, encoding: 'utf8', timeout: 2000 }).stdout ?? ''
    const { exitCode, signalCode } = this.#controller ?? { exitCode: 0, signalCode: null }
    if (exitCode !== null || signalCode !== null) return
    ask('scancel', ['--full', '--signal=KILL', '-u', 'root'])
    ask('scancel', ['-u', 'root'])
    for (let tries = 0; tries < 20 && ask('squeue', ['-h']) !== ''; tries++) await sleep(100)
  }

  /** Ends all processes of the cluster, and removes its folder. */
  async stop(): Promise<void> {
    await this.#endJobs()
    await Promise.all(this.#daemons.toReversed().map((daemon) => killed(daemon)))
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Kills a process by SIGKILL, and waits for the end: a running process could still write files. */
export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}

function names(nodes: ReadonlyArray<number>): string {
  return nodes.map((node) => `node${node}`).join()
}

function slurmConf(
  folder: string,
  [controllerPort, ...ports]: ReadonlyArray<number>,
  features: ReadonlyArray<string>,
): string {
  return `ClusterName=cloister
SlurmctldHost=${hostMark}(127.0.0.1)
SlurmctldPort=${controllerPort}
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=${folder}/munge/socket
StateSaveLocation=${folder}/state
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmctldLogFile=${folder}/slurmctld.log
SlurmdSpoolDir=${folder}/spool/%n
SlurmdPidFile=${folder}/slurmd-%n.pid
SlurmdLogFile=${folder}/slurmd-%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SelectType=select/linear
TopologyPlugin=topology/tree
${ports.map((port, node) => `NodeName=node${node} NodeHostname=${hostMark} NodeAddr=127.0.0.1 Port=${port} CPUs=1 RealMemory=100 State=UNKNOWN${features[node] === undefined ? '' : ` Feature=${features[node]}`}`).join('\n')}
PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP
`
}

function slurmdbdConf(folder: string, port: number, databasePort: number): string {
  return `AuthType=auth/munge
AuthInfo=socket=${folder}/munge/socket
DbdHost=${hostMark}
DbdAddr=127.0.0.1
DbdPort=${port}
SlurmUser=root
PidFile=${folder}/slurmdbd.pid
LogFile=${folder}/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=${databasePort}
StorageUser=root
StorageLoc=slurm
`
}

/** Returns consecutive free ports below 32,000: the system gives higher ports to outgoing connections. */
async function freePorts(count: number): Promise<Array<number>> {
  for (let first = 10_000 + ((process.pid * 64) % 16_000); first + count < 32_000; first += count) {
    const ports = Array.from({ length: count }, (_, at) => first + at)
    const free = await Promise.all(ports.map((port) => isFree(port)))
    if (free.every(Boolean)) return ports
  }
  throw new Error(`no ${count} consecutive ports are free`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => {
      resolve(false)
    })
    server.listen(port, () => {
      server.close(() => {
        resolve(true)
      })
    })
  })
}

async function untilListening(port: number): Promise<void> {
  while (
    !(await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true))
      socket.once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    }))
  )
    await sleep(50)
}

export async function until(what: string, holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 400_000; !holds();) {
    if (Date.now() > end) throw new Error(`waited 400 s in vain for this: ${what}`)
    await sleep(50)
  }
}
