import type { Header } from '@cloister/eventlog'
import { explain as explanationOf } from '@cloister/replay'
import { attempt } from '@cloister/run'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { exitCodes, ExitWith, Problem } from '../errors/errors.ts'
import { describeExplanation } from '../log/explanation.ts'
import { concludeReading, headerOf, remarkOnPart, RepeatedReading } from '../log/log-reading.ts'
import { giveMatrices } from '../log/matrices.ts'
import { LogWords } from '../log/log-words.ts'
import { LogMeasurement } from '../log/measurement.ts'
import { describeJobRoutes, jobRoutes, nodePair } from '../log/paths.ts'
import { askedAtMost, findPolicyOfLog, repeatWithReasons, orderOfLog, routerOfLog } from '../log/repetition.ts'
import type { ExplainedJob } from '../results/explain.ts'
import { print, remark } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { counted } from '../terminal/quantities.ts'
import { paragraphs } from '../terminal/table.ts'
import {
  integerFlag,
  jsonFlag,
  logArgument,
  matricesFlag,
  maxQuestionsFlag,
  numberFlag,
  type Options,
  refuseIf,
  orderOfLogFlag,
  routerOfLogFlag,
  textFlag,
  timeFlag,
} from './flags.ts'

const flags = {
  log: logArgument,
  job: textFlag(
    'job',
    'ID',
    'Id of the job in the log, or longest\nlongest is the started job with the longest wait, the job of the line "wait, longest" of cloister metrics.',
  ),
  policy: textFlag(
    'policy',
    'NAME',
    'Policy of the log, as a file or a package\nNeeded if the policy of the log is not built in.',
  ).pipe(Flag.optional),
  router: routerOfLogFlag,
  order: orderOfLogFlag,
  limit: integerFlag(
    'limit',
    'N',
    'Number of rows of each list to print, default: 20\nThe rows are the last N rows of the list. --json prints all rows.',
  ).pipe(Flag.optional),
  from: textFlag(
    'from',
    'NODE',
    'Show the path of messages from this node of the job to --to\nNeeds a log with a router.',
  ).pipe(Flag.optional),
  to: textFlag('to', 'NODE', 'Node of the job at the end of the path of --from').pipe(Flag.optional),
  at: numberFlag('at', 'T', 'Show the routes of the job at T seconds, default: at its last start').pipe(Flag.optional),
  time: timeFlag,
  matrices: matricesFlag,
  maxQuestions: maxQuestionsFlag,
  json: jsonFlag,
}

export const explain = Command.make('explain', flags, (options) => explainJob(options)).pipe(
  Command.withDescription(
    'Tell why a job waited\nShows the places of the job in the queue, the reservations of the job, and the jobs from behind that started earlier. Shows the reason of each failed attempt, the largest job that the policy would have placed instead, and the release that ended the wait. If the log has a router, shows the routes of the job.\nA log written by `cloister simulate --refusals` has the reasons. For a log without reasons the policy runs again. Only a policy that runs again shows the largest job.',
  ),
  Command.withExamples([
    { command: 'cloister explain run.ndjson --job 17', description: 'Tell why job 17 waited' },
    { command: 'cloister explain run.ndjson --job longest', description: 'Tell why the longest wait was so long' },
    {
      command: 'cloister explain run.ndjson --job 17 --from node3 --to node40',
      description: 'Show also the path of messages between two nodes of the job',
    },
    {
      command: 'cloister explain run.ndjson --job 17 --json',
      description: 'Print every reason, reservation and job for scripts',
    },
  ]),
)

const explainJob = Effect.fn(function* ({
  log,
  job: given,
  policy,
  router,
  order,
  limit,
  time,
  matrices,
  maxQuestions,
  json,
  ...options
}: Options<typeof flags>) {
  const shown = yield* rowsShown(limit, json)
  const pair = yield* nodePair(options.from, options.to)
  const reading = new RepeatedReading(log, yield* makeProgress)
  const header = yield* attempt(() => headerOf(reading))
  const words = yield* attempt(() => new LogWords(log, header, time === 'clock'))
  const hasRouteOption = pair !== undefined || Option.isSome(options.at)
  yield* refuseIf(
    header.router === undefined && hasRouteOption,
    `${log}: the log has no router, so the log has no routes; cloister simulate --router writes routes into a log`,
  )
  const ofPart = remarkOnPart(log, header)
  const job = given === 'longest' ? yield* longestWaiter(reading) : given
  const hasRefusals = header.options.refusals === true
  const hasReasons = hasRefusals || header.origin !== 'simulated' || header.part !== undefined
  const whyUnused = hasRefusals
    ? 'the log has the reasons of the policy'
    : 'the policy runs again only for the log of a whole simulation; this log is of a real machine, or a part of a run'
  yield* refuseIf(hasReasons && Option.isSome(policy), `--policy is not needed: ${whyUnused}`)
  yield* refuseIf(hasReasons && Option.isSome(router), `--router is not needed: ${whyUnused}`)
  const whyNoRequest = 'is not needed: no policy gets requests about this log'
  yield* refuseIf(hasReasons && Option.isSome(maxQuestions), `--max-questions ${whyNoRequest}`)
  yield* refuseIf(hasReasons && Option.isSome(matrices), `--matrices ${whyNoRequest}`)
  if (!hasReasons) yield* giveMatrices(reading, header, matrices)
  const asked = yield* askedAtMost(maxQuestions)
  const queueOrder = yield* orderOfLog(header, order)
  const found = hasReasons ? undefined : yield* findPolicyOfLog(header, policy)
  const repetition =
    found &&
    (yield* repeatWithReasons(reading, header, found, job, {
      ...asked,
      ...queueOrder,
      ...(yield* routerOfLog(header, router)),
    }))
  const explanation = yield* attempt(() =>
    explanationOf(() => reading.records(), job, repetition?.reasons, queueOrder.order),
  )
  if (explanation === undefined)
    return yield* new Problem(
      `${log}: the log has no submit record of a job ${JSON.stringify(job)}${
        header.options.queue === 'external' && /[_+]/.test(job)
          ? "; an imported log has the ids in the column JobIDRaw: sacct -j JOB -o JobID,JobIDRaw prints Slurm's two ids"
          : ''
      }`,
    )
  if (ofPart !== undefined) yield* remark(`${ofPart}; the log has no earlier events`)
  const left = runsLeftOut(header)
  if (left > 0)
    yield* remark(
      `${log}: the import left out or joined ${counted(left, 'run')} on shared nodes; "enough nodes were free" may count nodes of such runs as free`,
    )
  const largestOffer = repetition?.largestOffer ?? null
  const differsFrom = repetition?.difference?.seq ?? null
  const compared = repetition?.reasons.compared ?? Infinity
  const reasonsUntil = Number.isFinite(compared) ? compared : null
  const routes =
    header.router &&
    (yield* attempt(() =>
      jobRoutes(
        reading.records(),
        job,
        explanation.ends.findLast(({ type }) => type === 'allocate'),
        Option.getOrUndefined(options.at),
        pair,
      ),
    ))
  const result: ExplainedJob = {
    ...explanation,
    largestOffer,
    differsFrom,
    reasonsUntil,
    ...(routes === undefined ? {} : { routes }),
  }
  yield* print('explain', json, result, () =>
    paragraphs([
      describeExplanation(explanation, words, shown, largestOffer),
      routes === undefined ? undefined : describeJobRoutes(routes, words),
    ]),
  )
  if (reasonsUntil !== null) {
    yield* remark(
      differsFrom === null
        ? `${header.policy.name} decides as in the log, but answers differently from record ${reasonsUntil} on after the further requests for reasons; the reasons why the job did not start are known before record ${reasonsUntil} only`
        : `${header.policy.name} decides differently from the log at record ${differsFrom} (cloister rerun shows the difference); the reasons why the job did not start are known before record ${reasonsUntil} only`,
    )
    return yield* new ExitWith(exitCodes.notWhole)
  }
  yield* concludeReading([reading])
})

/** Returns the number of runs that the import left out or joined because jobs shared nodes; 0 for any other log. */
function runsLeftOut({ x }: Header): number {
  const shared = x?.['shared_nodes']
  const left = typeof shared === 'object' && shared !== null && 'left' in shared ? shared['left'] : 0
  return typeof left === 'number' ? left : 0
}

const longestWaiter = Effect.fnUntraced(function* (reading: RepeatedReading) {
  const measurement = new LogMeasurement()
  yield* attempt(() => {
    for (const record of reading.records()) measurement.add(record)
  })
  const { longestWaiter: job } = yield* attempt(() => measurement.result())
  return job ?? (yield* new Problem(`${reading.path}: --job longest: no job of the log waited before its start`))
})

const rowsShown = Effect.fnUntraced(function* (limit: Option.Option<number>, json: boolean) {
  const rows = Option.getOrElse(limit, () => 20)
  if (rows < 1) return yield* new Problem(`--limit: found ${rows}, expected a whole number from 1`)
  yield* refuseIf(json && Option.isSome(limit), '--limit cannot be used with --json, which prints all rows')
  return rows
})
