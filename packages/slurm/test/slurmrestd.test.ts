import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseTopology } from '@cloister/topology'
import { type AccountingRow, readSacct } from '@cloister/trace-io'
import { expect, test } from 'vitest'
import { NodeIds, parseRestJobs, parseRestNodes, parseSinfo, parseSqueue } from '../src/index.ts'

/**
 * Reads a recorded file. The files have answers of slurmrestd (only the fields that the parsers read) and output of
 * commands, all from one cluster with Slurm 22.05 at one time. The values of `PriorityLong` in squeue.txt come from
 * jobs.json, and `QOS` and `Reservation` are empty, because these fields were not recorded.
 */
const recorded = (name: string): string => readFileSync(join(import.meta.dirname, 'slurmrestd', name), 'utf8')

const byJob = (rows: ReadonlyArray<{ readonly jobId: string }>): Record<string, unknown> =>
  Object.fromEntries(rows.map((row) => [row.jobId, { ...row, line: 0 }]))

test('parseRestJobs gives the jobs that parseSqueue gives for the same cluster, except the array tasks that slurmrestd cuts off', () => {
  const { rows, cutArrays } = parseRestJobs(recorded('jobs.json'))
  const printed = byJob(parseSqueue(recorded('squeue.txt'), '|'))
  // For an array with tasks in many ranges, slurmrestd gives the first ranges and "...".
  expect(cutArrays).toEqual(['3'])
  const shown = byJob(rows)
  const cut = Object.keys(printed).filter((id) => !(id in shown))
  expect(cut.length).toBe(10)
  for (const id of cut) expect(Number(id.replace(/^3_/, ''))).toBeGreaterThan(79)
  for (const id of cut) delete printed[id]
  expect(shown).toEqual(printed)
})

test('readSacct reads the same rows from slurmrestd and from sacct', () => {
  const rowsOf = (name: string): Array<AccountingRow> => {
    const rows: Array<AccountingRow> = []
    readSacct(new TextEncoder().encode(recorded(name)), { file: name }, (row) => rows.push(row))
    return rows
  }
  /** Returns rows without names of jobs and `Flags`, which the recorded sacct command did not print. */
  const known = (rows: ReadonlyArray<AccountingRow>): unknown =>
    byJob(
      rows.map((row) => ({ ...row, labels: { ...row.labels, name: undefined }, restarts: -1, startedBy: undefined })),
    )
  expect(known(rowsOf('accounting.json'))).toEqual(known(rowsOf('sacct.txt')))
})

test('parseRestNodes gives the unusable nodes that parseSinfo gives for the same cluster', () => {
  const topology = parseTopology('radix:4')
  const ids = new NodeIds(topology)
  const down = parseRestNodes(recorded('nodes.json'), ids, topology.nodes)
  expect([...down]).toEqual([13, 15])
  expect(down).toEqual(parseSinfo(recorded('sinfo.txt'), ids, topology.nodes))
  expect([...parseRestNodes(recorded('nodes.json'), ids, topology.nodes, ['other'])]).toHaveLength(16)
})

test('parseRestJobs and parseRestNodes read later API versions, with lists of states and objects for numbers', () => {
  const set = (number: number): unknown => ({ set: true, infinite: false, number })
  const unset = { set: false, infinite: false, number: 0 }
  const common = { user_name: 'ann', account: 'physics', partition: 'batch,long', restart_cnt: 0, tres_alloc_str: '' }
  const job = {
    ...common,
    job_id: 7,
    array_job_id: set(0),
    array_task_id: unset,
    job_state: ['RUNNING', 'CONFIGURING'],
    submit_time: set(100),
    eligible_time: set(100),
    start_time: set(120),
    end_time: set(0),
    time_limit: { set: true, infinite: true, number: 0 },
    node_count: set(2),
    nodes: 'node[0-1]',
    het_job_id: set(0),
  }
  const array = {
    ...job,
    job_state: ['PENDING'],
    array_job_id: set(8),
    array_task_string: '1-7:3,9%2',
    start_time: unset,
    nodes: '',
  }
  const ended = { ...job, job_id: 9, job_state: ['FAILED', 'COMPLETING'] }
  const { rows } = parseRestJobs(JSON.stringify({ jobs: [job, array, ended] }), ['long'])
  expect(rows.map(({ jobId, state }) => [jobId, state])).toEqual([
    ['7', 'RUNNING'],
    ...[1, 4, 7, 9].map((task) => [`8_${task}`, 'PENDING']),
    ['9', 'COMPLETING'],
  ])
  expect(rows[0]).toMatchObject({ submit: 100, start: 120, end: -1, limit: -1, nodes: 2, labels: { user: 'ann' } })
  expect(parseRestJobs(JSON.stringify({ jobs: [job] }), ['lon']).rows).toEqual([])
  const topology = parseTopology('radix:4')
  const nodes = [['IDLE'], ['MIXED', 'DRAIN'], ['IDLE', 'POWERED_DOWN'], ['ALLOCATED', 'NOT_RESPONDING'], ['DOWN']].map(
    (state, at) => ({ name: `node${at}`, state, partitions: ['batch'] }),
  )
  const down = parseRestNodes(JSON.stringify({ nodes }), new NodeIds(topology), topology.nodes)
  expect([...down].filter((node) => node < 5)).toEqual([1, 3, 4])
})

test('parseRestJobs and parseRestNodes throw an error that names the wrong field or text of the answer', () => {
  const of =
    (job: unknown): (() => unknown) =>
    () =>
      parseRestJobs(JSON.stringify({ jobs: [{ job_id: 1 }, job] }))
  const job = { job_id: 1, job_state: 'RUNNING', submit_time: 5, node_count: 1, nodes: 'node0', start_time: 6 }
  expect(() => parseRestJobs('<html>')).toThrow(
    "slurmrestd's jobs, line 1: found no valid JSON (column 1: expected a value",
  )
  expect(() => parseRestJobs('{"jobs": 3}')).toThrow('found no list "jobs", expected the jobs of slurmrestd')
  expect(() => parseRestJobs(JSON.stringify({ jobs: [7] }))).toThrow('line 1, field job_state')
  expect(() => parseRestJobs(JSON.stringify({ jobs: [{ ...job, submit_time: 'soon' }] }))).toThrow('submit_time')
  const array = (tasks: string): unknown => ({
    ...job,
    job_state: 'PENDING',
    array_job_id: 1,
    array_task_string: tasks,
  })
  expect(() => parseRestJobs(JSON.stringify({ jobs: [array('1-x')] }))).toThrow('array_task_string')
  expect(() => parseRestJobs(JSON.stringify({ jobs: [array('0-999999999')] }))).toThrow('too many tasks')
  expect(of(job)).toThrow('line 1, field job_state')
  const topology = parseTopology('radix:4')
  expect(() => parseRestNodes('{"nodes":[{"name":"node0"}]}', new NodeIds(topology), 16)).toThrow('field state')
})
