import { jobCosts, scaledRunTime } from '@cloister/communication'
import { countingRecorder } from '@cloister/eventlog'
import { type SchedulingRules, simulate } from '@cloister/kernel'
import type { BoundOrder } from '@cloister/ordering'
import { bindPolicy, type BoundPolicy, type Placement, type StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { type Job, mapJobs, type Workload } from '@cloister/workload'
import * as Effect from 'effect/Effect'
import { attempt, type TaggedProblem } from './errors.ts'
import { blamePolicy } from './policy.ts'
import { reference } from './run-times.ts'
import { type FoundPolicy, Policies } from './services.ts'
import type { RunMeanings } from './spec.ts'

/** Communication costs of a job at its start: on the job's own nodes, and on the nodes that slurm-tree would choose. */
interface Costs {
  readonly own: ReadonlyArray<number>
  readonly byDefault: ReadonlyArray<number> | undefined
}

/** Policy of an earlier run. */
export type EarlierPolicy = Pick<Earlier, 'found' | 'bound'>

/** Policy, machine and rules of a run, and the options for costs. */
interface Earlier extends Pick<RunMeanings, 'costsFrom' | 'cost'> {
  readonly rules: SchedulingRules
  readonly newOrder: () => BoundOrder | undefined
  readonly topology: Topology
  readonly found: FoundPolicy
  readonly bound: BoundPolicy<unknown, unknown>
}

/**
 * Returns the workload with the run times of communicating jobs scaled by communication costs in earlier runs (Mishra et
 * al., equation 7). The earlier runs have the same jobs, queue and machine, with unscaled run times and no outages. A job
 * that does not start in an earlier run keeps its run time. `policies` has the policy of each earlier run.
 */
export function scaledByEarlierRuns(
  run: Earlier,
  workload: Workload,
): Effect.Effect<
  { readonly workload: Workload; readonly policies: ReadonlyArray<EarlierPolicy> },
  TaggedProblem,
  Policies
> {
  const { costsFrom, cost } = run
  if (costsFrom === 'none') return Effect.succeed({ workload, policies: [] })
  return Effect.gen(function* () {
    const found = yield* (yield* Policies).find(reference)
    const bound = yield* attempt(() => bindPolicy(found.policy, run.topology, {}), 'costsFrom')
    const byDefault = { found, bound }
    const under = (policy: EarlierPolicy): ReadonlyMap<string, Costs> =>
      costsIn({ ...run, ...policy }, workload, bound.placer.place.bind(bound.placer))
    return yield* attempt(() => {
      const costs = under(run)
      const before = costsFrom === 'two-runs' ? under(byDefault) : undefined
      const jobs = mapJobs(workload.jobs, (job) => {
        const own = costs.get(job.id)
        const old = before === undefined ? own?.byDefault : before.get(job.id)?.own
        if (own === undefined || old === undefined) return job
        return { ...job, runTime: scaledRunTime(job.runTime, job.communication!, own.own, old) }
      })
      const own = { found: run.found, bound: run.bound }
      return { workload: { ...workload, jobs }, policies: before === undefined ? [own] : [own, byDefault] }
    })
  })

  /** Returns the costs of each communicating job that starts in a run without scaled run times, by the job's id. */
  function costsIn(
    { rules, newOrder, topology, found, bound }: Earlier,
    jobsOfRun: Workload,
    placeByDefault: BoundPolicy<unknown, unknown>['placer']['place'],
  ): ReadonlyMap<string, Costs> {
    const costs = new Map<string, Costs>()
    const measure = (state: StateView, { communication }: Job, ranks: ArrayLike<number>): ReadonlyArray<number> =>
      jobCosts(topology, (leaf) => state.communicatingNodesOnLeaf(leaf), communication!, ranks, cost)
    const simulation = {
      ...rules,
      order: newOrder(),
      topology,
      policyName: bound.policy.name,
      placer: bound.placer,
      workload: jobsOfRun,
      recorder: countingRecorder(),
    }
    const { jobs } = jobsOfRun
    const ofStart = (
      at: number,
      state: StateView,
      request: Parameters<typeof placeByDefault>[1],
      placement: Placement,
    ) => {
      const job = jobs.at(at)!
      if (job.communication !== undefined) {
        const slurms = costsFrom === 'one-run' ? placeByDefault(state, request, undefined) : undefined
        costs.set(job.id, {
          own: measure(state, job, placement.ranks ?? placement.nodes),
          byDefault: slurms?.ok === true ? measure(state, job, slurms.nodes) : undefined,
        })
      }
      return { runTime: job.runTime, estimate: undefined }
    }
    blamePolicy(found, 'place', () => simulate(simulation, { estimateOn: undefined, ofStart }))
    return costs
  }
}
