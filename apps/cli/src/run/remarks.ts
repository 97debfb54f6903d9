import type { Header } from '@cloister/eventlog'
import { formatScenario, parseScenario } from '@cloister/workload'
import {
  decidesResults,
  drawsBySeed,
  holdsUpOthers,
  loggedOptions,
  optionOf,
  type Run,
  type RunSource,
  shareOfNodeTime,
} from '@cloister/run'
import { Effect } from 'effect'
import { bandwidthRemark } from '../topology/taper.ts'
import { remark, visibleOnOneLine } from '../terminal/output.ts'
import type { SmallerThanNode } from '@cloister/trace-io'
import { count, decimal, duration, percent } from '../terminal/quantities.ts'

/** Prints remarks on the inputs of a run, for readers of the results. */
export const remarkOnRun = Effect.fnUntraced(function* (run: Run) {
  const { source, options, applied, bound, topology } = run
  const warning = warningOfOverruns(applied.overruns, loggedOptions(run).overrun, topology.nodes)
  if (warning !== undefined) yield* remark(warning)
  const bandwidth = bandwidthRemark(bound.policy.name, bound.placer.claims, topology)
  if (bandwidth !== undefined) yield* remark(bandwidth)
  yield* remarkOnLosses(source)
  if (source.outagesLeftOut !== undefined) yield* remark(source.outagesLeftOut)
  const matrices = describeMatrices(run)
  if (matrices !== undefined) yield* remark(visibleOnOneLine(matrices))
  if (applied.estimates === 'requested' && source.withoutWalltime > 0) {
    yield* remark(
      `${count(source.withoutWalltime)} of ${count(source.workload.jobs.length)} jobs have no estimate; their run time is taken for it`,
    )
  }
  if (options.seed !== optionOf('seed').byDefault && !drawsBySeed(options, parseScenario(applied.scenario)))
    yield* remark(
      'the seed changes nothing: no scenario, bandwidth or communication is drawn, and the run is the same with any; --resample weeks:SEED makes replicates of a real log',
    )
  if (applied.estimates === 'exact' && ['clamp', 'extend'].includes(options.overrun))
    yield* remark(
      `--overrun ${options.overrun} changes nothing: run times are known (--estimates exact), and no job outlives them`,
    )
  const scenario = formatScenario(options.scenario)
  if (scenario !== applied.scenario)
    yield* remark(`${bound.policy.name} claims no speed-up: in scenario ${scenario} its jobs keep their run times`)
})

/** Counts the communicating jobs with a matrix, in total and by matrix. Returns undefined if no matrices are given. */
function describeMatrices({ matrices, workload: { jobs } }: Run): string | undefined {
  if (matrices === undefined) return undefined
  const communicating = jobs.filter(({ communication }) => communication !== undefined)
  const uses = matrices.map(({ matrix: { name, bytes } }) => {
    const having = communicating.filter(({ communication }) => communication!.matrix?.name === name).length
    return { having, text: `${name} (${count(bytes.length)} ranks): ${having === 0 ? 'none' : count(having)}` }
  })
  const having = uses.reduce((sum, use) => sum + use.having, 0)
  return `${count(having)} of ${count(communicating.length)} jobs that communicate have a matrix; ${uses.map(({ text }) => text).join(', ')}`
}

/** Returns a warning about jobs far beyond their estimates, if the rule for these jobs decides the results. */
export function warningOfOverruns(
  overruns: Header['overruns'],
  treatment: Header['options']['overrun'],
  nodes: number,
): string | undefined {
  if (overruns === undefined || !decidesResults(overruns, nodes)) return undefined
  const { jobs, longest_seconds: longest } = overruns
  const one = holdsUpOthers(overruns, nodes) ? `; one of them can hold up all others for ${duration(longest!)}` : ''
  return `WARNING: ${count(jobs)} ${jobs === 1 ? 'job outlives its' : 'jobs outlive their'} user's estimate, by ${decimal(100 * shareOfNodeTime(overruns), 1)} % of all node-time; results depend on what becomes of them (--overrun ${treatment ?? 'kill'})${one}`
}

/** Prints a remark on jobs left out of a trace, and on changed values. */
export function remarkOnLosses(source: RunSource): Effect.Effect<void> {
  const { read, skipped, roundedSizes, unknownStatuses, longLines, badLines, workload } = source
  const reasons = Object.entries(skipped).map(([reason, jobs]) => `${count(jobs)} by ${reason}`)
  const facts = [
    ...(reasons.length === 0 ? [] : [`skipped ${reasons.join(', ')}`]),
    ...(roundedSizes === 0 ? [] : [`${count(roundedSizes)} sizes rounded up to whole nodes`]),
    ...describeSmaller(source.smallerThanNode),
    ...describeDiffering(source),
    ...(unknownStatuses === 0 ? [] : [`${count(unknownStatuses)} with a status that SWF does not know`]),
    ...(longLines === 0 ? [] : [`${count(longLines)} lines with more than 18 fields, the others passed over`]),
    ...describeNodeProcs(source),
  ]
  const bad = badLines.first.map(({ message }) => `\n  ${visibleOnOneLine(message)}`)
  const more = badLines.count > bad.length ? `\n  and ${count(badLines.count - bad.length)} more` : ''
  const lost = badLines.count === 0 ? '' : `; ${count(badLines.count)} bad lines left out:${bad.join('')}${more}`
  if (facts.length === 0 && lost === '') return Effect.void
  const kept = `${workload.name}: ${count(read)} jobs, ${count(workload.jobs.length)} kept`
  return remark(`${[kept, facts.join('; ')].filter((text) => text !== '').join(', ')}${lost}`)
}

/** Describes jobs smaller than a node, but placed on whole nodes; empty without such jobs. */
export function describeSmaller({ jobs, nodeTime }: SmallerThanNode): ReadonlyArray<string> {
  if (jobs === 0) return []
  const [are, take] = jobs === 1 ? ['job is', 'takes'] : ['jobs are', 'take']
  return [`${count(jobs)} ${are} smaller than a node and ${take} whole nodes, ${percent(nodeTime)} of node-time`]
}

/** Counts the jobs with a size that depends on `--sizes`; empty without such jobs. */
function describeDiffering({ differingSizes: { jobs, taken }, workload }: RunSource): ReadonlyArray<string> {
  if (jobs === 0) return []
  const share = percent(jobs / workload.jobs.length)
  const other = taken === 'requested' ? 'allocated' : 'requested'
  const are = jobs === 1 ? 'job was' : 'jobs were'
  return [
    `${count(jobs)} ${are} allocated other numbers of nodes than requested (${share}); sizes are those ${taken}, --sizes ${other} takes the others`,
  ]
}

function describeNodeProcs({ nodeProcs }: RunSource): ReadonlyArray<string> {
  if (nodeProcs === undefined) return []
  if (nodeProcs === 'uneven')
    return ['a processor taken for a node, as the machine of the header has nodes of several sizes: --procs-per-node']
  return [`${nodeProcs} processors taken for a node, as MaxProcs and MaxNodes of the header say: else --procs-per-node`]
}
