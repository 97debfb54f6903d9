import {
  describeOutcome,
  headerTopology,
  type Header,
  type LogOutcome,
  type LogRecord,
  type LogSeeker,
  type LogState,
  RunTable,
  type StoredTable,
} from '@cloister/eventlog'
import {
  JobColumns,
  type StoredTimeline,
  type Metrics,
  MetricsFold,
  Timeline,
  timelineFigures,
} from '@cloister/metrics'
import { queries as builtIn, type Query } from '@cloister/exports'
import { explain } from '@cloister/replay'
import { type AreaAnswer, areaAnswer, type AreaQuestion } from './area.ts'
import { JobList } from './job-list.ts'
import { growthOf, OutageTable, type StoredOutages } from './job-chart.ts'
import { type StoredLinkUse, LinkUse } from './link-use.ts'
import { momentOf } from './moment.ts'
import { MomentSender, type Packed } from './messages.ts'
import type {
  At,
  FaultRecord,
  Overview,
  PointsQuestion,
  PolicyQuestionName,
  QuestionName,
  Questions,
  RecordView,
  RoutesAnswer,
  RoutesQuestion,
  WholeWhy,
  Why,
} from './questions.ts'
import { QueryAnswers } from './queries.ts'
import { offeredTables, tableFile } from './tables.ts'
import { policyAnswer, type PolicyQuestions, reasonsInLog } from './reasons.ts'
import { RoutesAnswers } from './routes.ts'
import { lifeOf, viewOf, type StoredChains, RecordChains } from './record-chains.ts'

/** Greatest number of records that are applied to the last asked state, instead of a new state from a snapshot. */
const STEPPED = 8192
/** Greatest number of points of a timeline: more than the width of any screen in pixels. */
const MAX_POINTS = 8192
/** Greatest number of records of one instant that are searched for changes of the forwarding tables. */
const INSTANT = 1000
/** Greatest number of fault records in an answer to the question `overview`. */
const MAX_FAULTS = 20

/** Status of a log and of its reading; the fields are described in `Overview`. */
export type ReadingStatus = Pick<Overview, 'status' | 'message' | 'broken' | 'progress'>

/** Collected data of a `ViewedRun`, to be stored: to load them takes under a second, to read a large log a minute. */
export interface StoredRun {
  readonly table: StoredTable
  readonly outages: StoredOutages
  readonly chains: StoredChains
  readonly timeline: StoredTimeline
  readonly linkUse: StoredLinkUse
  readonly metrics: Metrics
  readonly faults: ReadonlyArray<FaultRecord>
  readonly t: number
  readonly first: number
}

/** Collects the records of a run, and answers the page's questions about the records collected so far. */
export class ViewedRun {
  readonly #header: Header
  readonly #generation: number
  readonly #nodes: number
  readonly #questions: PolicyQuestions | undefined
  /** Returns a seeker of the states after the records so far; for a log with an index, of all states. */
  readonly #seeker: () => LogSeeker
  readonly #table: RunTable
  readonly #outages: OutageTable
  readonly #chains: RecordChains
  readonly #list: JobList
  readonly #timeline: Timeline
  readonly #sender = new MomentSender()
  readonly #linkUse: LinkUse
  readonly #metrics: Pick<MetricsFold, 'add' | 'result'>
  #faults: ReadonlyArray<FaultRecord>
  #t: number
  /** First record whose state is known, as in `Overview`. */
  #first: number
  #lastState: LogState | undefined
  readonly #routes = new RoutesAnswers()
  readonly #queries: QueryAnswers
  status: ReadingStatus = { status: 'reading', message: null, broken: null, progress: 0 }

  constructor(
    header: Header,
    seeker: () => LogSeeker,
    {
      generation = 0,
      questions,
      queries = builtIn,
      stored,
    }: {
      readonly generation?: number
      readonly questions?: PolicyQuestions | undefined
      readonly queries?: ReadonlyArray<Query>
      readonly stored?: StoredRun
    } = {},
  ) {
    this.#header = header
    this.#seeker = seeker
    this.#generation = generation
    this.#nodes = headerTopology(header).nodes
    this.#questions = questions
    this.#queries = new QueryAnswers(queries)
    this.#table = new RunTable({ details: true, allocations: true }, undefined, stored?.table)
    this.#outages = new OutageTable(stored?.outages)
    this.#chains = new RecordChains(stored?.chains)
    if (stored !== undefined) this.#table.add(header)
    this.#list = new JobList(new JobColumns(this.#table))
    this.#timeline = new Timeline(header, stored?.timeline)
    this.#linkUse = new LinkUse(header, stored?.linkUse)
    this.#metrics =
      stored === undefined ? new MetricsFold({ table: this.#table }) : { add: () => {}, result: () => stored.metrics }
    this.#faults = stored?.faults ?? []
    this.#t = stored?.t ?? 0
    this.#first = stored?.first ?? 0
  }

  /**
   * Data collected so far, without copies: records that are added later may change the arrays.
   *
   * @throws InvalidLogError if the records contradict each other
   */
  get stored(): StoredRun {
    return {
      table: this.#table.stored,
      outages: this.#outages.stored,
      chains: this.#chains.stored,
      timeline: this.#timeline.stored,
      linkUse: this.#linkUse.stored,
      metrics: this.#metrics.result(),
      faults: this.#faults,
      t: this.#t,
      first: this.#first,
    }
  }

  /** Adds the next record of the log. The first call adds the header. */
  add(record: LogRecord): void {
    this.#metrics.add(record)
    this.#outages.add(record)
    this.#linkUse.add(record)
    this.#chains.add(record, 'job' in record ? this.#table.numbers.get(record.job)! : -1)
    this.#timeline.add(record)
    if (record.type === 'fault') this.#faults = [...this.#faults, record].slice(-MAX_FAULTS)
    if (!('t' in record)) return
    this.#t = record.t
    if (record.t < (this.#header.part?.from ?? 0)) this.#first = record.seq
  }

  /**
   * Answers a question of the page. A number of a record, job or node outside of the run counts as the nearest number
   * in the run.
   *
   * @throws RecordError if the question reads a part of the log file that has changed since the file was indexed
   */
  answer<Name extends QuestionName>(name: Name, question: Questions[Name]['ask']): Packed {
    const answers: { readonly [Each in QuestionName]: (question: Questions[Each]['ask']) => Packed } = {
      overview: () => json(this.#overview()),
      growth: ({ jobs, spans }) => {
        const { ids, settled, ...arrays } = growthOf(
          this.#table,
          within(jobs, this.#table.length),
          within(spans, this.#table.allocations.length),
        )
        return { json: { ids, settled }, arrays }
      },
      timeline: (asked) => ({ json: {}, arrays: this.#extremes(inOrder(asked)) }),
      means: (asked) => {
        const { from, to, points } = inOrder(asked)
        return { json: {}, arrays: { ...this.#timeline.means(from, to, points) } }
      },
      steps: () => {
        const { t, until, values } = this.#timeline.steps(['busy', 'waiting'])
        return { json: { until }, arrays: { t, ...values } }
      },
      linkUse: (asked) => ({
        json: { groups: this.#linkUse.groups },
        arrays: { shares: this.#linkUse.means(this.#table.allocations, inOrder(asked), this.#t) },
      }),
      worst: ({ figure, from, to }) =>
        json({ moment: this.#timeline.highest(figure, from, to > from ? to : from + 1) ?? null }),
      area: (asked) => json(this.#area(asked)),
      jobs: (asked) => json(this.#list.answer(asked, this.#chains.records)),
      explain: ({ job }) => json(this.#explain(job)),
      moment: (at) =>
        this.#sender.send(momentOf(this.#stateStepped(this.#ofRun(this.#seqOf(at))), this.#table.numbers), at.since),
      step: ({ seq, by, direction }) =>
        json({
          seq:
            by === 'record'
              ? this.#ofRun(seq + direction)
              : this.#ofRun(this.#chains.passEnd(within(seq, this.#chains.records - 1), direction)),
        }),
      why: (at) => json(this.#ofPolicy('why', at) ?? this.#whyInLog(at.seq)),
      largest: (at) => json(this.#ofPolicy('largest', at) ?? { nodes: null }),
      fits: (at) => json(this.#ofPolicy('fits', at) ?? { fits: null }),
      relief: (at) => json(this.#ofPolicy('relief', at) ?? { relief: null }),
      fragmented: (at) => json(this.#ofPolicy('fragmented', at) ?? { fragmented: null }),
      outages: () => ({ json: {}, arrays: { ...this.#outages.answer() } }),
      job: ({ job }) => {
        const number = this.#table.numbers.get(job)
        return json(
          number === undefined
            ? null
            : { job, number, ...lifeOf(this.#chains, number, this.#lastSeekable, (seq) => this.#recordAt(seq)) },
        )
      },
      record: ({ seq }) => json(this.#record(within(seq, this.#lastSeekable))),
      routes: (asked) => json(this.#routesAt(asked)),
      metrics: () => json(this.#metrics.result()),
      queries: () => json({ queries: this.#queries.offered }),
      query: (asked) => {
        const seeker = this.#seeker()
        const { records } = seeker.index
        return json(this.#queries.answer(asked.name, records, () => seeker.records(0, records)))
      },
      tables: () => json({ tables: offeredTables }),
      table: (asked) => {
        const seeker = this.#seeker()
        const records = seeker.records(0, seeker.index.records)
        return { json: {}, arrays: { file: tableFile(asked.name, asked.format, records) } }
      },
    }
    return answers[name](question)
  }

  get #lastSeekable(): number {
    return this.#seeker().index.records - 1
  }

  /** Returns the record nearest to `seq` whose state is known. */
  #ofRun(seq: number): number {
    return Math.max(Math.min(this.#first, this.#lastSeekable), within(seq, this.#lastSeekable))
  }

  #seqOf(at: At): number {
    return 'seq' in at ? at.seq : this.#seeker().seqAt(at.t)
  }

  #extremes({ from, to, points }: PointsQuestion): Record<string, Float64Array> {
    const { t, low, high } = this.#timeline.extremes(from, to, points)
    const figures = timelineFigures.flatMap((figure) => [
      [`${figure}Low`, low[figure]] as const,
      [`${figure}High`, high[figure]] as const,
    ])
    return { t, ...Object.fromEntries(figures) }
  }

  #area(asked: AreaQuestion): AreaAnswer {
    const idle = this.#timeline.idleCauses(asked.from, asked.to > asked.from ? asked.to : asked.from + 1)
    return areaAnswer(asked, this.#nodes, this.#table, this.#outages.answer(), idle)
  }

  /** Explains a job's wait from the log's records. If `cloister view` has the policy, the policy runs again instead. */
  #explain(job: string): WholeWhy {
    if (this.#table.numbers.get(job) === undefined)
      return { explanation: null, source: 'none', differsFrom: null, reasonsUntil: null }
    const seeker = this.#seeker()
    const found = explain(() => seeker.records(0, seeker.index.records), job)
    const source = this.#header.options.refusals === true ? 'log' : 'none'
    return { explanation: found ?? null, source, differsFrom: null, reasonsUntil: null }
  }

  #ofPolicy(name: PolicyQuestionName, at: At): unknown {
    return this.#questions === undefined ? undefined : policyAnswer(this.#questions, name, this.#state(this.#seqOf(at)))
  }

  /** Returns the state after the record `seq`, from the last asked state if near. Callers must not change the state. */
  #stateStepped(seq: number): LogState {
    const last = this.#lastState
    const seeker = this.#seeker()
    if (last === undefined || last.seq > seq || seq - last.seq > STEPPED) return (this.#lastState = seeker.stateAt(seq))
    // If a record cannot be applied, `#lastState` must not keep the half-changed state.
    this.#lastState = undefined
    for (const record of seeker.records(last.seq + 1, seq + 1)) last.apply(record)
    return (this.#lastState = last)
  }

  #state(seq: number): LogState {
    return this.#seeker().stateAt(this.#ofRun(seq))
  }

  #overview(): Overview {
    const { index } = this.#seeker()
    return {
      header: this.#header,
      generation: this.#generation,
      records: this.#chains.records,
      jobs: this.#table.length,
      spans: this.#table.allocations.length,
      first: Math.min(this.#first, this.#lastSeekable),
      seekable: index.records,
      seekableTime: index.lastTime,
      lastTime: Math.max(this.#t, index.lastTime),
      canAsk: this.#questions !== undefined,
      faults: this.#faults,
      outageRecords: this.#outages.records,
      ...this.status,
    }
  }

  #whyInLog(seq: number): Why {
    const state = this.#state(seq)
    const { lines, known } = reasonsInLog(state, (job) => {
      const refusal = this.#chains.lastRefusal(this.#table.numbers.get(job)!, state.seq)
      return refusal === undefined ? undefined : this.#recordAt(refusal)
    })
    return { lines, largest: null, source: known ? 'log' : 'none' }
  }

  #record(seq: number): RecordView {
    // A log of a part of a run has no known states before the part.
    const stateBefore = seq > 0 && seq <= this.#first ? undefined : this.#state(Math.max(0, seq - 1))
    return viewOf(this.#recordAt(seq), (each) => this.#recordAt(each), stateBefore)
  }

  #routesAt(asked: RoutesQuestion): RoutesAnswer {
    const seq = this.#ofRun(asked.seq)
    const state = this.#stateStepped(seq)
    const before = Array.from(this.#seeker().records(Math.max(0, seq + 1 - INSTANT), seq + 1))
    const instant = before.filter((record) => 't' in record && record.t === state.t)
    return this.#routes.answer(state, instant, asked)
  }

  #recordAt(seq: number): LogRecord {
    const { value } = this.#seeker()
      .records(seq, seq + 1)
      .next()
    return value as LogRecord
  }
}

/** Returns the status of a log after its reading, with a message unless the log is whole. */
export function statusOf(outcome: LogOutcome): Pick<ReadingStatus, 'status' | 'message'> {
  const hasFailed = outcome.status === 'unsealed' && outcome.fault !== undefined
  return {
    status: hasFailed ? 'failed' : outcome.status,
    message: outcome.status === 'whole' ? null : describeOutcome(outcome),
  }
}

function inOrder({ from, to, points }: PointsQuestion): PointsQuestion {
  return { from, to: to > from ? to : from + 1, points: Math.min(Math.max(1, Math.trunc(points)), MAX_POINTS) }
}

function within(number: number, last: number): number {
  return Math.max(0, Math.min(last, Math.trunc(number)))
}

function json(value: unknown): Packed {
  return { json: value, arrays: {} }
}
