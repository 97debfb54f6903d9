import type { Allocate, Finish, Kill, LogRecord, Progress, Route, Submit } from '@cloister/eventlog'
import { downPorts } from '@cloister/topology'
import type { ClusterModel } from '../cluster/cluster-model.ts'
import { TOO_MUCH } from '../effort.ts'
import { type Contender, Contenders } from '../contention.ts'
import type { Checks, Invariant, Tally } from '../invariant.ts'
import { WholeTables } from '../routes/recorded-entries.ts'

/** Tolerance of rates, in 1/1000 of full speed: a log has integer rates, and doubles may differ between machines. */
const ROUNDING = 0.5 + 1e-6

export const progressRates: Invariant = {
  name: 'progress-rates',
  property:
    'If run times follow from contention, every running job has the rate, in 1/1000 of full speed, that follows from max-min fair shares of the links. The rate is 1000 if jobs own their links and their routes. A start or a release that changes rates is followed at once by a progress record of each job with a changed rate, in the order of the starts of these jobs. The cause of a progress record is the start or release that changed the rate. If estimates are exact, a job ends by itself when its progress reaches its estimate.',
  begin(model, tally) {
    const { origin, policy, router } = model.header
    if (origin !== 'simulated') return 'the log of a real machine does not show the causes of slowdowns'
    if (model.rules.runTimes !== 'contention')
      return {
        progress(record) {
          tally.tested()
          tally.violated(
            record,
            'the rate of the job changes, but the header says that run times do not follow from contention',
          )
        },
      }
    // SPEC.md defines the routes: the log's tables if they are tables of the whole machine, else a job's own links if the
    // policy claims owned links, else D-mod-k.
    if (router !== undefined && router.claims.changes !== 'own')
      return new Rates(model, tally, true, new WholeTables(model.topology, downPorts(model.topology))).checks
    if (policy.claims.links === 'owned') return new Rates(model, tally, false).checks
    if (model.topology.pgft !== undefined) return new Rates(model, tally, true).checks
    tally.untested('runTimes', 'contention is not defined on this machine: D-mod-k routes exist only on regular trees')
    return 'D-mod-k routes exist only on regular trees'
  },
}

interface Runner {
  contender: Contender
  /** Messages of the job; undefined if the job does not communicate, or shares no links. */
  readonly messages: { readonly pattern: string; readonly ranks: ReadonlyArray<number> } | undefined
  rate: number
  /** Remaining work of the job at the time `since`, in 1/1000 of a millisecond at full speed. */
  left: number
  since: number
}

class Rates {
  readonly #model: ClusterModel
  readonly #tally: Tally
  readonly #isShared: boolean
  readonly #tables: WholeTables | undefined
  readonly #contenders: Contenders
  readonly #communication = new Map<string, Submit['communication']>()
  /** Nodes whose entries in the tables changed since the running jobs last followed the tables. */
  readonly #changed = new Set<number>()
  readonly #running = new Map<string, Runner>()
  /** Seq of the latest allocate or release. */
  #trigger = 0
  /** Rate of each job that contention slows since the record `#trigger`, in 1/1000 of full speed. */
  #rates: ReadonlyMap<Contender, number> = new Map()
  /** Jobs that still need a progress record after the record `#trigger`. */
  #awaited: Array<Runner> = []
  #lastOrder = -1
  #started = 0
  /** True once a job has an unknown pattern or the budget is exceeded; no rates are computed afterwards. */
  #isLost = false

  /** @param tables empty tables, for a log with tables of the whole machine */
  constructor(model: ClusterModel, tally: Tally, isShared: boolean, tables?: WholeTables) {
    this.#model = model
    this.#tally = tally
    this.#isShared = isShared
    this.#tables = tables
    this.#contenders = new Contenders(model.topology, tables)
  }

  get checks(): Checks {
    return {
      submit: (record) => void this.#communication.set(record.job, record.communication),
      // The invariant routes-inside reports entries beyond the machine, and too many entries.
      route: (record) => this.#route(record),
      allocate: (record) => {
        this.#followChanges()
        this.#start(record)
      },
      release: (record) => {
        const runner = this.#running.get(record.job)
        this.#running.delete(record.job)
        if (runner === undefined) return
        this.#contenders.remove(runner.contender)
        this.#followChanges()
        this.#expect(record.seq)
      },
      progress: (record) => this.#progress(record),
      finish: (record) => this.#finish(record),
      every: (record) => this.#every(record),
    }
  }

  /** The routes of running jobs follow the tables at each start and release, and after its route record. */
  #route(record: Route): void {
    const changed = this.#tables?.put(record, this.#model.effort) ?? []
    if ('breach' in changed) return
    for (const node of changed) this.#changed.add(node)
    if (record.cause !== this.#trigger || this.#trigger === 0) return
    this.#followChanges()
    this.#expect(this.#trigger)
  }

  #followChanges(): void {
    if (this.#changed.size === 0) return
    for (const runner of this.#running.values()) {
      const { contender, messages } = runner
      if (messages === undefined || !messages.ranks.some((node) => this.#changed.has(node))) continue
      if (this.#isLost || !this.#model.effort.allows(messages.ranks.length * messages.ranks.length)) {
        this.#isLost = true
        return
      }
      this.#contenders.remove(contender)
      runner.contender = { ...contender, shares: this.#contenders.sharesOf(messages.pattern, messages.ranks)! }
      this.#contenders.add(runner.contender)
    }
    this.#changed.clear()
  }

  #start(record: Allocate): void {
    const communication = this.#communication.get(record.job)
    const nodes = (record.ranks ?? [...this.#model.named!.nodes]).filter((node) => node < this.#model.topology.nodes)
    // The pattern all-to-all has the most messages, so its number of messages bounds the cost.
    if (this.#isShared && communication !== undefined && !this.#model.effort.allows(nodes.length * nodes.length)) {
      this.#tally.tested()
      this.#tally.violated(record, TOO_MUCH)
      this.#isLost = true
    }
    const shares =
      communication === undefined || !this.#isShared || this.#isLost
        ? new Map<number, number>()
        : this.#contenders.sharesOf(communication.pattern, nodes)
    if (shares === undefined) this.#lose(communication!.pattern)
    const contender: Contender = {
      id: record.job,
      order: this.#started++,
      communicationShare: (communication?.share ?? 0) / 1000,
      shares: shares ?? new Map(),
    }
    const left = 1000 * (this.#model.job?.estimate ?? 0)
    const messages =
      communication === undefined || !this.#isShared ? undefined : { pattern: communication.pattern, ranks: nodes }
    this.#running.set(record.job, { contender, messages, rate: 1000, left, since: this.#model.time })
    this.#contenders.add(contender)
    this.#expect(record.seq)
  }

  #lose(pattern: string): void {
    this.#isLost = true
    this.#tally.untested(
      'runTimes',
      `a job has the communication pattern ${JSON.stringify(pattern)}, which this auditor does not know`,
    )
  }

  /** Puts the jobs whose rate must change, after a start or a release, into `#awaited`. */
  #expect(trigger: number): void {
    if (this.#isLost) return
    this.#tally.tested()
    this.#trigger = trigger
    this.#lastOrder = -1
    this.#rates = this.#contenders.rates()
    // Before a part of a run, the log lacks jobs that slow other jobs.
    this.#awaited = this.#model.isBeforePart
      ? []
      : [...this.#running.values()].filter((runner) => !this.#isRight(runner, runner.rate))
  }

  #isRight({ contender }: Runner, rate: number): boolean {
    return Math.abs(Math.max(1, this.#rates.get(contender) ?? 1000) - rate) <= ROUNDING
  }

  #progress(record: Progress): void {
    const runner = this.#running.get(record.job)
    if (runner === undefined) return
    const { time } = this.#model
    runner.left = Math.max(0, runner.left - runner.rate * (time - runner.since))
    runner.since = time
    const before = runner.rate
    runner.rate = record.rate
    if (this.#isLost) return
    this.#tally.tested()
    const expected = Math.round(this.#rates.get(runner.contender) ?? 1000)
    if (!this.#isRight(runner, record.rate))
      this.#tally.violated(record, `the rate is ${record.rate}, but the links of the job allow ${expected}`)
    else if (record.cause !== this.#trigger)
      this.#tally.violated(
        record,
        `the cause is ${record.cause}, but record ${this.#trigger} is the last start or release`,
      )
    else if (record.rate === before) this.#tally.violated(record, `the rate of the job was ${before} already`)
    else if (runner.contender.order < this.#lastOrder)
      this.#tally.violated(record, 'the progress record comes after the progress record of a job that started later')
    this.#lastOrder = runner.contender.order
    this.#awaited = this.#awaited.filter((each) => each !== runner)
  }

  #every(record: LogRecord): void {
    if (this.#awaited.length === 0 || passedOver.has(record.type) || record.seq === this.#trigger) return
    const [{ contender, rate }] = this.#awaited
    const expected = Math.round(this.#rates.get(contender) ?? 1000)
    this.#tally.violated(
      record,
      `job ${contender.id} needs a progress record before this record: its rate is ${rate}, but record ${this.#trigger} changed the rate to ${expected}`,
    )
    this.#awaited = []
  }

  /** Compares finishes only under exact estimates, because only exact estimates tell the run time of a job. */
  #finish(record: LogRecord & { readonly type: 'finish' }): void {
    const runner = this.#running.get(record.job)
    const { rules, time, job } = this.#model
    if (runner === undefined || rules.estimates !== 'exact' || job?.estimate === undefined) return
    this.#tally.tested()
    const due = runner.since + Math.ceil(runner.left / runner.rate)
    if (time !== due)
      this.#tally.violated(record, `the finish is at ${record.t} s, but by its rates the job ends at ${due / 1000} s`)
  }
}

/** Types of records that may come between a start or release and the last progress record for this change. */
const passedOver: ReadonlySet<LogRecord['type']> = new Set(['progress', 'route', 'seal', 'header', 'unknown'])

export const finishTime: Invariant = {
  name: 'finish-time',
  property:
    "If estimates are exact, a job that ends by itself ends at its start plus its estimate. Logs with contention and the overrun `run-on` or `extend` are exempt: `progress-rates` tests the finishes of jobs under contention. If estimates are exact or the overrun is `kill` or `clamp`, no job runs longer than its estimate. A kill with the code `estimate` comes exactly at the job's start plus its estimate, and only if the overrun is `kill` or `clamp`. An allocate record without `moved` has an estimate only if estimates are exact, the option `runTimes` is `communication` and the job communicates. The estimate of an allocate record counts instead of the estimate of the submit record.",
  begin(model, tally) {
    const { estimates, overrun, runTimes } = model.rules
    const isSlowed = runTimes === 'contention'
    const mayVary = runTimes === 'communication' && estimates === 'exact'
    /** Ids of the jobs that communicate, if run times depend on communication and estimates are exact. */
    const communicating = new Set<string>()
    const mayRunOn = (estimates === 'requested' || isSlowed) && overrun === 'run-on'
    const check = (record: Finish | Kill, mayBeEarly: boolean): void => {
      const due = model.job === undefined ? undefined : model.estimatedEnd(model.job)
      if (due === undefined) return
      tally.tested()
      if (model.time > due || (model.time < due && !mayBeEarly)) {
        tally.violated(
          record,
          `the ${record.type} is at ${record.t} s, but the job's start plus its estimate is ${due / 1000} s`,
        )
      }
    }
    return {
      submit(record) {
        if (mayVary && record.communication !== undefined) communicating.add(record.job)
        if (record.estimate === undefined)
          tally.untested(
            'estimates',
            `job ${record.job} of record ${record.seq} has no estimate, and may end at any time`,
          )
      },
      allocate(record) {
        // The invariant moves-cost tests the estimate of a moved job.
        if (record.estimate === undefined || record.moved !== undefined) return
        tally.tested()
        if (communicating.has(record.job))
          return tally.untested(
            'runTimes',
            'only the policy slurm-tree can tell the slowdown of a job by its communication, which is relative to a placement of slurm-tree',
          )
        const because = mayVary
          ? 'the job does not communicate'
          : `the header says that ${runTimes === 'fixed' ? 'run times do not depend on the placement' : isSlowed ? 'estimates do not follow contention' : 'estimates are the walltimes of the users'}`
        tally.violated(record, `the allocate has the estimate ${record.estimate}, but ${because}`)
      },
      finish(record) {
        if (!mayRunOn) check(record, estimates === 'requested')
      },
      kill(record) {
        if (record.code === 'estimate' && overrun !== 'kill') {
          tally.tested()
          tally.violated(record, 'the job is killed for its estimate, but the header says that jobs run on')
        } else if (!mayRunOn) check(record, record.code !== 'estimate')
      },
    }
  },
}
