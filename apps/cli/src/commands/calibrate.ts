import { drawFigure, ecdfFigure } from '@cloister/figures'
import { attempt, prepare, type Run, Traces } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { Problem } from '../errors/errors.ts'
import { checkOutputs } from '../files/outputs.ts'
import { emptyDocument } from '../plot/document.ts'
import { writePicture } from '../plot/picture-files.ts'
import type { CandidateFit, Unexplained } from '../results/calibrate.ts'
import type { ResultOf } from '../results/results.ts'
import {
  fitOfCandidate,
  fitsByGroup,
  groupings,
  historyOf,
  type RecordedHistory,
  simulateCandidates,
  unexplained,
} from '../run/calibration.ts'
import { runInputs } from '../run/inputs.ts'
import { remarkOnLosses } from '../run/prepare-run.ts'
import { runFlags, traceArgument, traceDirFlag } from '../run/run-flags.ts'
import { specOfFlags } from '../run/spec-of-flags.ts'
import { print, visibleOnOneLine } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { count, counted, decimal, duration, percent } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'
import { forceFlag, jsonFlag, type Options, refuseIf, textFlag } from './flags.ts'

const CANDIDATES = 'fcfs easy:50 easy:50/wfp easy:50/fair-share conservative:50 fcfs/recorded'

const flags = {
  trace: traceArgument,
  topology: runFlags.topology,
  filter: runFlags.filter,
  procsPerNode: runFlags.procsPerNode,
  sizes: runFlags.sizes,
  skipBadLines: runFlags.skipBadLines,
  arrivesWhen: runFlags.arrivesWhen,
  timeZone: runFlags.timeZone,
  columns: runFlags.columns,
  estimates: runFlags.estimates,
  overrun: runFlags.overrun,
  policy: textFlag('policy', 'NAME', 'Placement policy of all candidates, default: baseline').pipe(Flag.optional),
  candidates: textFlag(
    'candidates',
    'LIST',
    `Queue disciplines and orders to simulate, separated by spaces\nDefault: ${CANDIDATES}. A candidate is a value of --queue, and for another order than submission a slash and a value of --order. An order exec:COMMAND extends to the end of LIST. The option can be repeated.`,
  ).pipe(Flag.atLeast(0)),
  by: Flag.Literals('by', groupings).pipe(
    Flag.withDescription('Add mean waits for each size, queue, user, account or month'),
    Flag.optional,
  ),
  traceDir: traceDirFlag,
  out: textFlag('out', 'FILE.svg', 'Picture to write: distributions of recorded and simulated waits').pipe(
    Flag.optional,
  ),
  force: forceFlag,
  json: jsonFlag,
}

export const calibrate = Command.make('calibrate', flags, (options) => calibrateTrace(options)).pipe(
  Command.withDescription(
    'Compare simulations of a real history with its waits\nThe trace needs recorded waits, as a job log or the event log of a real machine has. The order recorded takes the jobs in the order of their recorded starts, so its error comes from placement, run times and nodes alone.',
  ),
  Command.withExamples([
    {
      command: 'cloister calibrate KTH-SP2-1996-2.1-cln.swf.gz --topology "pgft:2;10,10;1,10;1,1"',
      description: 'Compare six candidates with the history of KTH-SP2',
    },
    {
      command: 'cloister calibrate real.ndjson --topology slurm:topology.conf --by queue --json',
      description: 'Compare by queue, as JSON',
    },
  ]),
)

interface Candidate {
  readonly candidate: string
  readonly queue: string
  readonly order: string
}

const calibrateTrace = Effect.fn(function* (given: Options<typeof flags>) {
  const candidates = yield* candidatesOf(given.candidates.length === 0 ? [CANDIDATES] : given.candidates)
  const disk = yield* Files
  const outputs = Option.toArray(given.out)
  yield* refuseIf(
    outputs.some((path) => !path.endsWith('.svg')),
    `--out: found ${outputs[0]}, expected a name that ends in .svg; cloister plot writes other formats`,
  )
  yield* attempt(() => checkOutputs(disk, outputs, { force: given.force, inputs: [given.trace] }))
  const runs = yield* prepareAll(given, candidates)
  const [first] = runs
  yield* remarkOnLosses(first.source)
  const history = historyOf(first)
  if (!history.waits.some((wait) => wait >= 0))
    return yield* new Problem(
      `${given.trace}: found no recorded wait, expected a job log with waits, or the event log of a real machine`,
    )
  const progress = yield* makeProgress
  const names = candidates.map(({ candidate }) => candidate)
  const simulated = yield* attempt(() => simulateCandidates(runs, names, progress))
  const fits: Array<Candidate & CandidateFit> = []
  for (const [at, jobs] of simulated.entries()) {
    const fit = fitOfCandidate(history, jobs)
    if (fit === undefined)
      return yield* new Problem(
        `${candidates[at].candidate}: no job of ${given.trace} starts on ${first.topology.name}, a machine of ${counted(first.topology.nodes, 'node')}; --topology takes the machine of the trace, and --procs-per-node the processors of a node`,
      )
    fits.push({ ...candidates[at], ...fit })
  }
  const by = Option.getOrUndefined(given.by)
  const epoch = first.source.workload.epoch
  const result = {
    workload: first.source.workload.name,
    topology: first.topology.name,
    nodes: first.topology.nodes,
    policy: `${first.bound.policy.name}@${first.bound.policy.version}`,
    estimates: first.applied.estimates,
    candidates: fits,
    unexplained: unexplained(history, first),
    ...(by !== undefined && { by, groups: fitsByGroup(history, simulated, by, epoch) }),
  }
  for (const path of outputs) {
    const waits = [history.waits, ...simulated.map((jobs) => jobs.waits)]
    const picture = drawFigure(
      yield* emptyDocument,
      { width: 760, height: 340 },
      waitsFigure(['recorded', ...names], waits, history),
    )
    yield* writePicture(path, picture, given.force ? 'overwrite' : 'refuse')
  }
  yield* print('calibrate', given.json, result, () => describe(result))
})

/** Reads lists of candidates. The command of a program may have spaces, and ends with the list. */
const candidatesOf = Effect.fnUntraced(function* (lists: ReadonlyArray<string>) {
  const candidates = lists
    .flatMap((list) => list.match(/[^\s/]+\/exec:.*\S|\S+/gs) ?? [])
    .map((candidate): Candidate => {
      const slash = candidate.indexOf('/')
      const [queue, order] = slash < 0 ? [candidate, 'submit'] : [candidate.slice(0, slash), candidate.slice(slash + 1)]
      return { candidate, queue, order }
    })
  if (candidates.length === 0)
    return yield* new Problem("--candidates: found no candidate, expected a list such as 'fcfs easy:50/wfp'")
  return candidates
})

/** Prepares a run for each candidate. The trace is read once. */
const prepareAll = Effect.fnUntraced(function* (given: Options<typeof flags>, candidates: ReadonlyArray<Candidate>) {
  const folder = Option.getOrUndefined(given.traceDir)
  const prepared = Effect.gen(function* () {
    const { load } = yield* Traces
    let loaded: Effect.Effect<Effect.Success<ReturnType<typeof load>>> | undefined
    const once: typeof load = (...of) =>
      loaded ?? Effect.tap(load(...of), (trace) => Effect.sync(() => (loaded = Effect.succeed(trace))))
    const runs: Array<Run> = []
    for (const { queue, order } of candidates) {
      const spec = yield* specOfFlags({
        ...given,
        trace: Option.some(given.trace),
        policy: Option.some(Option.getOrElse(given.policy, () => 'baseline')),
        arrivals: Option.some('trace'),
        queue: Option.some(queue),
        order: Option.some(order),
      })
      runs.push(yield* prepare(spec).pipe(Effect.provideService(Traces, { load: once })))
    }
    return runs
  })
  return yield* prepared.pipe(Effect.provide(runInputs(folder)))
})

function waitsFigure(
  names: ReadonlyArray<string>,
  waits: ReadonlyArray<Float64Array>,
  { sizes }: RecordedHistory,
): ReturnType<typeof ecdfFigure> {
  const runs = names.map((name, at) => ({ name, sizes: Array.from(sizes), values: Array.from(waits[at]) }))
  return ecdfFigure(runs, { label: 'wait, hours', unit: 3600, isTime: true })
}

/** Returns times of a column in hours, because the rows of a table have times from seconds to days. */
function inHours(seconds: ReadonlyArray<number | null>): ReadonlyArray<string> {
  return seconds.map((each) => (each === null ? '-' : decimal(each / 3600, 2)))
}

/** Greatest number of groups in the table for people. */
const LISTED = 20

function describe(result: ResultOf<'calibrate'>): string {
  const { workload, topology, nodes, policy, estimates, candidates, by, groups = [] } = result
  const [{ jobs, recorded }] = candidates
  const fits = table(
    [
      'candidate',
      'jobs',
      'mean wait, h',
      'median, h',
      'mean error, h',
      'within 5 min',
      'rank correlation',
      'utilization error',
    ],
    candidates.map((fit) => [
      visibleOnOneLine(fit.candidate),
      count(fit.jobs),
      ...inHours([fit.simulated.mean, fit.simulated.median, fit.meanAbsoluteError]),
      percent(fit.withinFiveMinutes),
      fit.rankCorrelation === null ? '-' : decimal(fit.rankCorrelation, 2),
      `${decimal(100 * fit.utilizationError, 1)} points`,
    ]),
  )
  const shown = groups.slice(0, LISTED)
  const byGroup =
    by === undefined
      ? []
      : [
          table(
            [by, 'jobs', 'recorded wait, h', ...candidates.map(({ candidate }) => visibleOnOneLine(candidate))],
            shown.map((each) => [
              visibleOnOneLine(each.group),
              count(each.jobs),
              ...inHours([each.recorded, ...each.simulated]),
            ]),
          ),
          ...(groups.length > shown.length ? [`and ${count(groups.length - shown.length)} more; --json has all`] : []),
        ]
  const head = `${visibleOnOneLine(workload)}: ${counted(jobs, 'job')} on ${visibleOnOneLine(topology)} (${count(nodes)} nodes), ${policy}, ${estimates} estimates\nrecorded waits: mean ${duration(recorded.mean)}, median ${duration(recorded.median)}`
  return [head, fits, ...byGroup, restOf(result.unexplained, nodes)].join('\n\n')
}

/** Returns sentences about the waits that no candidate explains. */
function restOf(rest: Unexplained, nodes: number): string {
  const { waited, besideIdleNodes: idle, askedForGpus, byQueue, mostNodes, leftOut, outages, meanDown } = rest
  const share = waited.hours === 0 ? 0 : idle.hours / waited.hours
  const queues = byQueue
    .slice(0, 3)
    .map(({ queue, hours }) => `queue ${visibleOnOneLine(queue)} ${percent(idle.hours === 0 ? 0 : hours / idle.hours)}`)
  return [
    'What no queue order explains:',
    `- ${counted(idle.jobs, 'job')} of the ${count(waited.jobs)} with a wait above 5 minutes waited beside enough idle nodes all the time: ${percent(share)} of the hours. Limits of queues and users, holds, ${outages === 0 ? 'nodes that were down, ' : ''}and jobs outside of the trace cause these waits.`,
    ...(askedForGpus.jobs === 0
      ? []
      : [
          `- ${percent(askedForGpus.hours / idle.hours)} of the hours beside idle nodes are of ${counted(askedForGpus.jobs, 'job')} that asked for GPUs. The trace does not say which GPUs were free.`,
        ]),
    ...(queues.length === 0 ? [] : [`- Hours of waits beside idle nodes by queue: ${queues.join(', ')}.`]),
    `- The jobs of the trace used at most ${count(mostNodes)} of ${count(nodes)} nodes at a time.`,
    ...(leftOut === 0
      ? []
      : [
          `- ${counted(leftOut, 'job')} of the trace ${leftOut === 1 ? 'is' : 'are'} left out, and the nodes of ${leftOut === 1 ? 'this job' : 'these jobs'} count as idle.`,
        ]),
    outages === 0
      ? '- The trace does not say which nodes were down.'
      : `- The trace has ${counted(outages, 'failure or repair', 'failures and repairs')}, and the simulations have the same failures. On average ${decimal(meanDown, 1)} of ${count(nodes)} nodes were down; nodes that are down do not count as idle.`,
  ].join('\n')
}
