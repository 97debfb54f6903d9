import type { BadLines } from '../bad-lines.ts'
import type { JobLabels } from '../job-labels.ts'
import type { AccountingFacts } from '../slurm/what-is-lacking.ts'

/**
 * The Standard Workload Format, version 2.2 (Parallel Workloads Archive): `;` lines and one line of 18 numbers per job,
 * -1 where a value is unknown.
 */

/** The 18 fields in the order of the file. Times are in seconds, memory in kilobytes. */
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

/** A field of a job in the Standard Workload Format. */
export type SwfField = (typeof swfFields)[number]

/** Fields that may have decimals; the others are counts and numbers given by the converter. */
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

/** Some archives have up to three values of their own behind the 18. */
export const mostSwfFields = 21

/** The codes of a job's status that the standard knows. */
export const swfStatuses: ReadonlySet<number> = new Set([-1, 0, 1, 2, 3, 4, 5])

/** No value is larger: the seconds that an event log can hold, some 30,000 years; in milliseconds still exact. */
export const swfMaximum = 1_000_000_000_000

/** A `;` line: the text behind the semicolon, as it stands there. */
export interface SwfComment {
  readonly line: number
  readonly text: string
}

/** A header directive, `; MaxNodes: 1002`; further-indented lines below it continue its value, each after a newline. */
export interface SwfDirective {
  readonly line: number
  readonly name: string
  readonly value: string
}

/** A whole SWF file. Job `i` is line `lines[i]` of the file, its fields are `columns.submit[i]` and so on. */
export interface SwfTrace {
  readonly file: string
  /** All `;` lines, in order. */
  readonly comments: ReadonlyArray<SwfComment>
  /** The directives among them, in order; a name can occur more than once. */
  readonly directives: ReadonlyArray<SwfDirective>
  readonly jobs: number
  readonly lines: Int32Array
  readonly columns: Readonly<Record<SwfField, Float64Array>>
  /** Lines that are no jobs, and were passed over. */
  readonly badLines?: BadLines
  /** How many lines have values behind the 18 of the standard, which are passed over. */
  readonly longLines?: number
  /** Share of its run time for which each job communicates, in 1/1000, 0 for one that does not; where the file says so. */
  readonly communication?: Float64Array
  /** Who submitted each job and as what, where the file has names; SWF has numbers. */
  readonly labels?: ReadonlyArray<JobLabels>
  /** What each job is called, where that is no number for all of them: `12_3` of an array. */
  readonly ids?: ReadonlyArray<string>
  /** How many rows of the file are no jobs of their own, by what they are: steps, earlier runs. */
  readonly apart?: Readonly<Record<string, number>>
  /** Graphics processors that each job was given, 0 for none; where the file says so. */
  readonly gpus?: Float64Array
  /** 1 for each job that takes only a part of its nodes; where the file says so. */
  readonly onParts?: Uint8Array
  /** Of a file of Slurm's accounting: what else it has, and lacks. */
  readonly accounting?: AccountingFacts
}

/** Makes a column for every field. */
export function makeColumns(column: (field: SwfField, index: number) => Float64Array): Record<SwfField, Float64Array> {
  return Object.fromEntries(swfFields.map((field, index) => [field, column(field, index)])) as Record<
    SwfField,
    Float64Array
  >
}

/** Value of the first directive of that name. */
export function directiveValue(directives: ReadonlyArray<SwfDirective>, name: string): string | undefined {
  return directives.find((directive) => directive.name === name)?.value
}

/** The names that the standard defines: these are directives however far they are indented. */
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

/** Finds the directives among the `;` lines. A line that continues none and is none is plain comment. */
export function readDirectives(comments: ReadonlyArray<SwfComment>): Array<SwfDirective> {
  const directives: Array<SwfDirective> = []
  let continues = 0 // the line that would continue the last directive
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
