import { describeNearest } from '@cloister/eventlog'
import {
  type Accounting,
  changeInWords,
  type Explanation,
  type JobStart,
  type Offer,
  type RateChange,
  type ReservationChange,
  type Wait,
  type WaitingEnd,
  waitInWords,
} from '@cloister/replay'
import { visibleOnOneLine } from '../terminal/output.ts'
import { count, counted, duration, durations } from '../terminal/quantities.ts'
import type { LogWords } from './log-words.ts'
import { type Cell, fields, paragraphs, table } from '../terminal/table.ts'

/** Describes why and how long a job waited. @param limit largest number of rows of each list */
export function describeExplanation(
  explanation: Explanation,
  words: LogWords,
  limit: number,
  largestOffer: Offer | null,
): string {
  const { waits, reservations, overtakenBy, slowed = [] } = explanation
  const tables = [
    waits.length === 0 ? undefined : `Why the job did not start:\n${table(summaryHeading, summaryRows(waits))}`,
    list(
      'Waits in the order of time',
      ['from', 'to'].map(words.heading).concat(waitHeading),
      waits.map((wait) => waitRow(wait, words)),
      limit,
    ),
    list(
      'Reservations of the job',
      ['record', words.heading('t'), 'change', words.heading('start'), 'because'],
      reservations.map((change) => reservationRow(change, words)),
      limit,
    ),
    list(
      'Jobs that started from behind the job',
      ['record', words.heading('t'), 'job', 'nodes', 'backfilled'],
      overtakenBy.map(({ seq, t, job, size, backfilled }) => [
        seq,
        words.time(t),
        job,
        size,
        backfilled ? 'yes' : 'no',
      ]),
      limit,
    ),
    list(
      'Slowdowns of the running job',
      ['record', words.heading('t'), 'rate', 'because'],
      slowed.map((change) => slowedRow(change, words)),
      limit,
    ),
  ]
  return paragraphs([facts(explanation, words, limit, largestOffer), ...tables])
}

function facts(
  {
    job,
    size,
    estimate,
    submitted,
    accounting,
    passes,
    waits,
    turn,
    heads,
    overtakenBy,
    ends,
    stillWaits,
    moves = [],
    lostRoutes = [],
  }: Explanation,
  words: LogWords,
  limit: number,
  largestOffer: Offer | null,
): string {
  const times = passes.head + passes.window + passes.outside + (passes.early ?? 0)
  const waited = waits.reduce((sum, { from, to }) => sum + to - from, 0)
  return fields([
    ['job', `${job}, ${count(size)} nodes${estimate === null ? '' : `, estimate ${estimate} s`}`],
    ['accounting', accounting && describeAccounting(accounting)],
    ['submitted', words.moment(submitted)],
    [
      'waited',
      times === 0 ? 'not at all' : `${duration(waited)}, through ${count(times)} passes: ${standings(passes)}`,
    ],
    [
      'turn',
      turn === undefined
        ? undefined
        : `waited ${duration(turn.forTurn)} for its turn, until all jobs with an earlier recorded start had left the queue, and ${duration(turn.forNodes)} for nodes`,
    ],
    [
      'offered',
      largestOffer === null
        ? undefined
        : `${count(largestOffer.nodes)} of ${count(size)} nodes at a refusal, first at ${words.moment(largestOffer.t)}`,
    ],
    ['heads', heads.length === 0 ? undefined : describeHeads(heads)],
    ...ends.flatMap((end) =>
      describeEnd(
        end,
        waits.findLast(({ to }) => to === end.t),
        words,
        limit,
      ),
    ),
    ['moved', moves.length === 0 ? undefined : describeMoves(moves, words)],
    ['lost routes', lostRoutes.length === 0 ? undefined : describeLosses(lostRoutes, words)],
    ['still waits', stillWaits ? 'at the end of the log' : undefined],
    [
      'overtaken',
      overtakenBy.length === 0
        ? undefined
        : `by ${count(overtakenBy.length)} jobs, ${count(overtakenBy.filter(({ backfilled }) => backfilled).length)} of them backfilled while the job had the reservation`,
    ],
  ])
}

/** Names queue, QOS, reservation, GPUs, priority, array and heterogeneous job, as far as the log has them. */
function describeAccounting(accounting: Accounting): string {
  const { queue, qos, priority, gpus, array, array_task: task, het_job: het, het_offset: offset } = accounting
  const { advance_reservation: reservation } = accounting
  const texts = [
    queue === undefined ? undefined : `queue ${queue}`,
    qos === undefined ? undefined : `QOS ${qos}`,
    reservation === undefined ? undefined : `advance reservation ${reservation}`,
    gpus === undefined ? undefined : counted(gpus, 'GPU'),
    priority === undefined ? undefined : `priority ${count(priority)}`,
    array === undefined ? undefined : `${task === undefined ? 'tasks' : `task ${task}`} of array ${array}`,
    het === undefined ? undefined : `${offset === undefined ? 'all components' : `component ${offset}`} of job ${het}`,
  ]
  return visibleOnOneLine(texts.filter((text) => text !== undefined).join(', '))
}

const startedBy = { main: "by Slurm's main scheduler", backfill: "by Slurm's backfilling", submit: 'at its submission' }

function describeMoves(moves: NonNullable<Explanation['moves']>, words: LogWords): string {
  const named = moves
    .slice(0, 3)
    .map((move) => `for job ${move.for} (record ${move.seq}) to ${words.nodes(move.nodes)}`)
  const rest = moves.length - named.length
  return `${counted(moves.length, 'time')}, ${moves[0].cost} s each: ${named.join('; ')}${rest > 0 ? `; and ${counted(rest, 'more time')}` : ''}`
}

function describeLosses(lost: NonNullable<Explanation['lostRoutes']>, words: LogWords): string {
  const [{ t, reason }] = lost
  const rest = lost.length - 1
  return `at ${words.moment(t)}: ${reason}${rest > 0 ? `; and ${counted(rest, 'more time')}` : ''}`
}

/** Names the jobs that were the longest at the head of the queue. */
function describeHeads(heads: Explanation['heads']): string {
  const longest = heads.slice(0, 3)
  const named = longest.map(({ job, seconds }) => `job ${job} (${duration(seconds)})`).join(', ')
  const rest = heads.length - longest.length
  return `meanwhile ${named}${rest > 0 ? ` and ${counted(rest, 'more job')}` : ''}; see explain --job ${longest[0].job}`
}

function standings({ head, window, outside, early = 0 }: Explanation['passes']): string {
  return [
    ...(head === 0 ? [] : [`${count(head)} as the head of the queue`]),
    ...(window === 0 ? [] : [`${count(window)} in the window`]),
    ...(outside === 0 ? [] : [`${count(outside)} behind the window`]),
    ...(early === 0 ? [] : [`${count(early)} before the submission of a job of an earlier turn`]),
  ].join(', ')
}

function describeEnd(
  end: WaitingEnd,
  last: Wait | undefined,
  words: LogWords,
  limit: number,
): ReadonlyArray<readonly [string, string]> {
  switch (end.type) {
    case 'cancel':
      return [['cancelled', `${words.moment(end.t)} (record ${end.seq})`]]
    case 'reject':
      return [['rejected', `${words.moment(end.t)} (record ${end.seq}): ${end.code}, ${end.constraint}`]]
    case 'allocate':
      return [
        [
          'started',
          `${words.moment(end.t)} (record ${end.seq}) on nodes ${words.nodes(end.nodes)}, ${end.ahead === 0 ? 'as the head of the queue' : `past ${count(end.ahead)} ${end.ahead === 1 ? 'job' : 'jobs'} before it in the queue${words.byOrder}`}${end.startedBy === undefined ? '' : `, ${startedBy[end.startedBy]}`}${end.gpus === undefined ? '' : `, with ${counted(end.gpus, 'GPU')}`}`,
        ],
        ...whatFreed(end, last, words, limit),
      ]
  }
}

function whatFreed(
  { freed, cause }: JobStart,
  last: Wait | undefined,
  words: LogWords,
  limit: number,
): ReadonlyArray<readonly [string, string]> {
  if (last === undefined) return []
  if (freed.length === 0) {
    const pass = `in the pass after ${cause.type}${cause.job === null ? '' : ` of job ${cause.job}`} (record ${cause.seq})`
    const change =
      last.place === 'outside'
        ? 'the job moved into the window'
        : last.place === 'early'
          ? 'the last job of an earlier turn was submitted'
          : `all nodes were free before; the reason ${waitInWords(last)} no longer held`
    return [['freed', `nothing: ${change}, ${pass}`]]
  }
  const rows = freed.slice(0, limit).map(({ job, seq, nodes, links, moves }) => {
    const parts = [
      ...(nodes === '' ? [] : [`nodes ${words.nodes(nodes)}`]),
      ...(links === 0 ? [] : [`${count(links)} links`]),
    ]
    return [
      'freed',
      `by the ${moves === true ? 'move' : 'end'} of job ${job} (record ${seq}): ${parts.join(', ')}`,
    ] as const
  })
  return [
    ...rows,
    ...(freed.length > limit ? [['freed', `by the ends of ${count(freed.length - limit)} more jobs`] as const] : []),
  ]
}

function slowedRow({ seq, t, rate, because }: RateChange, words: LogWords): ReadonlyArray<Cell> {
  const why = because === null ? '' : `${because.change} of job ${because.job} (record ${because.seq})`
  return [seq, words.time(t), `${(rate / 10).toFixed(1)} %`, why]
}

const summaryHeading = ['why', 'passes', 'time']

function summaryRows(waits: ReadonlyArray<Wait>): ReadonlyArray<ReadonlyArray<Cell>> {
  const totals = new Map<string, { passes: number; seconds: number }>()
  for (const wait of waits) {
    const why = waitInWords(wait).replace(/^reservation of job .*/, 'the reservation of another job')
    const total = totals.get(why) ?? { passes: 0, seconds: 0 }
    totals.set(why, { passes: total.passes + wait.passes, seconds: total.seconds + wait.to - wait.from })
  }
  const sorted = [...totals].sort(([, a], [, b]) => b.passes - a.passes)
  const times = durations(sorted.map(([, { seconds }]) => seconds))
  return sorted.map(([why, { passes }], at) => [why, count(passes), times[at]])
}

const waitHeading = ['passes', 'place', 'why', 'at the first refusal']

function waitRow(wait: Wait, words: LogWords): ReadonlyArray<Cell> {
  const { from, to, passes, place, reason } = wait
  return [
    words.time(from),
    words.time(to),
    count(passes),
    place,
    waitInWords(wait),
    reason === null || reason.nearest === null ? '' : describeNearest(reason.nearest),
  ]
}

function reservationRow({ seq, t, change, start, because }: ReservationChange, words: LogWords): ReadonlyArray<Cell> {
  return [seq, words.time(t), change, start === null ? '-' : words.time(start), because.map(changeInWords).join('; ')]
}

function list(
  title: string,
  heading: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  limit: number,
): string | undefined {
  if (rows.length === 0) return undefined
  const before = rows.length - limit
  return `${title}:${before > 0 ? ` the last ${count(limit)} of ${count(rows.length)}` : ''}\n${table(heading, rows.slice(-limit))}`
}
