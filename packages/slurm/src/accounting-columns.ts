import { type AccountingRow, type HeldProcessors, joinComponents, type StartedBy } from '@cloister/trace-io'
import { Column, Labels, NodeLists } from './columns.ts'
import { starters } from './history.ts'
import type { NodeIds } from './nodes.ts'

/**
 * Values of `list` for a row without a usable NodeList: `absent` if the row is PENDING, or has no start or no
 * NodeList; `unknown` if NodeList names a node that the topology lacks; `empty` if NodeList has no nodes.
 */
export const noList = { absent: -1, unknown: -2, empty: -3 } as const

/** Rows of Slurm's accounting, stored in columns, because a million objects would fill the memory. */
export class AccountingColumns {
  readonly lists: NodeLists = new NodeLists()
  readonly labels: Labels = new Labels()
  /** Number in `lists` of each row's NodeList, or a value of `noList`. */
  readonly list = new Column(Int32Array)
  /** Number in `labels` of each row's labels. */
  readonly label = new Column(Int32Array)
  unknownNode: string | undefined
  length = 0
  readonly #nodeIds: NodeIds
  /** Job id of each row as a number; -1 if the id is no plain number and stands in `#names`. */
  readonly #number = new Column(Float64Array)
  readonly #names = new Map<number, string>()
  readonly #line = new Column(Int32Array)
  readonly #submit = new Column(Float64Array)
  readonly #eligible = new Column(Float64Array)
  readonly #start = new Column(Float64Array)
  readonly #end = new Column(Float64Array)
  readonly #elapsed = new Column(Float64Array)
  readonly #limit = new Column(Float64Array)
  readonly #nodes = new Column(Float64Array)
  readonly #cpus = new Column(Int32Array)
  readonly #gpus = new Column(Int32Array)
  readonly #startedBy = new Column(Uint8Array)
  readonly #state = new Column(Uint8Array)
  readonly #states: Array<string> = []
  /** Rows of components of heterogeneous jobs; `#join` joins them when all rows have been added. */
  #components: Array<AccountingRow> = []
  /** Index in the columns of each component's row, by the line of the row in the accounting. */
  readonly #placeOfLine = new Map<number, number>()
  /** Indices of the components' rows that `#join` joined into the row of a job's first component. */
  readonly #joined = new Set<number>()

  constructor(nodeIds: NodeIds) {
    this.#nodeIds = nodeIds
  }

  add(row: AccountingRow): void {
    if (/^\d+\+\d+$/.test(row.jobId)) {
      this.#components.push(row)
      this.#placeOfLine.set(row.line, this.length)
      this.#set(this.length++, { ...row, nodeList: '' })
    } else this.#set(this.length++, row)
  }

  /** Yields the indices of each job's rows in order of time. Jobs come in the order of their first added rows. */
  *byJob(): Generator<ReadonlyArray<number>, void> {
    this.#join()
    const jobs = new Map<number | string, number>()
    const [first, last] = [new Column(Int32Array), new Column(Int32Array)]
    const next = new Int32Array(this.length).fill(-1)
    for (let place = 0; place < this.length; place++) {
      if (this.#joined.has(place)) continue
      const id = this.#names.get(place) ?? this.#number.at(place)
      const job = jobs.get(id)
      if (job === undefined) {
        jobs.set(id, first.length)
        first.push(place)
        last.push(place)
      } else {
        next[last.at(job)] = place
        last.set(job, place)
      }
    }
    jobs.clear()
    for (let job = 0; job < first.length; job++) {
      const places: Array<number> = []
      for (let place = first.at(job); place >= 0; place = next[place]) places.push(place)
      yield places.sort((a, b) => this.#whenOf(a) - this.#whenOf(b) || this.#line.at(a) - this.#line.at(b))
    }
  }

  idOf(place: number): string {
    return this.#names.get(place) ?? String(this.#number.at(place))
  }

  at(
    place: number,
  ): Pick<AccountingRow, 'submit' | 'eligible' | 'start' | 'end' | 'elapsed' | 'limit' | 'nodes' | 'state'> {
    return {
      submit: this.#submit.at(place),
      eligible: this.#eligible.at(place),
      start: this.#start.at(place),
      end: this.#end.at(place),
      elapsed: this.#elapsed.at(place),
      limit: this.#limit.at(place),
      nodes: this.#nodes.at(place),
      state: this.#states[this.#state.at(place)],
    }
  }

  processorsOf(place: number): HeldProcessors {
    return { cpus: this.#cpus.at(place), gpus: this.#gpus.at(place) }
  }

  startedByOf(place: number): StartedBy | undefined {
    return starters[this.#startedBy.at(place)]
  }

  #set(place: number, row: AccountingRow): void {
    this.#number.set(place, row.rawId)
    if (row.rawId < 0) this.#names.set(place, row.jobId)
    this.#line.set(place, row.line)
    this.#submit.set(place, row.submit)
    this.#eligible.set(place, row.eligible)
    this.#start.set(place, row.start)
    this.#end.set(place, row.end)
    this.#elapsed.set(place, row.elapsed)
    this.#limit.set(place, row.limit)
    this.#nodes.set(place, row.nodes)
    this.#cpus.set(place, row.cpus)
    this.#gpus.set(place, row.gpus)
    this.#startedBy.set(place, starters.indexOf(row.startedBy))
    this.#state.set(place, this.#stateNumber(row.state))
    this.list.set(place, this.#listNumber(row))
    this.label.set(place, this.labels.add(row.labels))
  }

  #stateNumber(state: string): number {
    const known = this.#states.indexOf(state)
    return known < 0 ? this.#states.push(state) - 1 : known
  }

  #listNumber({ start, state, nodeList }: AccountingRow): number {
    if (start < 0 || state === 'PENDING' || nodeList === '') return noList.absent
    const found = this.#nodeIds.find(nodeList)
    if ('nodes' in found) return found.nodes.length === 0 ? noList.empty : this.lists.add(found.nodes)
    this.unknownNode ??= nodeList
    return noList.unknown
  }

  #join(): void {
    for (const place of this.#placeOfLine.values()) this.#joined.add(place)
    for (const row of joinComponents(this.#components.splice(0))) {
      const place = this.#placeOfLine.get(row.line)!
      this.#joined.delete(place)
      this.#set(place, row)
    }
    this.#placeOfLine.clear()
  }

  /** Sort key of a job's rows, in Unix seconds: the start, else the later of submit time and eligible time. */
  #whenOf(place: number): number {
    const start = this.#start.at(place)
    return start >= 0 ? start : Math.max(this.#submit.at(place), this.#eligible.at(place))
  }
}
