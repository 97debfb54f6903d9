import { HostlistError, parseHostlist } from '@cloister/topology'
import { type AccountingRow, openStates } from './accounting-row.ts'

/** Account of the rows of Slurm's accounting with fields that contradict each other; `rows` is their number. */
export interface Contradictions {
  readonly rows: number
  /** Number of rows by contradiction, such as `End before Start`. A row may have several contradictions. */
  readonly kinds: Readonly<Record<string, number>>
  /** Line of the first row with a contradiction, from 1; undefined without contradictions. */
  readonly firstLine: number | undefined
}

/** Pairs of fields with the same meaning, and the values of both fields in one line; -1 for an unknown value. */
export type SaidTwice = ReadonlyArray<readonly [fields: string, one: number, other: number]>

/** Most names of nodes to read from the hostlists of a file, because a few bytes can stand for millions of names. */
const MAX_NAMES = 50_000_000
/** Most hostlists with a remembered result. The hostlists at the end of a long history rarely occur at its start. */
const MOST_LISTS = 2 ** 16

/** Counter of the rows of Slurm's accounting with fields that contradict each other. */
export class ContradictionCounter {
  readonly #kinds = new Map<string, number>()
  /**
   * Results by number of nodes and hostlist: true if the hostlist has as many names as the row of the job has nodes.
   */
  readonly #lists = new Map<string, boolean>()
  #namesLeft = MAX_NAMES
  #rows = 0
  #firstLine: number | undefined

  add(row: AccountingRow, twice: SaidTwice = []): void {
    const found = [...this.#kindsIn(row), ...twice.flatMap(([fields, one, other]) => differing(fields, one, other))]
    if (found.length === 0) return
    this.#rows++
    this.#firstLine ??= row.line
    for (const kind of found) this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1)
  }

  get found(): Contradictions {
    return { rows: this.#rows, kinds: Object.fromEntries(this.#kinds), firstLine: this.#firstLine }
  }

  *#kindsIn(row: AccountingRow): Generator<string, void> {
    const { submit, start, end, elapsed, nodes, nodeList, state } = row
    if (start >= 0 && end >= 0) {
      if (end < start) yield 'End before Start'
      else if (elapsed > end - start) yield 'Elapsed longer than from Start to End'
      else if (elapsed >= 0 && elapsed < end - start) yield 'Elapsed shorter than from Start to End'
    }
    if (start >= 0 && start < submit) yield 'Start before Submit'
    if (end >= 0 && openStates.has(state)) yield `End of a job that is ${state}`
    if (start >= 0 && nodes > 0 && nodeList !== '' && !this.#names(nodeList, nodes))
      yield 'NNodes differs from the number of names in NodeList'
  }

  #names(nodeList: string, nodes: number): boolean {
    const key = `${nodes} ${nodeList}`
    const known = this.#lists.get(key)
    if (known !== undefined) return known
    if (this.#namesLeft <= 0) return true
    const isRight = hasNames(nodeList, nodes, this.#namesLeft)
    this.#namesLeft -= nodes
    if (this.#lists.size >= MOST_LISTS) this.#lists.clear()
    this.#lists.set(key, isRight)
    return isRight
  }
}

function hasNames(nodeList: string, nodes: number, limit: number): boolean {
  try {
    return parseHostlist(nodeList, Math.min(nodes, limit)).length === nodes
  } catch (error) {
    if (!(error instanceof HostlistError)) throw error
    return false
  }
}

function differing(fields: string, one: number, other: number): ReadonlyArray<string> {
  return one < 0 || other < 0 || one === other ? [] : [`${fields} differ`]
}
