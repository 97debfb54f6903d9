import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Folder with the programs of the last version of Postgres. Debian's folders for versions are not on users' PATH. */
const programs = globSync('/usr/lib/postgresql/*/bin/initdb')
  .map((path) => dirname(path))
  .sort()
  .at(-1)

/** Returns the programs that `PostgresServer` lacks, with a command to install them; undefined if it lacks none. */
export function whatPostgresLacks(): string | undefined {
  return programs === undefined
    ? 'initdb and postgres not installed: apt-get install --no-install-recommends postgresql'
    : undefined
}

/** Id of the user nobody, who runs the server if this process runs as root: Postgres refuses to run as root. */
const nobody = 65_534
const owner = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

const password = 'a password'

/** Private Postgres server on loopback, with its data in a temporary folder that `stop` removes. */
export class PostgresServer {
  readonly #folder: string
  readonly #port: number
  #process: ChildProcess | undefined

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.#port = port
  }

  /** Creates a data folder, starts the server, and waits until the server accepts connections. */
  static async start(): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'cloister-postgres-'))
    const server = new PostgresServer(folder, await freePort())
    try {
      if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid)
      writeFileSync(join(folder, 'password'), password)
      const options = ['--username=cloister', '--auth=scram-sha-256', `--pwfile=${join(folder, 'password')}`]
      execFileSync(join(programs!, 'initdb'), ['-D', join(folder, 'data'), '--no-sync', '--locale=C', ...options], {
        ...owner,
        cwd: folder,
        stdio: 'pipe',
      })
      await server.resume()
      return server
    } catch (error) {
      await server.stop()
      throw error
    }
  }

  /** Connection URL with the password. */
  get url(): string {
    return `postgres://cloister:${encodeURIComponent(password)}@127.0.0.1:${this.#port}/postgres?sslmode=disable`
  }

  /** Connection URL without the password, and the password as the environment variable `PGPASSWORD`. */
  get withoutPassword(): { readonly url: string; readonly env: Record<string, string> } {
    return { url: this.url.replace(/:[^:@/]+@/, '@'), env: { PGPASSWORD: password } }
  }

  /** Runs an SQL statement by `psql`, and returns its output: a line for each row, with `|` between fields. */
  execute(statement: string): string {
    const { url, env } = this.withoutPassword
    return execFileSync(join(programs!, 'psql'), ['--no-psqlrc', '-qAt', '-c', statement, url], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    })
  }

  /** Starts the server on the existing data, and waits until the server accepts connections. */
  async resume(): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'max_connections=200']
    const args = [
      '-D',
      join(this.#folder, 'data'),
      '-p',
      String(this.#port),
      ...settings.flatMap((each) => ['-c', each]),
    ]
    this.#process = spawn(join(programs!, 'postgres'), args, { ...owner, cwd: this.#folder, stdio: 'ignore' })
    const until = Date.now() + 60_000
    while (!accepts(this.#port)) {
      if (this.#process.exitCode !== null || Date.now() > until)
        throw new Error(`Postgres does not answer on port ${this.#port}`)
      await sleep(50)
    }
  }

  /** Ends the server and all connections to it. The data stay for `resume`. */
  async pause(): Promise<void> {
    const running = this.#process
    this.#process = undefined
    if (running === undefined || running.exitCode !== null) return
    running.kill('SIGINT')
    await once(running, 'exit')
  }

  async stop(): Promise<void> {
    await this.pause()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Asks pg_isready, because a server that is starting up already listens on its port but refuses every connection. */
function accepts(port: number): boolean {
  return spawnSync(join(programs!, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)]).status === 0
}
