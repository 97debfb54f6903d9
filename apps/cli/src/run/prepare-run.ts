import {
  flagOf,
  ineffectiveOptions,
  loggedOptions,
  prepare,
  type Run,
  type RunSource,
  type RunSpec,
} from '@cloister/run'
import { switchName } from '@cloister/topology'
import { Effect } from 'effect'
import { runInputs } from './inputs.ts'
import { warningOfOverruns } from '../log/assumptions.ts'
import { bandwidthRemark, shareRemark } from '../topology/taper.ts'
import { remark, visibleOnOneLine } from '../terminal/output.ts'
import type { SmallerThanNode } from '@cloister/trace-io'
import { count, counted, percent } from '../terminal/quantities.ts'

/** Loads and checks the inputs of a run, and prints remarks on the inputs for readers of the results. */
export const prepareRun = Effect.fnUntraced(function* (spec: RunSpec, traceDir: string | undefined) {
  const run = yield* prepare(spec).pipe(Effect.provide(runInputs(traceDir)))
  yield* remarkOnRun(run)
  return run
})

/** Prints remarks on the inputs of a run, for readers of the results. */
const remarkOnRun = Effect.fnUntraced(function* (run: Run) {
  const { source, applied, bound, topology, workload } = run
  const warning = warningOfOverruns(applied.overruns, loggedOptions(run).overrun, topology.nodes)
  if (warning !== undefined) yield* remark(warning)
  const bandwidth = bandwidthRemark(bound.policy.name, bound.placer.claims, topology)
  if (bandwidth !== undefined) yield* remark(bandwidth)
  const { scenario } = loggedOptions(run)
  const { shareBandwidth, speedupScenarios } = bound.placer.claims
  if (shareBandwidth !== undefined && speedupScenarios && scenario !== undefined)
    yield* remark(shareRemark(bound.policy.name, shareBandwidth, scenario))
  yield* remarkOnLosses(source)
  if (source.outagesLeftOut !== undefined) yield* remark(source.outagesLeftOut)
  if (
    bound.placer.claims.links === 'shared' &&
    run.outages.some(({ resources }) => resources.links.some((ids) => ids.length > 0))
  ) {
    const leaf = switchName(topology, 0, Math.min(1, topology.leaves - 1))
    yield* remark(
      visibleOnOneLine(
        `links go down, but ${bound.policy.name} claims no links, so jobs across a leaf without uplinks still run in the simulation; a line with "switch":"${leaf}" takes the nodes of ${leaf} down`,
      ),
    )
  }
  const matrices = describeMatrices(run)
  if (matrices !== undefined) yield* remark(visibleOnOneLine(matrices))
  if (applied.estimates === 'requested' && source.withoutWalltime > 0) {
    yield* remark(
      `${count(source.withoutWalltime)} of ${count(source.workload.jobs.length)} jobs have no walltime; the estimate of these jobs is the run time`,
    )
  }
  const unknown =
    run.claims.recorded === true ? [...workload.jobs].filter((job) => job.recordedStart === undefined) : []
  if (unknown.length > 0)
    yield* remark(
      `${counted(unknown.length, 'job')} of the trace ${unknown.length === 1 ? 'has' : 'have'} no recorded start, and get a turn as if started at the submission`,
    )
  for (const { option, reason } of ineffectiveOptions(run))
    yield* remark(`--${flagOf(option)} has no effect: ${reason}`)
})

/** Describes how many communicating jobs have a matrix, in total and by matrix; undefined without `--matrices`. */
function describeMatrices({ matrices, workload: { jobs } }: Run): string | undefined {
  if (matrices === undefined) return undefined
  const communicating = [...jobs].filter(({ communication }) => communication !== undefined)
  const uses = matrices.map(({ matrix: { name, bytes } }) => {
    const having = communicating.filter(({ communication }) => communication!.matrix?.name === name).length
    return { having, text: `${name} (${count(bytes.length)} ranks): ${having === 0 ? 'none' : count(having)}` }
  })
  const having = uses.reduce((sum, use) => sum + use.having, 0)
  return `${count(having)} of ${count(communicating.length)} communicating jobs have a matrix; ${uses.map(({ text }) => text).join(', ')}`
}

/** Prints a remark on the jobs that the reader of a trace left out, and on the values that the reader changed. */
export function remarkOnLosses(source: RunSource): Effect.Effect<void> {
  const { read, skipped, roundedSizes, unknownStatuses, longLines, badLines, workload, lacks = [] } = source
  const reasons = Object.entries(skipped).map(([reason, jobs]) => `${count(jobs)} by ${reason}`)
  const facts = [
    ...(reasons.length === 0 ? [] : [`skipped ${reasons.join(', ')}`]),
    ...(roundedSizes === 0 ? [] : [`${count(roundedSizes)} job sizes rounded up to whole nodes`]),
    ...describeSmaller(source.smallerThanNode),
    ...describeDiffering(source),
    ...(unknownStatuses === 0 ? [] : [`${count(unknownStatuses)} jobs with a status that SWF does not define`]),
    ...(longLines === 0 ? [] : [`${count(longLines)} lines with more than 18 fields, the further fields ignored`]),
    ...describeNodeProcs(source),
    ...lacks,
  ]
  const bad = badLines.first.map(({ message }) => `\n  ${visibleOnOneLine(message)}`)
  const more = badLines.count > bad.length ? `\n  and ${count(badLines.count - bad.length)} more` : ''
  const lost =
    badLines.count === 0 ? '' : `; ${count(badLines.count)} lines without a valid job left out:${bad.join('')}${more}`
  if (facts.length === 0 && lost === '') return Effect.void
  const kept = `${workload.name}: ${count(read)} jobs, ${count(workload.jobs.length)} kept`
  return remark(`${[kept, facts.join('; ')].filter((text) => text !== '').join(', ')}${lost}`)
}

/** Describes the jobs that use only a part of their nodes, and get whole nodes; empty without a job of this kind. */
export function describeSmaller({ jobs, nodeTime }: SmallerThanNode): ReadonlyArray<string> {
  if (jobs === 0) return []
  const [are, take] = jobs === 1 ? ['job is', 'takes'] : ['jobs are', 'take']
  return [`${count(jobs)} ${are} smaller than a node and ${take} whole nodes, ${percent(nodeTime)} of node-time`]
}

/** Describes the jobs whose size depends on `--sizes`; empty if requested and allocated sizes are equal. */
function describeDiffering({ differingSizes: { jobs, taken }, workload }: RunSource): ReadonlyArray<string> {
  if (jobs === 0) return []
  const share = percent(jobs / workload.jobs.length)
  const other = taken === 'requested' ? 'allocated' : 'requested'
  const are = jobs === 1 ? 'job was' : 'jobs were'
  return [
    `${count(jobs)} ${are} allocated another number of nodes than requested (${share}); the run uses the ${taken} sizes, --sizes ${other} uses the ${other} sizes`,
  ]
}

function describeNodeProcs({ nodeProcs }: RunSource): ReadonlyArray<string> {
  if (nodeProcs === undefined) return []
  if (nodeProcs === 'uneven')
    return [
      'a processor counts as a node, because the header of the trace has nodes of several sizes; --procs-per-node sets the number',
    ]
  return [
    `${nodeProcs} processors count as a node, by MaxProcs and MaxNodes in the header of the trace; --procs-per-node sets another number`,
  ]
}
