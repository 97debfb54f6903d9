import type { NumberColumn } from '@cloister/workload'
import type { BadLines, TraceError } from '../errors.ts'
import type { AccountingFacts } from '../slurm/accounting-facts.ts'
import type { JobLabels } from '../slurm/accounting.ts'

/**
 * The Standard Workload Format, version 2.2 (Parallel Workloads Archive): `;` lines, and a line of 18 numbers for each
 * job. An unknown value is -1.
 */

/** Names of the 18 fields of a job in SWF, in the order of the file. Times are in seconds, memory in kilobytes. */
export const swfFields = [
  'job',
  'submit',
  'wait',
  'runTime',
  'allocatedProcs',
  'averageCpuTime',
  'usedMemory',
  'requestedProcs',
  'requestedTime',
  'requestedMemory',
  'status',
  'user',
  'group',
  'executable',
  'queue',
  'partition',
  'precedingJob',
  'thinkTime',
] as const

/** Name of a job's field in the Standard Workload Format. */
export type SwfField = (typeof swfFields)[number]

/** Fields of SWF that may have decimals. The other fields are counts, or numbers that a log's converter assigned. */
export const decimalSwfFields: ReadonlySet<SwfField> = new Set<SwfField>([
  'submit',
  'wait',
  'runTime',
  'averageCpuTime',
  'usedMemory',
  'requestedTime',
  'requestedMemory',
  'thinkTime',
])

/** Most values of a line with a job. SWF defines 18; some archives add up to three values. */
export const mostSwfFields = 21

/** Codes of a job's status that SWF defines. */
export const swfStatuses: ReadonlySet<number> = new Set([-1, 0, 1, 2, 3, 4, 5])

/**
 * Largest value of a field of SWF: some 30,000 years in seconds, as in event logs. In ms, it is an exact integer, too.
 */
export const swfMaximum = 1_000_000_000_000

/** Line of an SWF file that begins with `;`: `text` is the unchanged text after the semicolon. */
export interface SwfComment {
  readonly line: number
  readonly text: string
}

/**
 * Directive in the header of an SWF file, such as `; MaxNodes: 1002`. The texts of indented `;` lines right below are
 * at the end of `value`, each after a newline.
 */
export interface SwfDirective {
  readonly line: number
  readonly name: string
  readonly value: string
}

/** Contents of an SWF file. Job `i` has the fields `columns.submit[i]` and so on, from line `lines[i]` of the file. */
export interface SwfTrace {
  readonly file: string
  readonly comments: ReadonlyArray<SwfComment>
  /** Directives in the `;` lines of the file, in order. A name can occur more than once. */
  readonly directives: ReadonlyArray<SwfDirective>
  readonly jobs: number
  readonly lines: NumberColumn
  /** Kind of the numbers in `lines`: `row` for rows of a table in Parquet. Default: `line`. */
  readonly unit?: TraceError['unit']
  /** Sentences on values that a run needs and the file lacks; absent if the reader knows of none. */
  readonly lacks?: ReadonlyArray<string>
  readonly columns: Readonly<Record<SwfField, NumberColumn>>
  /** Bad lines that the reader skipped; absent if the reader skipped no line. */
  readonly badLines?: BadLines
  /** Number of lines with further values after the 18 fields, which the reader skipped; absent if no line has more. */
  readonly longLines?: number
  /** Share of communication in the run time of each job, in 1/1000; absent if the file does not state communication. */
  readonly communication?: Float64Array
  /** Labels of each job; absent if the file has numbers instead of names, as an SWF file. */
  readonly labels?: ReadonlyArray<JobLabels>
  /** Id of each job, such as `12_3` for a task of an array; absent if the numbers in `columns.job` are the ids. */
  readonly ids?: ReadonlyArray<string>
  /** Number of rows that belong to another row's job, by kind, such as steps; absent if there are no such rows. */
  readonly apart?: Readonly<Record<string, number>>
  /** Number of graphics processors of each job, 0 for none; absent if the file does not state graphics processors. */
  readonly gpus?: Float64Array
  /** 1 for each job that uses only a part of its nodes' processors, else 0; absent if the file states no processors. */
  readonly onParts?: Uint8Array
  /** Further facts of a file of Slurm's accounting; absent for other files. */
  readonly accounting?: AccountingFacts
}

/** Returns a column for every field of SWF, made by `column`. `index` is the position of the field in `swfFields`. */
export function makeColumns<Column>(column: (field: SwfField, index: number) => Column): Record<SwfField, Column> {
  return Object.fromEntries(swfFields.map((field, index) => [field, column(field, index)])) as Record<SwfField, Column>
}

/** Returns the number of a name, from 1 in the order of appearance; -1 for no name. `numbers` keeps the numbers. */
export function numberOfName(name: string | undefined, numbers: Map<string, number>): number {
  if (name === undefined) return -1
  const known = numbers.get(name)
  if (known !== undefined) return known
  numbers.set(name, numbers.size + 1)
  return numbers.size
}

/** Returns the `;` lines of a log with sizes in nodes and times in Unix seconds. `more` has further directives. */
export function commentsOfNodes(more: ReadonlyArray<string> = []): Array<SwfComment> {
  return ['UnixStartTime: 0', 'Note: processors are nodes', ...more].map((text) => ({ line: 1, text: ` ${text}` }))
}

/** Returns the value of the first directive with a name; undefined if no directive has the name. */
export function directiveValue(directives: ReadonlyArray<SwfDirective>, name: string): string | undefined {
  return directives.find((directive) => directive.name === name)?.value
}

/** Names of the directives of SWF. A `;` line with a listed name and a colon is a directive, with any indentation. */
const standardNames = new Set([
  'Version',
  'Computer',
  'Installation',
  'Acknowledge',
  'Information',
  'Conversion',
  'MaxJobs',
  'MaxRecords',
  'Preemption',
  'UnixStartTime',
  'TimeZone',
  'TimeZoneString',
  'StartTime',
  'EndTime',
  'MaxNodes',
  'MaxProcs',
  'MaxRuntime',
  'MaxMemory',
  'AllowOveruse',
  'MaxQueues',
  'Queues',
  'Queue',
  'MaxPartitions',
  'Partitions',
  'Partition',
  'Note',
])

/**
 * Returns the directives in the `;` lines of an SWF file. A `;` line that neither is nor continues a directive is a
 * plain comment, and left out.
 */
export function readDirectives(comments: ReadonlyArray<SwfComment>): Array<SwfDirective> {
  const directives: Array<SwfDirective> = []
  let continues = 0 // Number of the line that may continue the last directive.
  for (const { line, text } of comments) {
    const [, indent, name, value] = /^(\s*)(?:([A-Za-z][A-Za-z0-9_]*):(?=\s|$))?(.*)$/s.exec(text)!
    if (name !== undefined && (/^ ?$/.test(indent) || standardNames.has(name))) {
      directives.push({ line, name, value: value.trim() })
      continues = line + 1
    } else if (line === continues && /^(\t|\s\s)/.test(indent) && text.trim() !== '') {
      const last = directives.pop()!
      directives.push({ ...last, value: `${last.value}\n${text.trim()}` })
      continues = line + 1
    }
  }
  return directives
}

/**
 * Returns the number of processors of a node: `MaxProcs` / `MaxNodes` of the header of an SWF file. Returns `uneven` if
 * the quotient is no whole number, because the machine then has nodes of several sizes. Returns undefined if a
 * directive is missing or no number, or if `MaxNodes` is not below `MaxProcs`.
 */
export function procsOfNode(directives: ReadonlyArray<SwfDirective>): number | 'uneven' | undefined {
  const [nodes, procs] = ['MaxNodes', 'MaxProcs'].map((name) =>
    Number(/^[1-9]\d{0,8}(?!\S)/.exec(directiveValue(directives, name) ?? '')?.[0] ?? NaN),
  )
  if (Number.isNaN(nodes + procs) || nodes >= procs) return undefined
  return procs % nodes === 0 ? procs / nodes : 'uneven'
}
