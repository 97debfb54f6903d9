import { compareLogs, headerTopology, type LogComparison } from '@cloister/eventlog'
import { historyFit, type HistoryFit } from '@cloister/metrics'
import { attempt } from '@cloister/run'
import { Effect } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { exitCodes, ExitWith } from '../errors/errors.ts'
import { concludeReading, RepeatedReading } from '../log/log-reading.ts'
import { LogWords } from '../log/log-words.ts'
import { describeTableDifferences, namedDifferences } from '../log/table-differences.ts'
import { print, remark, visibleOnOneLine } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { count, decimal } from '../terminal/quantities.ts'
import { fields, paragraphs, table } from '../terminal/table.ts'
import { checkAtLeast, integerFlag, jsonFlag, type Options } from './flags.ts'

const flags = {
  a: Argument.String('a').pipe(Argument.withDescription('Event log, plain or .zst')),
  b: Argument.String('b').pipe(Argument.withDescription('Another event log of the same jobs')),
  top: integerFlag(
    'top',
    'N',
    'Number of jobs to list at each end, default: 5\nLists the N jobs whose wait shrank most from a to b, and the N jobs whose wait grew most.',
  ).pipe(Flag.withDefault(5)),
  json: jsonFlag,
}

export const diff = Command.make('diff', flags, (options) => compareLogFiles(options)).pipe(
  Command.withDescription(
    'Compare two runs of the same jobs\nShows the first decision that differs, and the jobs whose wait changed most. If both logs have a router, shows the first different forwarding tables, and the different tables at the end.',
  ),
  Command.withExamples([
    {
      command: 'cloister diff baseline.ndjson jigsaw.ndjson',
      description: 'List the jobs that wait longer or shorter under Jigsaw',
    },
  ]),
)

const compareLogFiles = Effect.fn(function* ({ a, b, top, json }: Options<typeof flags>) {
  yield* checkAtLeast('top', top, 0)
  const readings = [new RepeatedReading(a, yield* makeProgress), new RepeatedReading(b, yield* makeProgress)] as const
  const comparison = yield* attempt(() => compareLogs(readings[0].records(), readings[1].records(), top))
  const [before, after] = comparison.headers
  if (before.workload.sha256 !== after.workload.sha256) {
    const [ofA, ofB] = [before, after].map(({ workload: { name, jobs } }) => `${name} (${count(jobs)} jobs)`)
    const haveSameIds = comparison.jobs.onlyA + comparison.jobs.onlyB === 0
    yield* remark(
      visibleOnOneLine(
        haveSameIds
          ? `the jobs of the two logs have the same ids, but other times or sizes: ${ofA} and ${ofB}`
          : `the two logs have different jobs: ${ofA} and ${ofB}; the comparison takes the jobs with the same id in both logs`,
      ),
    )
  }
  const result = summary(comparison)
  yield* print('diff', json, result, () =>
    describe(comparison, result, [new LogWords(a, before), new LogWords(b, after)]),
  )
  if (comparison.equal === 'times' || comparison.equal === 'different') return yield* new ExitWith(exitCodes.no)
  yield* concludeReading(readings)
})

function summary({ headers, headerFields, equal, divergence, tables, history, ...rest }: LogComparison) {
  const topology = headerTopology(headers[0])
  return {
    a: `${headers[0].policy.name}@${headers[0].policy.version}`,
    b: `${headers[1].policy.name}@${headers[1].policy.version}`,
    equal,
    headerFields,
    divergence: divergence === undefined ? null : { t: divergence.t, a: divergence.a ?? null, b: divergence.b ?? null },
    ...(tables === undefined
      ? {}
      : {
          tables: {
            first:
              tables.first === undefined
                ? null
                : {
                    t: tables.first.t,
                    a: tables.first.a ?? null,
                    b: tables.first.b ?? null,
                    ...namedDifferences(topology, tables.first),
                  },
            atEnd: namedDifferences(topology, tables.atEnd),
          },
        }),
    ...rest,
    change: rest.change ?? null,
    history:
      history === undefined
        ? null
        : { a: historyFit(history.recorded, history.a) ?? null, b: historyFit(history.recorded, history.b) ?? null },
  }
}

const verdicts: Readonly<Record<LogComparison['equal'], string>> = {
  bytes: 'equal to the byte',
  decisions: 'equal in all decisions and times',
  times: 'equal in the start and end of every job, different in allocations',
  different: 'different',
}

function describe(
  { divergence }: LogComparison,
  { a, b, equal, headerFields, jobs, change, history, winners, losers, tables }: ReturnType<typeof summary>,
  [wordsOfA, wordsOfB]: readonly [LogWords, LogWords],
): string {
  const facts = fields([
    ['a', a],
    ['b', b],
    [
      'the logs are',
      equal === 'times' && divergence === undefined
        ? 'equal in all decisions and times, different in forwarding tables'
        : verdicts[equal],
    ],
    ['header', headerFields.length === 0 ? undefined : `different ${headerFields.join(', ')}`],
    [
      'jobs',
      [
        `${count(jobs.both)} in both`,
        ...missing('in a only', jobs.onlyA),
        ...missing('in b only', jobs.onlyB),
        ...missing('start in a only', jobs.startedOnlyA),
        ...missing('start in b only', jobs.startedOnlyB),
      ].join(', '),
    ],
    ['waits in b', `${count(jobs.sooner)} shorter, ${count(jobs.same)} the same, ${count(jobs.later)} longer`],
    [
      'change in wait',
      change === null
        ? undefined
        : `mean ${seconds(change.mean)}, median ${seconds(change.median)}, from ${seconds(change.least)} to ${seconds(change.most)}`,
    ],
    ['history and a', history?.a ? nearness(history.a) : undefined],
    ['history and b', history?.b ? nearness(history.b) : undefined],
    ['first divergence', divergence && `t = ${wordsOfA.moment(divergence.t)}`],
    ['  in a', divergence && wordsOfA.record(divergence.a)],
    ['  in b', divergence && wordsOfB.record(divergence.b)],
  ])
  const named = [...winners, ...losers]
  const jobsWithChange =
    named.length === 0
      ? undefined
      : table(
          ['job', 'nodes', 'wait in a', 'in b', 'change in s'],
          named.map((each) => [each.job, each.size, each.waitA ?? '-', each.waitB ?? '-', signed(each.change ?? 0)]),
        )
  return paragraphs([facts, jobsWithChange, tables && describeTables(tables, wordsOfA)])
}

function describeTables({ first, atEnd }: NonNullable<ReturnType<typeof summary>['tables']>, words: LogWords): string {
  if (first === null) return 'The forwarding tables of the two logs are equal at every moment.'
  const records = [
    ...(first.a === null ? [] : [`record ${first.a.seq} in a`]),
    ...(first.b === null ? [] : [`record ${first.b.seq} in b`]),
  ].join(' and ')
  return paragraphs([
    describeTableDifferences(
      `First different forwarding tables, at t = ${words.moment(first.t)}${records === '' ? '' : `, after ${records}`}`,
      first,
      words,
    ),
    atEnd.entries === 0
      ? 'At the end, the forwarding tables are equal.'
      : describeTableDifferences('Different forwarding tables at the end', atEnd, words),
  ])
}

/** Says how near the waits of a run come to the recorded waits of the same jobs. */
function nearness({ recorded, simulated, meanAbsoluteError, rankCorrelation }: HistoryFit): string {
  const hours = (time: number): string => `${decimal(time / 3600, 2)} h`
  const rank = rankCorrelation === null ? '' : `, rank correlation ${decimal(rankCorrelation, 2)}`
  return `mean wait ${hours(recorded.mean)} recorded, ${hours(simulated.mean)} in the run; mean error ${hours(meanAbsoluteError)}${rank}`
}

function missing(what: string, jobs: number): ReadonlyArray<string> {
  return jobs === 0 ? [] : [`${count(jobs)} ${what}`]
}

function seconds(value: number): string {
  return `${signed(value)} s`
}

function signed(value: number): string {
  return `${value > 0 ? '+' : ''}${decimal(value, 1)}`
}
