import { quote, TraceError } from '../errors.ts'
import { swfMaximum } from '../swf/swf.ts'
import type { AccountingRow } from './accounting-row.ts'
import { slurmStates, stateWord } from './slurm-values.ts'

type Fields = Readonly<Record<string, unknown>>

/** Whether a text is what `sacct --json` prints. */
export function isSacctJson(start: string): boolean {
  return /^\uFEFF?\s*\{/.test(start) && /"(?:jobs|meta|plugin)"/.test(start)
}

/**
 * Reads what `sacct --json` prints, in any version of its data parser: numbers may be bare or `{"set": …, "number": …}`. Jobs are
 * counted as lines.
 *
 * @throws TraceError
 */
export function readSacctJson(
  text: string,
  file: string,
  visit: (line: number, read: () => AccountingRow) => void,
): void {
  const { jobs } = parse(text, file)
  if (!Array.isArray(jobs))
    throw new TraceError({ file, found: 'no list "jobs"', expected: 'what sacct --json prints' })
  for (const [index, job] of (jobs as ReadonlyArray<unknown>).entries())
    visit(index + 1, () => new JsonJob(file, index + 1, fieldsOf(job)).read())
}

function parse(text: string, file: string): Fields {
  try {
    return fieldsOf(JSON.parse(text.replace(/^\uFEFF/, '')))
  } catch (error) {
    throw new TraceError({ file, found: `no JSON (${(error as Error).message})`, expected: 'what sacct --json prints' })
  }
}

class JsonJob {
  readonly #file: string
  readonly #line: number
  readonly #job: Fields

  constructor(file: string, line: number, job: Fields) {
    this.#file = file
    this.#line = line
    this.#job = job
  }

  read(): AccountingRow {
    const job = this.#job
    const times = fieldsOf(job.time)
    const time = (name: string): number => this.#number(times[name], `time.${name}`) || -1
    const [start, end] = [time('start'), time('end')]
    const minutes = this.#number(times.limit, 'time.limit')
    const state = this.#state()
    return {
      line: this.#line,
      jobId: this.#jobId(),
      rawId: this.#number(job.job_id, 'job_id'),
      submit: time('submission'),
      eligible: time('eligible'),
      start,
      end,
      elapsed: this.#number(times.elapsed, 'time.elapsed'),
      limit: minutes > 0 ? minutes * 60 : -1,
      nodes: Math.max(0, this.#number(job.allocation_nodes, 'allocation_nodes')) || this.#requestedNodes(),
      state,
      nodeList: textOf(job.nodes) === 'None assigned' ? '' : textOf(job.nodes),
      restarts: this.#number(job.restart_cnt, 'restart_cnt'),
      gpus: this.#gpus(),
      labels: this.#labels(),
    }
  }

  #jobId(): string {
    const { job_id: raw, array, het } = this.#job
    const task = this.#number(fieldsOf(array).task_id, 'array.task_id')
    const arrayJob = this.#number(fieldsOf(array).job_id, 'array.job_id')
    if (arrayJob > 0 && task >= 0) return `${arrayJob}_${task}`
    const leader = this.#number(fieldsOf(het).job_id, 'het.job_id')
    if (leader > 0) return `${leader}+${Math.max(0, this.#number(fieldsOf(het).job_offset, 'het.job_offset'))}`
    return String(raw)
  }

  #state(): string {
    const { state } = this.#job
    const current = fieldsOf(state).current ?? state
    const text = textOf(Array.isArray(current) ? current[0] : current)
    return stateWord(text) ?? this.#fail('state.current', text, slurmStates.join(', '))
  }

  #requestedNodes(): number {
    return Math.max(
      0,
      this.#tres('requested', (type) => type === 'node'),
    )
  }

  #gpus(): number {
    return this.#tres('allocated', (type, name) => type === 'gres' && name === 'gpu')
  }

  #tres(which: 'allocated' | 'requested', wanted: (type: string, name: string) => boolean): number {
    const list = fieldsOf(this.#job.tres)[which]
    if (!Array.isArray(list)) return 0
    let total = 0
    for (const each of (list as ReadonlyArray<unknown>).map(fieldsOf))
      if (wanted(textOf(each.type), textOf(each.name))) total += Math.max(0, this.#number(each.count, `tres.${which}`))
    return total
  }

  #labels(): AccountingRow['labels'] {
    const [user, account, queue, name] = ['user', 'account', 'partition', 'name'].map((key) => textOf(this.#job[key]))
    return { ...(user && { user }), ...(account && { account }), ...(queue && { queue }), ...(name && { name }) }
  }

  /** -1 where it is not set. */
  #number(value: unknown, field: string): number {
    if (value === undefined || value === null) return -1
    const wrapped = fieldsOf(value)
    if (wrapped.set === false || wrapped.infinite === true) return -1
    const number = 'number' in wrapped ? wrapped.number : value
    if (Number.isSafeInteger(number) && (number as number) >= 0 && (number as number) <= swfMaximum)
      return number as number
    return this.#fail(field, JSON.stringify(value), `a whole number from 0 to ${swfMaximum}`)
  }

  #fail(field: string, found: string, expected: string): never {
    throw new TraceError({ file: this.#file, line: this.#line, field, found: quote(found), expected })
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
