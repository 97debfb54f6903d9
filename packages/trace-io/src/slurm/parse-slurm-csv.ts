import { commentsOfNodes, makeColumns, numberOfName, readDirectives, type SwfTrace } from '../swf/swf.ts'
import { accountedId, type AccountingRow, jobsOfRows, swfStatus } from './accounting.ts'
import { jobsOnParts, nodeSharingOf, sacctCommand, whatIsLacking } from './accounting-facts.ts'
import { type AccountingOptions, readSacct } from './read-sacct.ts'

/** Options for making a trace from a job log of Slurm. */
export interface SlurmOptions extends AccountingOptions {
  /**
   * Time at which a job arrives in the trace. `eligible` (default): the time from which the job could start, or the
   * submit time if this eligible time is unknown or earlier. `submit`: the submit time, or the eligible time if the
   * submit time is unknown.
   */
  readonly arrivesWhen?: 'eligible' | 'submit'
  /** If true, the reader counts the jobs that shared nodes, which takes time. Default: false. */
  readonly countsNodeSharing?: boolean
}

/**
 * Reads a job log of Slurm's accounting in any form that `readSacct` reads, such as the LLNL Cab logs of 2014 (doi
 * 10.5281/zenodo.3908771). Required columns: `JobID` or `JobIDRaw`; `NNodes`, `ReqNodes` or `AllocNodes`; `State`;
 * `Submit` or `Eligible`; `Elapsed`, `ElapsedRaw` or `End`.
 *
 * The returned trace has the columns of SWF. Sizes are in nodes: `requestedProcs` holds the allocated nodes, or the
 * requested nodes of a job that never started. `allocatedProcs` holds the allocated nodes, or -1 for a job that never
 * started. Users, accounts (as groups) and partitions (also as queues) get numbers from 1 in the order of appearance;
 * their names and `JobName` are labels. A job that has not ended has no run time. The wait of a job is unknown if the
 * job started before its arrival or never. The runs of a requeued job are one job, and so are the components of a
 * heterogeneous job. Steps of jobs are no jobs.
 *
 * @throws TraceError for a missing column, and at the first bad line unless `skipBadLines` is true
 */
export function parseSlurmCsv(text: string | Uint8Array, options: SlurmOptions): SwfTrace {
  const { file, arrivesWhen = 'eligible', countsNodeSharing = false } = options
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const rows: Array<AccountingRow> = []
  const { fields, steps, badLines, contradictions } = readSacct(bytes, options, (row) => rows.push(row))
  const { jobs, joined } = jobsOfRows(rows)
  const onParts = jobsOnParts(rows, jobs)
  const columns = makeColumns(() => new Float64Array(jobs.length).fill(-1))
  const users = new Map<string, number>()
  const accounts = new Map<string, number>()
  const partitions = new Map<string, number>()
  for (const [row, job] of jobs.entries()) {
    const { rawId, submit, eligible, start, elapsed, limit, nodes, state, labels } = job
    const arrival = submit < 0 || (arrivesWhen === 'eligible' && eligible >= submit) ? eligible : submit
    const status = swfStatus(state)
    columns.job[row] = rawId
    columns.submit[row] = arrival
    columns.wait[row] = start >= arrival ? start - arrival : -1
    columns.runTime[row] = status === -1 ? -1 : elapsed
    columns.allocatedProcs[row] = start === -1 ? -1 : nodes
    columns.requestedProcs[row] = nodes
    columns.requestedTime[row] = limit
    columns.status[row] = status
    columns.user[row] = numberOfName(labels.user, users)
    columns.group[row] = numberOfName(labels.account, accounts)
    // Users of Slurm choose a partition; users of other systems choose a queue.
    columns.queue[row] = columns.partition[row] = numberOfName(labels.queue, partitions)
  }
  const comments = commentsOfNodes(Array.from(partitions, ([name, number]) => `Partition: ${number} ${name}`))
  const apart = { ...(steps > 0 && { steps }), ...joined }
  const tellsGpus = fields === undefined || fields.has('AllocTRES') || fields.has('ReqTRES')
  const tellsNodes = fields === undefined || fields.has('NodeList')
  return {
    file,
    comments,
    directives: readDirectives(comments),
    jobs: jobs.length,
    lines: Int32Array.from(jobs, ({ line }) => line),
    columns,
    labels: jobs.map(({ labels }) => labels),
    ...(jobs.some(({ rawId }) => rawId < 0) ? { ids: jobs.map(accountedId) } : {}),
    ...(Object.keys(apart).length === 0 ? {} : { apart }),
    ...(onParts && { onParts }),
    ...(tellsGpus && { gpus: Float64Array.from(jobs, ({ gpus }) => gpus) }),
    accounting: {
      lacks: whatIsLacking(fields),
      command: sacctCommand,
      contradictions,
      gpuJobs: tellsGpus ? jobs.filter(({ gpus }) => gpus > 0).length : undefined,
      nodeSharing: countsNodeSharing && tellsNodes ? nodeSharingOf(rows) : undefined,
    },
    ...(badLines.count === 0 ? {} : { badLines }),
  }
}
