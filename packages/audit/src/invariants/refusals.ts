import type { Refuse, Reject } from '@cloister/eventlog'
import type { Invariant } from '../invariant.ts'
import { type Job, requestOf } from '../cluster/jobs.ts'
import { TOO_MUCH } from '../effort.ts'
import type { ClusterModel } from '../cluster/cluster-model.ts'

const CODE = 'too-few-nodes'

export const tooFewNodes: Invariant = {
  name: CODE,
  property:
    'A job is refused as `too-few-nodes` only if the job requests more nodes than are free. The `nearest` of such a refusal has the number of free nodes and the number of requested nodes. A job is rejected as `too-few-nodes` only if the job requests more nodes than the machine has. Programs before format version 2 counted only the free nodes without a reservation. A refusal of a job by a program before version 2 is accepted if `nearest` has the number of free nodes without a reservation. If the policy does not claim exact sizes, the policy may round sizes up: a refusal or rejection of a job that requests few enough nodes is then an untested claim.',
  begin(model, tally) {
    // A policy that rounds sizes up may need more nodes than the job requests, and no record has the rounded size.
    const isExact = model.header.policy.claims.exact_size
    const { nodes } = model.topology
    const roundsUp = (record: Refuse | Reject, job: Job): void =>
      tally.untested(
        record.type === 'refuse' ? 'refusals' : 'rejections',
        `the ${record.type} of job ${job.id} (record ${record.seq}) has the code ${CODE}, although there are enough nodes for the requested size; the policy may round sizes up, and no record has the rounded size`,
      )
    return {
      refuse(record) {
        const { job, freeNodes } = model
        if (record.code !== CODE && !record.constraint.startsWith(OF_JOB)) model.uncounted++
        if (record.code !== CODE || job === undefined) return
        tally.tested()
        if (countsBesideReservations(record, job.size, model)) return
        const { have = freeNodes, need = job.size } = Object(record.nearest) as { readonly [key: string]: unknown }
        if (have !== freeNodes || need !== job.size)
          tally.violated(
            record,
            `the refusal says that ${JSON.stringify(have)} nodes are free and ${JSON.stringify(need)} are requested, but ${freeNodes} nodes are free and job ${job.id} requests ${job.size}`,
          )
        else if (job.size <= freeNodes && !isExact) roundsUp(record, job)
        else if (job.size <= freeNodes)
          tally.violated(
            record,
            `job ${job.id} requests ${job.size} nodes and is refused as ${CODE}, but ${freeNodes} nodes are free`,
          )
      },
      reject(record) {
        const { job } = model
        if (record.code !== CODE || job === undefined) return
        tally.tested()
        if (job.size > nodes) return
        if (isExact)
          tally.violated(
            record,
            `job ${job.id} requests ${job.size} nodes and is rejected as ${CODE}, but the machine has ${nodes} nodes`,
          )
        else roundsUp(record, job)
      },
    }
  },
}

/** Returns true if `nearest` counts only the free nodes without a reservation, as before format version 2. */
function countsBesideReservations({ nearest }: Refuse, size: number, model: ClusterModel): boolean {
  const { have } = Object(nearest) as { readonly have?: unknown }
  if (model.reservations.size === 0 || typeof have !== 'number' || have >= size) return false
  const reserved = new Set<number>()
  for (const { resources } of model.reservations.values())
    for (const resource of resources) if (model.isFreeNode(resource)) reserved.add(resource)
  return have === model.freeNodes - reserved.size
}

export const rejections: Invariant = {
  name: 'rejections',
  property:
    'A job is rejected with the code `never` and the constraint `machine size` only if the job requests more nodes than the machine has. If the policy does not claim exact sizes, such a rejection of a smaller job is an untested claim. A simulation rejects a job only in the instant of its submit, and rejects there every job that requests more nodes than the machine has. No waiting job is refused with the code `never`: the policy has placed the job on the empty machine, or the job would be rejected.',
  begin(model, tally) {
    const { header, topology } = model
    const isSimulated = header.origin === 'simulated'
    /** Ids of the jobs that were submitted in the present instant and request more nodes than the machine has. */
    let oversized: Array<string> = []
    return {
      afterPass(record) {
        if (oversized.length === 0 || !model.isInstantOver(record)) return
        for (const id of oversized)
          if (model.jobs.get(id)?.state === 'waiting')
            tally.violated(
              record,
              `job ${id} requests more nodes than the machine has (${topology.nodes}), but is not rejected at its submit`,
            )
        oversized = []
      },
      submit(record) {
        if (!isSimulated || record.size <= topology.nodes) return
        tally.tested()
        oversized.push(record.job)
      },
      refuse(record) {
        if (record.code !== 'never') return
        tally.tested()
        tally.violated(
          record,
          `job ${record.job} is refused with the code never, but waits: a job that can never run is rejected at its submit`,
        )
      },
      reject(record) {
        const { job } = model
        if (job === undefined) return
        tally.tested()
        const isOfMachineSize = record.code === 'never' && record.constraint === 'machine size'
        if (!isOfMachineSize && record.code !== CODE) model.uncounted++
        if (isOfMachineSize && job.size <= topology.nodes && !header.policy.claims.exact_size)
          tally.untested(
            'rejections',
            `job ${job.id} (record ${record.seq}) is rejected for the machine size, although the machine has enough nodes for the requested size; the policy may round sizes up, and no record has the rounded size`,
          )
        else if (isOfMachineSize && job.size <= topology.nodes)
          tally.violated(
            record,
            `job ${job.id} requests ${job.size} nodes and is rejected for the machine size, but the machine has ${topology.nodes} nodes`,
          )
        else if (isSimulated && job.submitted !== model.time)
          tally.violated(
            record,
            `job ${job.id} is rejected at ${record.t} s, but was submitted at ${job.submitted / 1000} s`,
          )
      },
    }
  },
}

export const refusalsComplete: Invariant = {
  name: 'refusals-complete',
  property:
    'If the header has the option `refusals`, each job that a scheduling pass tried and that still waits after the pass has a refuse record since its submit. The scheduler tries the head of the queue and, with backfilling, the jobs of the window.',
  begin(model, tally) {
    if (!model.rules.refusals) return 'the header does not have the option refusals, so the log has no refuse records'
    const { backfill: discipline, window = 0, reservation } = model.rules.queue
    /** True if a placement may be too slow for the plan of conservative backfilling, without a refusal of the policy. */
    const mayBeTooSlow = (): boolean =>
      discipline === 'conservative' && model.rules.runTimes === 'communication' && model.areRunTimesVaried
    /** Number of the latest instant in which nodes failed. */
    let failedIn = -1
    /**
     * True if the plan may hold a job back without a refusal: the counts of conservative backfilling with movable
     * reservations count a node twice if a reservation begins while a job beyond its estimate holds the node, or if a
     * node fails and a later job of the queue still has a reservation on the node.
     */
    const mayBeCountedTwice = (): boolean =>
      discipline === 'conservative' &&
      reservation === 'movable' &&
      (failedIn >= model.instant - 1 ||
        Array.from(model.holders.values()).some(
          (holder) => (model.estimatedEnd(holder) ?? Infinity) <= model.previousTime,
        ))
    const refused = new Set<Job>()
    /** Number of jobs that the present scheduling pass has started ahead of the head. */
    let advanced = 0
    return {
      afterPass(record) {
        if (!model.isWholePassOver) return
        // Except under conservative backfilling, the window has the jobs behind the head when the pass began.
        const behindHead = discipline === 'counting' ? 0 : window - advanced
        const tried = discipline === 'conservative' ? window : Math.max(1, 1 + behindHead)
        advanced = 0
        let isCountedTwice: boolean | undefined
        for (const job of model.queue.first(tried)) {
          tally.tested()
          if (!model.effort.allows(1)) return tally.violated(record, TOO_MUCH)
          if (refused.has(job)) continue
          // The holders are looked at once a pass, because a hostile log may have many holders and many waiting jobs.
          if (isCountedTwice === undefined && !model.effort.allows(model.holders.size))
            return tally.violated(record, TOO_MUCH)
          isCountedTwice ??= mayBeCountedTwice()
          if (isCountedTwice) {
            // The plan may keep the reservation of the job without a further question to the policy.
            model.countedTwice++
            refused.add(job)
            continue
          }
          if (mayBeTooSlow())
            return tally.untested(
              'runTimes',
              `job ${job.id} waits without a refuse record; only the policy slurm-tree can tell whether its placement was too slow for the plan of conservative backfilling`,
            )
          tally.violated(
            record,
            `the scheduling pass at ${model.previousTime / 1000} s did not start job ${job.id}, but the log has no refuse record of the job`,
          )
          return
        }
      },
      down() {
        failedIn = model.instant
      },
      refuse() {
        if (model.job !== undefined) refused.add(model.job)
      },
      allocate() {
        if (model.job !== model.queue.head) advanced++
      },
    }
  },
}

export const refusalsHold: Invariant = {
  name: 'refusals-hold',
  property:
    'If the policy claims `monotone`, and refuses a job with all free nodes and links, no job with an equal request starts before nodes or links become free, except on a reservation.',
  begin(model, tally) {
    if (!model.header.policy.claims.monotone) return 'the policy does not claim to be monotone'
    /** Seq of the latest refusal of each request since nodes or links became free. */
    const refused = new Map<string, number>()
    const forget = (): void => refused.clear()
    return {
      release: forget,
      up: forget,
      refuse(record) {
        const isOfPolicy = !record.constraint.startsWith(OF_JOB) && !model.isBeforePart
        if (isOfPolicy && model.job !== undefined) refused.set(requestOf(model.job), record.seq)
      },
      allocate(record) {
        const { job } = model
        if (refused.size === 0 || job === undefined || job.reservation !== undefined) return
        tally.tested()
        const earlier = refused.get(requestOf(job))
        if (earlier !== undefined)
          tally.violated(
            record,
            `job ${job.id} starts, but record ${earlier} refuses an equal request, and no node or link has become free since`,
          )
      },
    }
  },
}

export const refusalReservations: Invariant = {
  name: 'refusal-reservations',
  property:
    'A job is refused for the reservation of a second job only while this reservation is in force. The `nearest` of such a refusal has the start of the reservation and, unless run times depend on communication, the end of the refused job by its estimate.',
  begin(model, tally) {
    const hasEnds = model.rules.runTimes !== 'communication'
    return {
      refuse(record) {
        const { start, end } = Object(record.nearest) as { readonly [key: string]: unknown }
        if (model.job === undefined || !record.constraint.startsWith(OF_JOB) || typeof start !== 'number') return
        tally.tested()
        const reservation = model.jobs.get(record.constraint.slice(OF_JOB.length))?.reservation
        const expected = model.job.estimate === undefined ? undefined : (model.time + model.job.estimate) / 1000
        if (reservation === undefined)
          tally.violated(record, `the job is refused for the ${record.constraint}, but this job has no reservation`)
        else if (Math.round(start * 1000) !== reservation.start)
          tally.violated(
            record,
            `the refusal says that the ${record.constraint} starts at ${start} s, but record ${reservation.seq} has the start ${reservation.start / 1000}`,
          )
        else if (hasEnds && end !== expected)
          tally.violated(
            record,
            `the refusal says that the job ends at ${JSON.stringify(end)} s, but its estimate ends at ${expected} s`,
          )
      },
    }
  },
}

/** First words of the constraint of a refusal because of a reservation; the id of the reserved job follows. */
const OF_JOB = 'reservation of job '
