import { encodeRecord, type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import { formatHostlist, nodeName, parseIdset, type Topology } from '@cloister/topology'
import { Problem } from '../errors/errors.ts'

/** Names of nodes and clock times in the text about a log. */
export class LogWords {
  readonly #header: Header
  readonly #isClock: boolean
  #topology: Topology | undefined

  /**
   * @param isClock true for clock times in the columns of tables, false for seconds from the start of the log
   * @throws Problem if `isClock` is true, and the log has no epoch
   */
  constructor(path: string, header: Header, isClock = false) {
    if (isClock && header.epoch === undefined) throw noEpoch(path)
    this.#header = header
    this.#isClock = isClock
  }

  /** ` by NAME` with the name of the queue order; an empty text for the order of submission. */
  get byOrder(): string {
    const { order } = this.#header
    return order === undefined ? '' : ` by ${order.name}`
  }

  /** Returns nodes as a hostlist if the log has names of nodes, else the ids. @param ids set of ids, such as `0-17` */
  readonly nodes = (ids: string): string => {
    if (this.#header.names === undefined) return ids
    const topology = (this.#topology ??= headerTopology(this.#header))
    return formatHostlist(Array.from(parseIdset(ids), (node) => nodeName(topology, node)))
  }

  /** Returns a record as in the log, with the names of its nodes; `nothing` without a record. */
  readonly record = (record: LogRecord | undefined): string => {
    if (record === undefined) return 'nothing'
    const hasNames = 'nodes' in record && record.nodes !== '' && this.#header.names !== undefined
    return `${encodeRecord(record)}${hasNames ? ` (nodes ${this.nodes(record.nodes)})` : ''}`
  }

  /** Returns a time in seconds from the start of the log, with the clock time if the log has an epoch. */
  readonly moment = (t: number): string => {
    const { epoch } = this.#header
    return epoch === undefined ? `${t} s` : `${t} s, ${clockTime(epoch + t)} UTC`
  }

  /** Returns a time for a column of a table. The heading of the column is `heading(name)`. */
  readonly time = (t: number): string | number => (this.#isClock ? clockTime(this.#header.epoch! + t) : t)

  readonly heading = (name: string): string => (this.#isClock ? `${name}, UTC` : name)
}

/** Returns the error about clock times of a log without an epoch. */
export function noEpoch(path: string): Problem {
  return new Problem(
    `--time clock: the header of ${path} has no epoch, the Unix time of the start; expected --time relative`,
  )
}

/** A forged log may have an epoch beyond the times of JavaScript. */
function clockTime(seconds: number): string {
  const date = new Date(seconds * 1000)
  if (Number.isNaN(date.getTime())) return `Unix time ${seconds}`
  return date
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')
}
