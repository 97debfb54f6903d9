import type { Allocate, Down, Kill, LogRecord, Reserve } from '@cloister/eventlog'
import type { Checks, Invariant, Tally } from '../invariant.ts'
import type { Job, JobState } from '../cluster/jobs.ts'
import type { ClusterModel } from '../cluster/cluster-model.ts'

export const jobLifeCycle: Invariant = {
  name: 'job-life-cycle',
  property:
    'A job is submitted once. Only a waiting job gets a reservation, is refused, is rejected or starts. Only a job that left its nodes for a move gets other nodes. Only a running job makes progress, finishes or is killed. Only a waiting or running job is cancelled. A requeue of a job follows a kill or a withdrawn start, and the release of the job. At the end of a whole simulation no job waits, unless a failed node or link may hinder the head of the queue. A withdraw names the start of a running job, or the kill of a job that was not released.',
  begin(model, tally) {
    const only =
      (verb: string, ...states: ReadonlyArray<JobState>) =>
      (record: LogRecord & { readonly job: string }): void => {
        tally.tested()
        const state = model.job?.state
        if (state === undefined) tally.violated(record, `job ${record.job} was never submitted`)
        else if (!states.includes(state))
          tally.violated(
            record,
            `job ${record.job} is ${verb}, but the job is ${state}; expected ${states.join(' or ')}`,
          )
      }
    const starts = only('allocated', 'waiting')
    const movesOn = only('allocated after a move', 'moving')
    const whileWaiting = {
      reserve: only('given a reservation', 'waiting'),
      reject: only('rejected', 'waiting'),
      refuse: only('refused', 'waiting'),
    }
    return {
      ...whileWaiting,
      allocate: (record) => (record.moved === undefined ? starts(record) : movesOn(record)),
      submit(record) {
        tally.tested()
        if (model.job !== undefined) tally.violated(record, `job ${record.job} is submitted a second time`)
      },
      cancel: only('cancelled', 'waiting', 'running'),
      finish: only('finished', 'running'),
      kill: only('killed', 'running'),
      requeue(record) {
        tally.tested()
        const job = model.job
        if (job?.state !== 'over' || job.killedBy === 0)
          tally.violated(record, `job ${record.job} is requeued, but was not killed and released before`)
      },
      withdraw(record) {
        tally.tested()
        const job = model.job
        const stands =
          (job?.state === 'running' && job.allocation?.seq === record.of) ||
          (job?.state === 'killed' && job.killedBy === record.of)
        if (!stands)
          tally.violated(
            record,
            `record ${record.of} is no allocate or kill of job ${record.job} that a withdraw can undo`,
          )
      },
      progress: only('making progress', 'running'),
      end(record) {
        if (!model.endsItself) return
        // If the queue order is not known, any waiting job may be the head.
        const [stuck, ...others] = model.queue.first(model.whyOrderUnknown === undefined ? 1 : Infinity)
        if (stuck !== undefined && ![stuck, ...others].some((job) => model.isExcused(job))) {
          tally.violated(
            record,
            `job ${stuck.id} still waits at the end of the log, though no failed node or link may hinder the job`,
          )
        }
      },
    }
  },
}

export const exactSize: Invariant = {
  name: 'exact-size',
  property:
    'If the policy claims exact sizes, every allocation and reservation has exactly as many nodes as the job requested.',
  begin: (model, tally) =>
    model.header.policy.claims.exact_size
      ? sizeChecks(model, tally, (nodes, requested) => nodes !== requested)
      : 'the policy does not claim exact sizes',
}

export const enoughNodes: Invariant = {
  name: 'enough-nodes',
  property:
    'If the policy does not claim exact sizes, every allocation and reservation has at least as many nodes as the job requested.',
  begin: (model, tally) =>
    model.header.policy.claims.exact_size
      ? 'the policy claims exact sizes, and the invariant exact-size tests this claim'
      : sizeChecks(model, tally, (nodes, requested) => nodes < requested),
}

function sizeChecks(model: ClusterModel, tally: Tally, isWrong: (nodes: number, requested: number) => boolean): Checks {
  const check = (record: Allocate | Reserve): void => {
    const { job, named } = model
    if (job === undefined || named!.malformed !== undefined) return
    tally.tested()
    if (isWrong(named!.nodesWritten, job.size))
      tally.violated(
        record,
        `the ${record.type} has ${named!.nodesWritten} nodes, but job ${job.id} requested ${job.size}`,
      )
  }
  return { allocate: check, reserve: check }
}

export const ranks: Invariant = {
  name: 'ranks',
  property:
    'If an allocate record has `ranks`, each node of the allocation has at least one rank, and no other node has a rank.',
  begin(model, tally) {
    const rankOf = new Int32Array(model.topology.nodes)
    return {
      allocate(record) {
        if (record.ranks === undefined || model.named!.malformed !== undefined || model.named!.unknown !== undefined)
          return
        tally.tested()
        const { nodes } = model.named!
        rankOf.fill(-1)
        record.ranks.forEach((node, rank) => {
          rankOf[node] = rank
        })
        const idle = nodes.find((node) => rankOf[node] < 0)
        for (let i = 0; i < nodes.length; i++) rankOf[nodes[i]] = -1
        const elsewhere = record.ranks.find((node) => rankOf[node] !== -1)
        if (elsewhere !== undefined)
          tally.violated(record, `a rank is on node ${elsewhere}, but the allocation does not have this node`)
        else if (idle !== undefined) tally.violated(record, `node ${idle} of the allocation has no rank`)
      },
    }
  },
}

export const nodeDownKills: Invariant = {
  name: 'node-down-kills',
  property:
    'When a node goes down, the running job that holds the node is killed in the same instant. No other job is killed with the code `node-down`, and no job is killed for a failed link.',
  begin(model, tally) {
    /** Jobs that must be killed at this instant, with the seq of the down record. */
    const owing = new Map<Job, number>()
    const settle = (record: LogRecord): void => {
      for (const [job, down] of owing)
        tally.violated(record, `job ${job.id} is not killed, but a node of the job failed in record ${down}`)
      owing.clear()
    }
    const goesDown = (record: Down): void => {
      for (const node of model.named!.nodes) {
        tally.tested()
        const job = model.holderOf(node)
        if (job?.state === 'running') owing.set(job, record.seq)
      }
    }
    return {
      every(record) {
        if (owing.size > 0 && (model.isPassOver || !follows.has(record.type))) settle(record)
      },
      down: goesDown,
      kill(record) {
        if (record.code !== 'node-down') return
        tally.tested()
        if (model.job !== undefined && !owing.delete(model.job))
          tally.violated(
            record,
            `job ${record.job} is killed for a failed node, but no node of the job fails at this instant`,
          )
      },
    }
  },
}

/** Types of records that may come between the release and the requeue of a killed job. */
const ofRelease: ReadonlySet<LogRecord['type']> = new Set(['route', 'progress', 'seal', 'unknown'])

/** Types of records that may come between a down record and the last kill for this record. */
const follows: ReadonlySet<LogRecord['type']> = new Set(['down', 'up', 'kill', 'release', 'requeue', ...ofRelease])

/** Codes of kills after which a job waits again. */
const mayWaitAgain: ReadonlySet<Kill['code']> = new Set(['reservation', 'node-down', 'unroutable'])

export const requeues: Invariant = {
  name: 'requeues',
  property:
    'If the header has the option `requeue`, each job that is killed for a reservation, a failed node or lost routes is requeued right after its release. No other job is requeued.',
  begin(model, tally) {
    const { requeue: isOption } = model.rules
    /** Code of the latest kill of each job that has not been requeued since this kill. */
    const killCodes = new Map<Job, Kill['code']>()
    /** Job that the next record must requeue, except for records of `ofRelease`. */
    let due: Job | undefined

    const shallWait = (job: Job): boolean => isOption && mayWaitAgain.has(killCodes.get(job)!)
    const missed = (record: LogRecord): void => {
      if (due === undefined || ofRelease.has(record.type) || (record.type === 'requeue' && model.job === due)) return
      tally.violated(record, `job ${due.id} was killed and released, but is not requeued right after its release`)
      due = undefined
    }
    return {
      ...(isOption && { every: missed }),
      kill(record) {
        if (model.job !== undefined) killCodes.set(model.job, record.code)
      },
      release() {
        const { job } = model
        if (job === undefined || !killCodes.has(job)) return
        tally.tested()
        if (shallWait(job)) due = job
      },
      requeue(record) {
        const { job } = model
        // The invariant job-life-cycle checks that the job was killed at all.
        if (job === undefined || !killCodes.has(job)) return
        if (!shallWait(job))
          tally.violated(
            record,
            isOption
              ? `job ${job.id} is requeued, but was killed for ${killCodes.get(job)!}; only jobs killed for reservation, node-down or unroutable are requeued`
              : `job ${job.id} is requeued, but the header does not have the option requeue`,
          )
        else if (job !== due) tally.violated(record, `job ${job.id} is requeued, but not right after its release`)
        due = undefined
        killCodes.delete(job)
      },
    }
  },
}
