import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { type LogRecord, readLog, resourcesOf } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { count } from './commands.ts'
import { bundle } from './services.ts'
import type { Users } from './users.ts'
import type { Watch, WatchedJob } from './watch.ts'

/** Returns the records of a log that a controller may be writing. */
export function recordsOf(path: string): ReadonlyArray<LogRecord> {
  const bytes = readFileSync(path)
  return [...readLog([bytes.subarray(0, bytes.lastIndexOf(10) + 1)], sha256)]
}

/** Returns the number of jobs that wait or run according to a log. */
export function openJobs(log: ReadonlyArray<LogRecord>): number {
  const open = new Set<string>()
  for (const record of log) {
    if (record.type === 'submit' || record.type === 'requeue') open.add(record.job)
    if (record.type === 'release' || record.type === 'cancel' || record.type === 'reject') open.delete(record.job)
  }
  return open.size
}

/**
 * Time, in ms, before a kill of slurmctld whose changes slurmctld may forget (22.05 saves its state at most 5 s after a
 * change), and time after the kill until a look sees the jobs again.
 */
const FORGOTTEN = { before: 15_000, after: 30_000 }

/** Fate of a job. `left`: the job ran after a change by users, operators or a killed slurmctld, and not as in the log. */
export type Fate = 'driven' | 'handed back' | 'cancelled' | 'left' | 'lost by slurmctld'

/**
 * Compares each job of Slurm with the log. Adds a finding for each job that was neither driven nor handed back.
 *
 * @param kills times of the kills of slurmctld, in Unix ms
 * @param slack factor on the times around a kill
 */
export function fatesOf(
  log: ReadonlyArray<LogRecord>,
  { jobs }: Pick<Watch, 'jobs'>,
  { submitted, touched }: Pick<Users, 'submitted' | 'touched'>,
  kills: ReadonlyArray<number>,
  slack: number,
) {
  const fates = new Map<Fate, number>()
  const findings: Array<string> = []
  const starts = startsIn(log)
  const sawKill = ({ firstSeen, lastOpen }: WatchedJob): boolean =>
    kills.some((at) => firstSeen < at + slack * FORGOTTEN.after && lastOpen > at - slack * FORGOTTEN.before)
  const fateOf = (job: WatchedJob): Fate | undefined => {
    const isChanged = touched.has(job.id) || touched.has(job.id.split('_')[0])
    if (job.isLost) return sawKill(job) ? 'lost by slurmctld' : undefined
    if (job.isHandedBack) return 'handed back'
    if (job.state === 'CANCELLED' && job.nodes.length === 0) return 'cancelled'
    if (starts.get(job.id)?.has(job.nodes.join()) === true) return 'driven'
    return isChanged || sawKill(job) ? 'left' : undefined
  }
  for (const job of jobs.values()) {
    const fate = fateOf(job)
    if (fate !== undefined) count(fates, fate)
    else findings.push(`job ${job.id} (${job.state}, on ${job.nodes.join()}) was neither driven nor handed back`)
  }
  for (const id of submitted) {
    if (jobs.has(id) || jobs.has(`${id}_1`)) continue
    if (kills.length > 0) count(fates, 'lost by slurmctld')
    else findings.push(`Slurm took job ${id}, and never listed the job`)
  }
  return { fates, findings }
}

/** Returns the nodes of the starts that the log does not withdraw, by Slurm's id of the job. */
function startsIn(log: ReadonlyArray<LogRecord>): ReadonlyMap<string, ReadonlySet<string>> {
  const withdrawn = new Set(log.flatMap((record) => (record.type === 'withdraw' ? [record.of] : [])))
  const starts = new Map<string, Set<string>>()
  for (const record of log) {
    if (record.type !== 'allocate' || withdrawn.has(record.seq)) continue
    const id = record.job.replace(/\/\d+$/, '')
    starts.set(id, (starts.get(id) ?? new Set()).add(resourcesOf(record).nodes.join()))
  }
  return starts
}

/** Parts of the results of `cloister audit` and `cloister rerun`. */
interface Judgement {
  readonly violations?: ReadonlyArray<unknown>
  readonly equal?: boolean
}

/** Runs a command that judges the log. Returns a finding unless the result is as expected. */
export async function judge(
  folder: string,
  command: 'audit' | 'rerun',
  isSound: (result: Judgement) => boolean,
): Promise<ReadonlyArray<string>> {
  // The exit code is 3, because a controller writes no end record.
  const options = { cwd: folder, maxBuffer: 2 ** 28, timeout: 600_000 }
  const run = promisify(execFile)(process.execPath, [bundle, command, 'driven.ndjson', '--json'], options)
  const { stdout, stderr } = await run.catch((error: { readonly stdout: string; readonly stderr: string }) => error)
  const isFine = stdout.startsWith('{') && isSound(JSON.parse(stdout) as Judgement)
  return isFine ? [] : [`cloister ${command} says: ${`${stdout}${stderr}`.slice(0, 3000)}`]
}
