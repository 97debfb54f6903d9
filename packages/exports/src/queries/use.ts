import type { LogState, Submit } from '@cloister/eventlog'
import { stepsOf } from '../tables/steps.ts'
import { long, nodeTime, optional, seconds, share, text } from '../tables/table.ts'
import { jobColumn, largestFirst, marked, type QueriedLog, type Query, queryOf, userColumn } from './contract.ts'
import { waitsOf } from './waits.ts'

/** End of a run of a job, or of the log. Times are in seconds. */
interface Run {
  readonly submit: Submit
  readonly begin: number
  readonly end: number
  /** Node-time of the run, in a part of a run only the node-time of the part. */
  readonly nodeTime: number
  readonly nodes: number
  /** Reason why the run ended without success; undefined if the run finished, or runs on. */
  readonly reason: string | undefined
  /** Number of the record that ended the run; undefined if the run runs on. */
  readonly record: number | undefined
  /** Failed node of a run that a failure ended. */
  readonly failed: number | undefined
}

/** Yields the allocations of a log in the order of the releases, and then the allocations of the running jobs. */
function* runsOf(log: QueriedLog): Generator<Run, void> {
  const failed = new Map<string, number | undefined>()
  let from = 0
  let last: LogState | undefined
  for (const { record, before, state, isBefore } of stepsOf(log.records(), (first) => {
    from = first.header.part?.from ?? 0
    last = first
  })) {
    if (record.type === 'kill' && record.code === 'node-down')
      failed.set(
        record.job,
        before.running!.nodes.find((node) => state.downNodes.has(node)),
      )
    if (record.type !== 'release' || isBefore) continue
    const { submit, allocate, nodes, ended } = before.running!
    const begin = allocate.t
    const reason =
      ended?.type === 'kill' ? ended.code : ended?.type === 'finish' && ended.status === 'failed' ? 'failed' : undefined
    const time = nodes.length * (record.t - Math.max(from, begin))
    yield {
      submit,
      begin,
      end: record.t,
      nodeTime: time,
      nodes: nodes.length,
      reason,
      record: ended?.seq,
      failed: reason === 'node-down' ? failed.get(record.job) : undefined,
    }
    failed.delete(record.job)
  }
  for (const { submit, allocate, nodes } of last?.running.values() ?? []) {
    const time = nodes.length * Math.max(0, last!.t - Math.max(from, allocate.t))
    yield {
      submit,
      begin: allocate.t,
      end: last!.t,
      nodeTime: time,
      nodes: nodes.length,
      reason: undefined,
      record: undefined,
      failed: undefined,
    }
  }
}

/** Runs that ended by a failure or a kill, with the lost node-time. */
export const lostWork: Query = queryOf<Run>(
  'lost-work',
  'Which runs ended by a failure or a kill, and how much node-time did they take?',
  [
    jobColumn,
    userColumn,
    text(
      'reason',
      '`failed`: the job itself failed. Otherwise the code of the kill, such as `node-down` or `estimate`',
      ({ reason }) => reason,
    ),
    marked(
      'begin',
      seconds('start_time', 'begin of the allocation', ({ begin }) => begin),
    ),
    marked(
      'end',
      seconds('end_time', 'release of the allocation', ({ end }) => end),
    ),
    long('node_count', 'nodes of the allocation', ({ nodes }) => nodes, 'nodes'),
    nodeTime('node_time', 'node-time of the allocation', (run) => run.nodeTime),
    marked(
      'node',
      optional.whole(
        'failed_node',
        'first failed node of the job; missing unless the reason is `node-down`',
        ({ failed }) => failed,
      ),
    ),
    marked(
      'record',
      long('record', 'number of the record that ended the run', ({ record }) => record),
    ),
  ],
  (log) =>
    largestFirst(
      [...runsOf(log)].filter(({ reason }) => reason !== undefined),
      (run) => run.nodeTime,
    ),
)

interface User {
  readonly user: string | undefined
  readonly share: number
  jobs: number
  nodeTime: number
  lost: number
  starts: number
  waited: number
  longest: { readonly job: string; readonly wait: number } | undefined
}

/** Users by node-time, with their waits and lost work. */
export const biggestUsers: Query = queryOf<User>(
  'biggest-users',
  'Which users held most node-time, and how long did their jobs wait?',
  [
    optional.text('user', 'user; missing for jobs without a user in the log', ({ user }) => user),
    long('jobs', 'jobs of the user that started or wait', ({ jobs }) => jobs, 'jobs'),
    nodeTime('node_time', 'node-time of the allocations of the user', (user) => user.nodeTime),
    share('share', 'share of the node-time of all allocations, from 0 to 1', (user) => user.share),
    nodeTime('lost_time', 'node-time of the runs that ended by a failure or a kill', ({ lost }) => lost),
    optional.seconds(
      'mean_wait',
      'mean length of the waits that ended with a start; missing if there are none',
      ({ starts, waited }) => (starts === 0 ? undefined : waited / starts),
    ),
    optional.seconds(
      'longest_wait',
      'longest wait, also of jobs that wait at the end of the log; missing if there is none',
      ({ longest }) => longest?.wait,
    ),
    marked(
      'job',
      optional.text(
        'longest_waiter',
        'id of the job with the longest wait; missing if there is none',
        ({ longest }) => longest?.job,
      ),
    ),
  ],
  (log) => {
    const users = usersOf(log)
    const all = users.reduce((sum, user) => sum + user.nodeTime, 0)
    return largestFirst(users, (user) => user.nodeTime).map((user) => ({
      ...user,
      share: all === 0 ? 0 : user.nodeTime / all,
    }))
  },
)

function usersOf(log: QueriedLog): ReadonlyArray<User> {
  const users = new Map<string | undefined, User>()
  const jobs = new Set<string>()
  const userOf = ({ user, job }: Submit): User => {
    const found = users.get(user) ?? {
      user,
      share: 0,
      jobs: 0,
      nodeTime: 0,
      lost: 0,
      starts: 0,
      waited: 0,
      longest: undefined,
    }
    users.set(user, found)
    if (!jobs.has(job)) found.jobs++
    jobs.add(job)
    return found
  }
  for (const { submit, nodeTime: time, reason } of runsOf(log)) {
    const user = userOf(submit)
    user.nodeTime += time
    if (reason !== undefined) user.lost += time
  }
  for (const { submit, begin, end, start } of waitsOf(log)) {
    const user = userOf(submit)
    if (start !== undefined) {
      user.starts++
      user.waited += end - begin
    }
    if (user.longest === undefined || end - begin > user.longest.wait)
      user.longest = { job: submit.job, wait: end - begin }
  }
  return [...users.values()]
}
