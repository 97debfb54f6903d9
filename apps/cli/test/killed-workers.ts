import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, cpSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { bundle, type Folder } from './cloister.ts'

/** Settings of a sweep whose workers are killed. */
export interface Killing {
  readonly cells: number
  readonly workers: number
  readonly kills: number
  /** Returns the options of `cloister sweep` for a worker, by the number of the worker from 1. */
  readonly options: (worker: number) => ReadonlyArray<string>
  readonly env?: Record<string, string>
  /** Number, from 1, of the kill that hits all workers at once, as if the host went down, or undefined for none. */
  readonly ofAll?: number
}

/** Writes the experiment file `e.json` with an even number of small cells. */
export function writeCells(folder: Folder, cells: number): void {
  const seed = Array.from({ length: cells / 2 }, (_, at) => at + 1)
  const cell = { trace: 'synth:4:30', topology: 'radix:6', policy: ['jigsaw', 'baseline'], bandwidth: 'classes', seed }
  folder.write('e.json', JSON.stringify({ cells: [{ ...cell, scenario: 'random' }] }))
}

/** Runs `e.json` with workers that are killed at any moment and started again. Returns the number of processes. */
export async function sweepUnderKills(
  folder: Folder,
  { cells, workers, kills, options, env = {}, ofAll }: Killing,
): Promise<number> {
  const draw = drawing(7)
  const started: Array<ChildProcess> = []
  const program = copiedProgram(folder)
  const said = openSync(join(folder.path, SAID), 'a')
  onTestFinished(() => {
    started.forEach((each) => each.kill('SIGKILL'))
    closeSync(said)
  })
  const start = (worker: number): ChildProcess => {
    const args = ['sweep', 'e.json', ...options(worker + 1), '--lease', '2', '--workers', '1']
    const made = spawn(process.execPath, [program, ...args], {
      cwd: folder.path,
      stdio: ['ignore', said, said],
      env: { ...process.env, ...env },
    })
    started.push(made)
    return made
  }
  const running = Array.from({ length: workers }, (_, worker) => start(worker))
  for (let kill = 1; kill <= kills; kill++) {
    // Makes all kills before 80 % of the cells are done, so that cells remain for the workers that take over.
    const enough = Math.floor((cells * 0.8 * kill) / kills - draw(cells / kills / 2))
    while (resultsIn(folder) < enough && running.some((each) => each.exitCode === null)) await sleep(20)
    const hit = kill === ofAll ? running.map((_, worker) => worker) : [draw(workers)]
    for (const worker of hit) running[worker].kill('SIGKILL')
    await Promise.all(hit.map((worker) => ended(running[worker])))
    for (const worker of hit) running[worker] = start(worker)
  }
  await Promise.all(running.map(ended))
  return started.length
}

/** Copies the program. A build during the sweep would remove parts of the program that workers load later. */
function copiedProgram(folder: Folder): string {
  const copy = join(folder.path, 'program')
  cpSync(dirname(bundle), copy, { recursive: true })
  writeFileSync(join(copy, 'package.json'), '{"type":"module"}')
  return join(copy, 'cloister.js')
}

/** File with the output of all workers. */
const SAID = 'workers.txt'

/** Returns the output of all workers, for the message of a failed test. */
export function saidByWorkers(folder: Folder): string {
  return readFileSync(join(folder.path, SAID), 'utf8')
}

/** Returns the number of the latest attempt at each claimed cell. */
export function attemptsIn(folder: Folder): ReadonlyArray<number> {
  const claims = join(folder.path, 'e.sweep/claims')
  return readdirSync(claims).map((cell) => {
    const newest = Math.max(...readdirSync(join(claims, cell)).map((name) => Number(name) || 0))
    return JSON.parse(readFileSync(join(claims, cell, String(newest)), 'utf8')).attempt
  })
}

/** Returns the number of whole lines in the results of all workers. */
export function resultsIn(folder: Folder): number {
  const path = join(folder.path, 'e.sweep/results')
  try {
    return readdirSync(path).reduce(
      (sum, name) => sum + readFileSync(join(path, name), 'utf8').split('\n').length - 1,
      0,
    )
  } catch {
    return 0
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

/** Returns a function that draws whole numbers from 0 to below a bound, the same numbers in every run of the tests. */
function drawing(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
