import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixedOffset, jobTables, loadWorkloadFrom, parseJobColumns, parseJobTable } from '../src/index.ts'

/** Rows made to the description of Acme's job traces (README of InternLM/AcmeTrace), of both clusters. */
const seren = `job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time
11,u1,2,16,256,Pretrain,COMPLETED,2023-03-01 00:18:22+08:00,2023-03-01 00:18:54+08:00,2023-03-01 00:20:51+08:00,117,32,1872.0
12,u2,1,0,16,Other,CANCELLED,2023-03-01 00:23:58+08:00,,,0,,0.0
`
const kalos = `job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time
dlck1,u7,8,64,960,1000,100.0,Other,FAILED,2023-05-17 11:00:58+00:00,2023-05-17 11:01:08+00:00,2023-05-17 11:01:16+00:00,2023-05-17 11:01:16+00:00,,18,10.0,1152.0
`
/** Rows made to the description of Helios's `cluster_log.csv` (README of S-Lab-System-Group/HeliosData). */
const helios = `job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
1425511,uX,vcJ,1,1,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:05,2020-06-10 04:55:09,36844,4
1425512,uV,vch,4,16,1,FAILED,2020-06-09 18:41:27,2020-06-09 18:41:27,2020-06-09 18:45:36,249,0
`
/** Rows made to the description of F-DATA's jobs of Fugaku (docs/feature_list.md of francescoantici/F-DATA). */
const fugaku = `jid,usr,jnam,cnumr,nnumr,adt,qdt,sdt,edt,elpl,nnuma,ec,exit state,duration
1001,user_1,job_2,48,1,2021-04-01 09:00:00+09:00,2021-04-01 09:00:01+09:00,2021-04-01 09:00:10+09:00,2021-04-01 09:10:10+09:00,3600.0,1,0,completed,600.0
1002,user_2,job_3,18432,384,2021-04-01 09:00:05+09:00,2021-04-01 09:00:06+09:00,2021-04-01 10:00:05+09:00,2021-04-01 10:00:35+09:00,86400.0,384,1,failed,30.0
`
/** Rows made to the first line of data/sample_eagle_data.csv (NREL/eagle-jobs). */
const eagle = `job_id,user,account,partition,qos,wallclock_req,nodes_req,processors_req,gpus_req,mem_req,submit_time,start_time,end_time,run_time,state,name,work_dir,submit_line
91,user1,account1,partition1,normal,172800.0,10,360,0,0.0,2019-03-01 08:00:00,2019-03-01 08:00:05,2019-03-01 09:00:05,3600.0,COMPLETED,name1,work_dir1,submit_line1
92,user2,account1,partition8,normal,1800.0,2,72,4,0.0,2019-03-01 08:00:30,2019-03-01 08:01:00,2019-03-01 08:31:10,1810.0,TIMEOUT,name2,work_dir2,submit_line2
`
/** Rows made to the datacard of Kestrel's jobs (DOI 10.7799/3023270), with durations in nanoseconds. */
const kestrel = `id,job_id,array_pos,name_hash,user_hash,account_hash,partition,state,state_simple,submit_time,start_time,end_time,nodes_req,wallclock_req,nodes_used,wallclock_used,qos,gpus_requested
700_1,701,1,0a1b2c3,1a2b3c4,2a2b3c4,short,COMPLETED,COMPLETED,2024-02-19 16:17:31-07,2024-02-19 16:18:01-07,2024-02-19 17:18:01-07,4,14400000000000,4,3600000000000,normal,
702,702,,0a1b2c4,1a2b3c4,2a2b3c4,gpu-h100,CANCELLED by 7,CANCELLED,2024-02-19 16:20:00-07,2024-02-19 16:21:00-07,2024-02-19 16:21:30-07,1,1:00:00,1,30000000000,high,2
`
/** Rows made to the description of Lassen's jobs (Lassen-Supercomputer-Job-Dataset/README.md of LLNL/LAST). */
const lassen = `allocation_id,primary_job_id,launch_node_name,num_nodes,num_processors,num_gpus,type,job_type,hashed_user_id,hashed_user_group_id,begin_time,end_time,exit_status,job_submit_time,queue,requeue,time_limit
501,77,lassen710,4,176,0,user-managed,batch,a1,b1,2019-11-01 10:00:30.125,2019-11-01 10:30:30.125,0,2019-11-01 10:00:00.5,pbatch,,7200
502,77,lassen710,1,44,0,user-managed,batch,a1,b2,2019-11-01 10:31:00,2019-11-01 10:31:00,134,2019-11-01 10:00:01,pdebug,,3600
`
/** Rows made to the description of PM100, jobs of Marconi100 (documentation/job_features.md of francescoantici/PM100-data). */
const marconi = `job_id,submit_time,eligible_time,start_time,end_time,run_time,time_limit,num_nodes_req,num_nodes_alloc,num_gpus_alloc,job_state,user_id,group_id,partition,power_consumption
5,2020-05-05 10:00:00+00:00,2020-05-05 10:00:00+00:00,2020-05-05 10:02:00+00:00,2020-05-05 10:12:00+00:00,600,1440,2,2,8,COMPLETED,17,3,1,"[1200, 1240]"
6,2020-05-05 10:00:30+00:00,2020-05-05 10:00:30+00:00,2020-05-05 10:00:30+00:00,2020-05-05 10:00:31+00:00,1,INFINITE,1,1,4,CANCELLED,17,3,2,[]
`

const read = (text: string, columns: string, more = {}) => parseJobTable(text, { file: 'jobs.csv', columns, ...more })
const load = (text: string, columns: string) =>
  loadWorkloadFrom(
    {
      open: (file) => ({ file, text: new TextEncoder().encode(text), sha256: '0'.repeat(64) }),
      find: () => expect.unreachable(),
    },
    'jobs.csv',
    { columns },
  )

describe('parseJobTable', () => {
  it('Acme: both clusters are read by the names of their columns, and dates have zones', () => {
    const { columns, labels, gpus } = read(seren, 'acme')
    const submit = Date.UTC(2023, 1, 28, 16, 18, 22) / 1000
    expect(Array.from(columns.submit)).toEqual([submit, submit + 336])
    expect([columns.wait, columns.runTime, columns.status, columns.requestedProcs].map((each) => [...each])).toEqual([
      [32, -1],
      [117, -1],
      [1, 5],
      [2, 1],
    ])
    expect(gpus && [...gpus]).toEqual([16, 0])
    expect(labels).toEqual([
      { user: 'u1', name: 'Pretrain', gpus: 16 },
      { user: 'u2', name: 'Other' },
    ])
    expect(read(seren.replaceAll('+08:00', '.250Z'), 'acme').columns.submit[0]).toBe(submit + 28_800.25)
    const other = read(kalos, 'acme')
    expect(other.ids).toEqual(['dlck1'])
    // The column `duration` of Kalos includes the wait, so the run time comes from start and end.
    expect(other.columns.runTime[0]).toBe(8)
  })

  it('Helios: times are of the time zone of the option, and a virtual cluster is a queue', () => {
    const { columns, labels } = read(helios, 'helios', { utcOffset: fixedOffset('+08:00') })
    expect(columns.submit[0]).toBe(Date.UTC(2020, 5, 9, 10, 41, 1) / 1000)
    expect([...columns.wait]).toEqual([4, 0])
    expect([...columns.runTime]).toEqual([36_844, 249])
    expect(labels?.map(({ queue }) => queue)).toEqual(['vcJ', 'vch'])
    const { workload, skipped } = load(helios, 'helios')
    expect([...workload.jobs].map(({ id, size, recordedWait }) => [id, size, recordedWait])).toEqual([
      ['1425511', 1, 4000],
      ['1425512', 1, 0],
    ])
    expect(skipped).toEqual({})
  })

  it.each([
    [
      'eagle',
      eagle,
      [
        ['91', 10, 3_600_000, 172_800_000, 5000],
        ['92', 2, 1_810_000, 1_800_000, 30_000],
      ],
      [1, 0],
      undefined,
    ],
    [
      'kestrel',
      kestrel,
      [
        ['700_1', 4, 3_600_000, 14_400_000, 30_000],
        ['702', 1, 30_000, 3_600_000, 60_000],
      ],
      [1, 5],
      undefined,
    ],
    [
      'f-data',
      fugaku,
      [
        ['1001', 1, 600_000, 3_600_000, 10_000],
        ['1002', 384, 30_000, 86_400_000, 3_600_000],
      ],
      [1, 0],
      'F-DATA names no queue',
    ],
    [
      'lassen',
      lassen,
      [
        ['501', 4, 1_800_000, 7_200_000, 29_625],
        ['502', 1, 0, 3_600_000, 1_859_000],
      ],
      [1, 1],
      'exit codes instead of states',
    ],
    [
      'pm100',
      marconi,
      [
        ['5', 2, 600_000, 86_400_000, 120_000],
        ['6', 1, 1000, undefined, 0],
      ],
      [1, 5],
      undefined,
    ],
  ] as const)(
    '%s: ids, sizes, run times, walltimes and waits are read by the published names',
    (name, text, jobs, states, lack) => {
      // prettier-ignore
      const { workload, origin, lacks } = load(text, name)
      expect([...workload.jobs].map(({ id, size, runTime, walltime, recordedWait }) => [id, size, runTime, walltime, recordedWait])).toEqual(jobs) // prettier-ignore
      expect([...origin.trace.columns.status]).toEqual(states)
      expect(lacks?.join()).toMatch(lack ?? /^$/)
    },
  )

  it('says that a table without walltimes has none', () => {
    expect(load(helios, 'helios').lacks).toEqual(['no column has walltimes, so the estimate of a job is its run time'])
  })

  it('every public set has columns that the option accepts', () => {
    for (const name of Object.keys(jobTables)) expect(parseJobColumns(name).has('submit')).toBe(true)
  })

  it('a table of random jobs, with any order and units of columns, gives these jobs', () => {
    const job = fc.record({
      submit: fc.nat(1_000_000),
      wait: fc.nat(10_000),
      run: fc.nat(100_000),
      nodes: fc.integer({ min: 1, max: 500 }),
      user: fc.constantFrom('ada', 'bob, jr.', 'c "x"'),
    })
    const inCsv = (text: string): string => `"${text.replaceAll('"', '""')}"`
    fc.assert(
      fc.property(
        fc.array(job, { minLength: 1, maxLength: 20 }),
        fc.shuffledSubarray(['submit', 'wait', 'run', 'nodes', 'user', 'other'], { minLength: 6 }),
        fc.boolean(),
        (jobs, order, inMilliseconds) => {
          const factor = inMilliseconds ? 1000 : 1
          const cells = jobs.map(({ submit, wait, run, nodes, user }) => ({
            submit: String(submit * factor),
            wait: wait % 2 === 0 ? String(wait) : `${wait}.0`,
            run: String(run * factor),
            // A job has eight GPUs a node; the last node may be used in part.
            nodes: String(8 * nodes - (run % 8)),
            user: inCsv(user),
            other: 'x',
          }))
          const text = [order, ...cells.map((row) => order.map((name) => row[name as keyof typeof row]))]
            .map((row) => row.join(','))
            .join('\n')
          const scale = inMilliseconds ? '/1000' : ''
          const trace = read(text, `submit=submit${scale},wait=wait,run=run${scale},nodes=nodes/8,user=user`)
          expect(trace.jobs).toBe(jobs.length)
          for (const [at, { submit, wait, run, nodes, user }] of jobs.entries()) {
            const { columns, labels } = trace
            expect([columns.wait[at], columns.requestedProcs[at]]).toEqual([wait, nodes])
            expect(columns.submit[at]).toBeCloseTo(submit, 6)
            expect(columns.runTime[at]).toBeCloseTo(run, 9)
            expect(labels?.[at].user).toBe(user)
          }
        },
      ),
    )
  })

  it.each([
    [
      'submit=at,run=s,nodes=size',
      'at,s,n\n1,2,3\n',
      'jobs.csv, line 1: found the columns at, s, n, expected one column "size" for nodes',
    ],
    ['submit=at,run=s,nodes=n', 'at,s,n,at\n1,2,3,4\n', 'found the columns at, s, n, at, expected one column "at"'],
    ['submit=at,run=s,nodes=n', 'at,s,n\n1,2,3\n1,2\n', 'jobs.csv, line 3: found 2 values, expected 3 values'],
    [
      'submit=at,run=s,nodes=n',
      'at,s,n\nsoon,2,3\n',
      'jobs.csv, line 2, field at: found "soon", expected a date such as',
    ],
    ['submit=at,run=s,nodes=n', 'at,s,n\n1,2,"3\n', 'expected a closing quote'],
    ['submit=a,start=b,end=c,nodes=n', 'a,b,c,n\n1,5,4,2\n', 'field c: found "4", expected a time from start (5) on'],
    ['submit=at,run=s', 'at,s\n1,2\n', 'expected columns for submit, for nodes, and for run'],
    ['submit=at,run=s,nodes=n,m', 'at,s,n\n1,2,3\n', 'expected one column after nodes='],
    ['size=n', 'n\n1\n', 'unknown name "size"'],
    ['philly', 'n\n1\n', 'expected acme, eagle, f-data, helios, kestrel, lassen, pm100, or columns such as'],
    ['submit=at,run=s,nodes=n', '', 'found no job'],
  ])('the columns %s of %j give an error that says what is wrong', (columns, text, message) => {
    expect(() => load(text, columns)).toThrow(message)
  })

  it('a bad line can be skipped, and a trace of another kind has no columns', () => {
    const text = 'at,s,n\nsoon,2,3\n7,2,3\n'
    const trace = read(text, 'submit=at,run=s,nodes=n', { skipBadLines: true })
    expect([...trace.columns.submit]).toEqual([7])
    expect(trace.badLines?.count).toBe(1)
    const none = { open: () => undefined, find: () => expect.unreachable() }
    expect(() => loadWorkloadFrom(none, 'synth:4:20', { columns: 'helios' })).toThrow('only a trace that is a table')
  })
})
