import { compareLogs, type Header, headerTopology, LogIndexBuilder, type LogRecord, LogState } from '@cloister/eventlog'
import { LogFollower } from '@cloister/eventlog/node'
import { opensmFiles, queriedLog, queries, rowsOf, tableFormats, tables } from '@cloister/exports'
import { auditForged, type Consumers, type ForgedLog, rerunForged } from '@cloister/fuzz'
import { MetricsFold } from '@cloister/metrics'
import { bindPolicy } from '@cloister/placement'
import {
  CapacityOverTime,
  compareDecisions,
  explain,
  fittingSizes,
  largestFit,
  recordedInputs,
  relief,
  whyWaiting,
} from '@cloister/replay'
import { isTagged, type Run } from '@cloister/run'
import { type PolicyQuestions, ViewedRun } from '@cloister/viewer'
import { policyQuestions } from '@cloister/viewer/server'
import { htmlOf, runFormats } from '../../export/formats.ts'
import { describeExplanation } from '../../log/explanation.ts'
import { LogWords } from '../../log/log-words.ts'
import { forwardingOf } from '../../log/moment.ts'

/** All functions that read logs like a command. A tagged error of a function is a refusal of the log, and no fault. */
export const consumers: Consumers = {
  audit: (log) => auditForged(log),
  metrics: ({ records }) => {
    const fold = new MetricsFold()
    for (const record of records) fold.add(record)
    return fold.result()
  },
  state: ({ records, outcome }) => {
    const builder = new LogIndexBuilder()
    for (const record of records) builder.add(record)
    return builder.index(outcome).stateBefore(records.length)
  },
  'state --routes': ({ records, run }) => {
    const state = foldOf(records)
    const { routes, running } = forwardingOf(state)
    for (const file of opensmFiles(state.topology, routes, running.map(({ submit, nodes }) => ({ job: submit.job, nodes })))) text(file.pieces) // prettier-ignore
    return [whyWaiting(state, run.bound.placer, 5, run.runTimes), largestFit(state, run.bound.placer)]
  },
  capacity: ({ records, run: { bound } }) => {
    const overTime = new CapacityOverTime(records[0] as Header, bound.placer, { every: 100, until: 1000, sizes: [2] })
    for (const record of records) overTime.add(record)
    const state = foldOf(records)
    return [overTime.end(), relief(state, bound.placer), fittingSizes(state, bound.placer, { sizes: [1, 4] })]
  },
  diff: ({ records, original }) => [compareLogs(records, original), compareLogs(original, records)],
  ...Object.fromEntries(
    Object.entries(runFormats).map(([to, files]) => [
      `export --to ${to}`,
      ({ records }: ForgedLog) => files.map(({ pieces }) => text(pieces(records))),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(tables).map(([name, { columns, batches }]) => [
      `export --table ${name}`,
      ({ records }: ForgedLog) =>
        Object.values(tableFormats).map((pieces) => text(pieces({ columns, batches: batches(records) }))),
    ]),
  ),
  ...Object.fromEntries(
    queries.map((query) => [
      `query ${query.name}`,
      ({ records }: ForgedLog) => [
        ...rowsOf(
          query,
          queriedLog(() => records),
        ),
      ],
    ]),
  ),
  'export --to html': ({ path, records }) => text(htmlOf('<!--logs-->', path, () => records, undefined, [])),
  'export --to html --from 1 --until 9': ({ path, records }) =>
    text(htmlOf('<!--logs-->', path, () => records, { from: 1, until: 9 }, [])),
  view: ({ path, run }) => viewWhole(path, run),
  'explain --job 1': ({ path, records }) => {
    const explanation = explain(() => records, '1')
    return explanation && describeExplanation(explanation, new LogWords(path, records[0] as Header), 20, null)
  },
  rerun: (log) => rerunForged(log),
  'rerun --policy': ({ records, run }) =>
    compareDecisions(recordedInputs(records), records, run.bound.placer, () => {}, run.runTimes),
}

function foldOf([header, ...records]: ReadonlyArray<LogRecord>): LogState {
  const state = new LogState(header as Header)
  for (const record of records) state.apply(record)
  return state
}

function text(pieces: Iterable<unknown>): string {
  return [...pieces].join('')
}

/** Reads a log file to its end like `cloister view`, and asks the viewer's questions about several states. */
function viewWhole(path: string, run: Run): void {
  const follower = new LogFollower(path)
  try {
    const viewed = readToEnd(follower, run)
    if (viewed !== undefined) askAll(viewed, follower.records)
  } finally {
    follower.close()
  }
}

function readToEnd(follower: LogFollower, run: Run): ViewedRun | undefined {
  let viewed: ViewedRun | undefined
  const add = (records: ReadonlyArray<LogRecord>): void => {
    for (const record of records) {
      if (record.type === 'header')
        viewed = new ViewedRun(record, () => follower.seeker()!, { questions: questionsFor(record, run) })
      viewed!.add(record)
    }
  }
  for (let records = follower.next(); records !== undefined; records = follower.next()) add(records)
  add(follower.finish().records)
  return viewed
}

function questionsFor(header: Header, { found, runTimes }: Run): PolicyQuestions | undefined {
  try {
    return policyQuestions(bindPolicy(found.policy, headerTopology(header), header.policy.config), runTimes)
  } catch (error) {
    if (isTagged(error)) return undefined
    throw error
  }
}

function askAll(viewed: ViewedRun, records: number): void {
  viewed.answer('overview', {})
  viewed.answer('growth', { jobs: 0, spans: 0 })
  viewed.answer('timeline', { from: 0, to: 1000, points: 50 })
  viewed.answer('metrics', {})
  viewed.answer('job', { job: '1' })
  for (const seq of [0, records >> 1, records - 1]) {
    viewed.answer('moment', { seq })
    viewed.answer('record', { seq })
    viewed.answer('why', { seq })
    viewed.answer('step', { seq, by: 'pass', direction: 1 })
  }
  for (const t of [0, 100]) viewed.answer('largest', { t })
}
