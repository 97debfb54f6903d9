import type { AccountingRow } from './accounting-row.ts'

/** Jobs of Slurm's accounting: one row for each job. */
export interface AccountedJobs {
  readonly jobs: ReadonlyArray<AccountingRow>
  /**
   * Number of rows that became a part of another row's job, by kind: earlier runs of requeued jobs, and further
   * components of heterogeneous jobs. A kind without rows is absent.
   */
  readonly joined: Readonly<Record<string, number>>
}

const EARLIER_RUNS = 'earlier runs of requeued jobs'
const FURTHER_COMPONENTS = 'further components of heterogeneous jobs'

/** States of a run after which Slurm may run the job again (`sacct -D` has a row for each run). */
const requeueing: ReadonlySet<string> = new Set(['REQUEUED', 'NODE_FAIL', 'PREEMPTED', 'BOOT_FAIL', 'RESIZING'])

/**
 * Joins the rows of Slurm's accounting that belong to one job. A requeued job keeps the submit time and eligible time
 * of its first run, and the other fields of its last run. The components of a heterogeneous job become one job, which
 * starts on the nodes of all components at once.
 */
export function jobsOfRows(rows: ReadonlyArray<AccountingRow>): AccountedJobs {
  const runs = joinRuns(rows)
  const jobs = joinComponents(runs)
  const counts = { [EARLIER_RUNS]: rows.length - runs.length, [FURTHER_COMPONENTS]: runs.length - jobs.length }
  return { jobs, joined: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) }
}

/** Returns an id that differs from the ids of all other jobs: `rawId` if known, else `jobId`. */
export function accountedId({ jobId, rawId }: AccountingRow): string {
  return rawId >= 0 ? String(rawId) : jobId
}

function joinRuns(rows: ReadonlyArray<AccountingRow>): ReadonlyArray<AccountingRow> {
  const places = new Map<string, number>()
  const jobs: Array<AccountingRow> = []
  for (const row of rows) {
    const key = accountedId(row)
    const place = places.get(key)
    const before = place === undefined ? undefined : jobs[place]
    if (before === undefined || !isRunAgain(before, row)) {
      places.set(key, jobs.length)
      jobs.push(row)
    } else jobs[place!] = { ...row, submit: before.submit, eligible: before.eligible }
  }
  return jobs
}

function isRunAgain(before: AccountingRow, row: AccountingRow): boolean {
  return requeueing.has(before.state) && row.submit >= before.submit && (row.start < 0 || row.start > before.start)
}

/** Joins the rows of the components of each heterogeneous job. Each run of a requeued job keeps a separate row. */
export function joinComponents(rows: ReadonlyArray<AccountingRow>): ReadonlyArray<AccountingRow> {
  const places = new Map<string, number>()
  const jobs: Array<AccountingRow> = []
  for (const row of rows) {
    const [, leader] = /^(\d+)\+\d+$/.exec(row.jobId) ?? []
    const place = leader === undefined ? undefined : places.get(leader)
    const before = place === undefined ? undefined : jobs[place]
    if (leader === undefined || before === undefined || before.submit !== row.submit || before.line === row.line) {
      if (leader !== undefined) places.set(leader, jobs.length)
      jobs.push(row)
    } else jobs[place!] = together(before, row)
  }
  return jobs
}

function together(a: AccountingRow, b: AccountingRow): AccountingRow {
  return {
    ...a,
    rawId: a.rawId >= 0 && b.rawId >= 0 ? Math.min(a.rawId, b.rawId) : a.rawId,
    eligible: Math.max(a.eligible, b.eligible),
    end: a.end < 0 || b.end < 0 ? -1 : Math.max(a.end, b.end),
    elapsed: Math.max(a.elapsed, b.elapsed),
    limit: a.limit < 0 || b.limit < 0 ? -1 : Math.max(a.limit, b.limit),
    nodes: a.nodes + b.nodes,
    nodeList: [a.nodeList, b.nodeList].filter((list) => list !== '').join(','),
    gpus: a.gpus + b.gpus,
    cpus: a.cpus + b.cpus,
  }
}
