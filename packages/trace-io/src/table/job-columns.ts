import { parseColumns, TableError } from '@cloister/topology'
import { SpecError } from '@cloister/workload'

/** Meanings of the columns of a table of jobs. */
export const jobColumnNames = [
  'id',
  'submit',
  'start',
  'end',
  'wait',
  'run',
  'walltime',
  'nodes',
  'gpus',
  'state',
  'user',
  'account',
  'queue',
  'name',
] as const

export type JobColumnName = (typeof jobColumnNames)[number]

/** Column of a table. `times` multiplies the numbers of the column: 60 for minutes, 1/1000 for milliseconds. */
export interface JobColumn {
  readonly column: string
  readonly times: number
}

/** Columns of public sets of jobs, as their descriptions name them, by the name of the set. */
export const jobTables: Readonly<Record<string, string>> = {
  // Acme (InternLM/AcmeTrace, README, "Job Trace"). `duration` of the cluster Kalos includes the wait.
  acme: 'id=job_id,submit=submit_time,start=start_time,end=end_time,nodes=node_num,gpus=gpu_num,state=state,user=user,name=type',
  // Eagle (NREL/eagle-jobs, first line of data/sample_eagle_data.csv; OEDI submission 5860). Times are in seconds.
  eagle:
    'id=job_id,submit=submit_time,start=start_time,end=end_time,run=run_time,walltime=wallclock_req,nodes=nodes_req,gpus=gpus_req,state=state,user=user,account=account,queue=partition,name=name',
  // F-DATA, jobs of Fugaku (francescoantici/F-DATA, docs/feature_list.md). `elpl` is the limit of the elapsed time, in
  // the unit of the elapsed time, which `duration` has in seconds (generation_scripts/generate_derived_features.py).
  'f-data':
    'id=jid,submit=adt,start=sdt,end=edt,run=duration,walltime=elpl,nodes=nnuma,state=exit state,user=usr,name=jnam',
  // Helios (S-Lab-System-Group/HeliosData, README, `cluster_log.csv`). A virtual cluster is a queue.
  helios:
    'id=job_id,submit=submit_time,start=start_time,run=duration,nodes=node_num,gpus=gpu_num,state=state,user=user,queue=vc',
  // Kestrel (datacard of the set with the DOI 10.7799/3023270). `wallclock_req` is a duration of Arrow according to NLR's
  // reader (NatLabRockies/hpc-oda-commons, nlr_kestrel.yml), which Parquet has as a number of nanoseconds.
  kestrel:
    'id=id,submit=submit_time,start=start_time,end=end_time,walltime=wallclock_req/1000000000,nodes=nodes_used,gpus=gpus_requested,state=state_simple,user=user_hash,account=account_hash,queue=partition,name=name_hash',
  // Lassen (LLNL/LAST, Lassen-Supercomputer-Job-Dataset/README.md, `final_csm_allocation_history_hashed.csv`). The
  // description has no unit of `time_limit`; the limit is in seconds, as LSF gives limits to IBM's CSM.
  lassen:
    'id=allocation_id,submit=job_submit_time,start=begin_time,end=end_time,walltime=time_limit,nodes=num_nodes,user=hashed_user_id,account=hashed_user_group_id,queue=queue',
  // PM100, jobs of Marconi100 (francescoantici/PM100-data, documentation/job_features.md). `time_limit` is in minutes.
  pm100:
    'id=job_id,submit=submit_time,start=start_time,end=end_time,run=run_time,walltime=time_limit*60,nodes=num_nodes_alloc,gpus=num_gpus_alloc,state=job_state,user=user_id,account=group_id,queue=partition',
}

/** Sentences on values that a public set lacks or has in a form that no column serves, by the name of the set. */
const lacking: Readonly<Record<string, string>> = {
  'f-data': 'F-DATA names no queue of a job',
  lassen: 'Lassen states 0 GPUs for every job, and exit codes instead of states: a job that ran counts as completed',
}

/** Returns sentences on values that a run needs and the columns lack. @param text option `columns` */
export function lacksOf(text: string): ReadonlyArray<string> {
  const ofSet = lacking[text]
  return [
    ...(parseJobColumns(text).has('walltime')
      ? []
      : ['no column has walltimes, so the estimate of a job is its run time']),
    ...(ofSet === undefined ? [] : [ofSet]),
  ]
}

/**
 * Reads the option `columns`: the name of a public set (`jobTables`), or columns by their meaning, such as
 * `submit=submitted_at,run=duration_ms/1000,nodes=gpus/8`. A factor (`*60`, `/1000`) follows the name of the column.
 *
 * @throws SpecError for another text, and for columns without submission, nodes and run time
 */
export function parseJobColumns(text: string): ReadonlyMap<JobColumnName, JobColumn> {
  const expected = `${Object.keys(jobTables).join(', ')}, or columns such as submit=submitted_at,run=duration_s,nodes=node_num`
  const wrong = (found: string, allowed = expected): SpecError => new SpecError('columns', found, allowed)
  try {
    const given = parseColumns(jobTables[text] ?? text, jobColumnNames)
    const columns = new Map<JobColumnName, JobColumn>()
    for (const [name, [column, ...more]] of given) {
      if (more.length > 0) throw wrong(`${name}=${[column, ...more].join(',')}`, `one column after ${name}=`)
      columns.set(name as JobColumnName, scaled(column))
    }
    const hasRun = columns.has('run') || (columns.has('start') && columns.has('end'))
    if (columns.has('submit') && columns.has('nodes') && hasRun) return columns
    throw wrong(text, 'columns for submit, for nodes, and for run or for both start and end')
  } catch (error) {
    throw error instanceof TableError ? wrong(text, `${expected} (${error.message})`) : error
  }
}

function scaled(text: string): JobColumn {
  const [, column, sign, factor] = /^(.+)([*/])(\d+(?:\.\d+)?)$/s.exec(text) ?? []
  if (column === undefined || Number(factor) === 0) return { column: text, times: 1 }
  return { column, times: sign === '*' ? Number(factor) : 1 / Number(factor) }
}
