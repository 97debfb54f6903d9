import { applyScenario, drawBandwidth, formatScenario, parseScenario, scenarioSpecs } from '@cloister/workload'
import type { Claims } from '@cloister/placement'
import type { ConvertedWorkload } from '@cloister/trace-io'
import { Effect } from 'effect'
import { Flag } from 'effect/cli'
import {
  communicationFlags,
  formatCommunication,
  parseCommunication,
  withCommunication,
} from './communication-option.ts'
import { remark } from './terminal/output.ts'
import { attempt, Problem } from './errors/problem.ts'
import { byCommunication } from './run-times.ts'

/** What is assumed of jobs that the log does not tell. */
export const scenarioFlags = {
  scenario: Flag.String('scenario').pipe(
    Flag.withMetavar('SCENARIO'),
    Flag.withDescription(`How much sooner jobs end where no other disturbs them: ${scenarioSpecs}`),
    Flag.withDefault('none'),
  ),
  bandwidth: Flag.Literals('bandwidth', ['none', 'classes']).pipe(
    Flag.withDescription('Draw the bandwidth that each job wants of every link: 500, 1000, 1500 or 2000 MB/s'),
    Flag.withDefault('none' as const),
  ),
  ...communicationFlags,
}

export interface ScenarioOptions {
  readonly scenario: string
  readonly bandwidth: 'none' | 'classes'
  readonly communication: string
  readonly runTimes: 'fixed' | 'communication'
  readonly seed: number
}

/** The jobs as they run under a policy with these claims, and what the log's header says of it. The workload keeps its name and checksum. */
export const assume = Effect.fnUntraced(function* (
  jobs: ConvertedWorkload,
  { scenario, bandwidth, communication, runTimes, seed }: ScenarioOptions,
  policy: string,
  claims: Claims,
) {
  const parsed = yield* attempt(() => parseScenario(scenario))
  const applied = claims.speedupScenarios ? parsed : ({ kind: 'none' } as const)
  if (applied.kind !== parsed.kind)
    yield* remark(`${policy} claims no speed-up: in scenario ${formatScenario(parsed)} its jobs keep their run times`)
  const scaled = applyScenario(jobs.workload.jobs, applied, seed)
  const drawsBandwidth = bandwidth === 'classes'
  const classes = yield* attempt(() => parseCommunication(communication))
  const communicating = withCommunication(drawsBandwidth ? drawBandwidth(scaled, seed) : scaled, classes, seed)
  if (classes?.kind === 'file' && !communicating.some((job) => job.communication !== undefined))
    return yield* new Problem(`--communication ${communication}: the trace says of no job that it communicates`)
  if (runTimes === 'communication' && classes === undefined)
    return yield* new Problem('--run-times communication: no job communicates; --communication says which do')
  return {
    jobs: { ...jobs, workload: { ...jobs.workload, jobs: communicating } },
    scenario: formatScenario(applied),
    drawsBandwidth,
    communication: classes && formatCommunication(classes),
    runTimes: runTimes === 'communication' ? byCommunication : undefined,
  }
})
