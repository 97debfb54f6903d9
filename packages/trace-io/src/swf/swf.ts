import type { BadLines } from '../bad-lines.ts'
import type { JobLabels } from '../job-labels.ts'
import type { AccountingFacts } from '../slurm/what-is-lacking.ts'

/**
 * The Standard Workload Format, version 2.2 (Parallel Workloads Archive): `;` lines, and a line of 18 numbers for each
 * job. An unknown value is -1.
 */

/** Names of the 18 fields in the order of the file. Times are in seconds, memory in kilobytes. */
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

/** Fields that may have decimals. All other fields are counts, or numbers that the converter of a log assigned. */
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

/** Most values of a line: some archives have up to three values of their own after the 18. */
export const mostSwfFields = 21

/** Codes of a job's status in the standard. */
export const swfStatuses: ReadonlySet<number> = new Set([-1, 0, 1, 2, 3, 4, 5])

/**
 * Largest value of a field: the seconds that an event log can hold, some 30,000 years. In ms, the number is still
 * exact.
 */
export const swfMaximum = 1_000_000_000_000

/** Line with `;`: the unchanged text after the semicolon. */
export interface SwfComment {
  readonly line: number
  readonly text: string
}

/**
 * Header directive, such as `; MaxNodes: 1002`. Lines below with more indentation continue the value, each after a
 * newline.
 */
export interface SwfDirective {
  readonly line: number
  readonly name: string
  readonly value: string
}

/**
 * Contents of an SWF file. Job `i` stands in line `lines[i]` of the file; the fields of the job are `columns.submit[i]`
 * and so on.
 */
export interface SwfTrace {
  readonly file: string
  /** All `;` lines, in order. */
  readonly comments: ReadonlyArray<SwfComment>
  /** Directives of the `;` lines, in order; a name can occur more than once. */
  readonly directives: ReadonlyArray<SwfDirective>
  readonly jobs: number
  readonly lines: Int32Array
  readonly columns: Readonly<Record<SwfField, Float64Array>>
  /** Bad lines that the reader skipped; absent if there are none. */
  readonly badLines?: BadLines
  /** Number of lines with values after the 18 of the standard; the reader skipped the values. Absent for none. */
  readonly longLines?: number
  /**
   * Share of the run time that each job communicates, in 1/1000, 0 for no communication; absent if the file does not
   * state it.
   */
  readonly communication?: Float64Array
  /** Labels of each job; absent if the file has no names, as in SWF, which has numbers. */
  readonly labels?: ReadonlyArray<JobLabels>
  /** Id of each job, such as `12_3` of an array; absent if every job has a number. */
  readonly ids?: ReadonlyArray<string>
  /** Number of rows that are no jobs of their own, by kind, such as steps or earlier runs; absent for none. */
  readonly apart?: Readonly<Record<string, number>>
  /** Graphics processors of each job, 0 for none; absent if the file does not state them. */
  readonly gpus?: Float64Array
  /** 1 for each job that uses only a part of its nodes, else 0; absent if the file does not state processors. */
  readonly onParts?: Uint8Array
  /** Further facts of a file of Slurm's accounting; absent for other files. */
  readonly accounting?: AccountingFacts
}

/** Makes a column for every field. `index` is the position of the field in `swfFields`. */
export function makeColumns(column: (field: SwfField, index: number) => Float64Array): Record<SwfField, Float64Array> {
  return Object.fromEntries(swfFields.map((field, index) => [field, column(field, index)])) as Record<
    SwfField,
    Float64Array
  >
}

/** Returns the value of the first directive with a name; undefined if no directive has the name. */
export function directiveValue(directives: ReadonlyArray<SwfDirective>, name: string): string | undefined {
  return directives.find((directive) => directive.name === name)?.value
}

/** Names of directives in the standard. A line with such a name is a directive with any indentation. */
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

/** Returns the directives of the `;` lines. Lines that neither are nor continue a directive are plain comments. */
export function readDirectives(comments: ReadonlyArray<SwfComment>): Array<SwfDirective> {
  const directives: Array<SwfDirective> = []
  let continues = 0 // Line that would continue the last directive.
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
