// Rows of the table of coverage: a row is a claim of a paper with the paper's values, each beside the place of our value
// in a stored output. The values of the paper are written down before a program compares them.
import type { Place } from './place.ts'

/** Value of a paper, and the place of our value. */
export interface Value {
  /** Description of the value: the statement of the stored output, or the table with row and column. */
  readonly of: string
  /**
   * Value or range of the paper, with the unit of stored outputs: `95.0 to 96.0 %`, `at most 10.0 %`, `1,382 h`.
   * `holds` for a statement without a number.
   */
  readonly paper: string
  readonly ours: Place
}

/** Values of a claim: at least one. */
export type Values = readonly [Value, ...ReadonlyArray<Value>]

/** Reason for the values of a claim that do not agree with the paper. */
export type Rest =
  /** The reason is known. `where`: a page of experiments or a command that shows the reason. */
  | { readonly kind: 'explained'; readonly where: string; readonly why: string }
  /** The reason is unknown. `tried`: everything that was tried. */
  | { readonly kind: 'open'; readonly tried: string }

/** Sentence, figure, table or algorithm of a paper that claims something measurable. */
export type Claim = {
  /** Section of the paper, with its figure or table. */
  readonly section: string
  /** The claim in our own words. */
  readonly claim: string
} & (
  | { readonly kind: 'compared'; readonly values: Values; readonly rest?: Rest }
  /** Definition or example that the tests of a package check. `tests`: folder of the package. */
  | { readonly kind: 'shown'; readonly tests: string; readonly remark?: string }
  /** Claim without a value of ours. `command`: a command that shows the nearest results of ours. */
  | { readonly kind: 'not compared'; readonly reason: string; readonly command?: string }
)

export function claim(section: string, text: string, values: Values, rest?: Rest): Claim {
  return { kind: 'compared', section, claim: text, values, ...(rest === undefined ? {} : { rest }) }
}

export function explained(where: string, why: string): Rest {
  return { kind: 'explained', where, why }
}

export function open(tried: string): Rest {
  return { kind: 'open', tried }
}

export function shown(section: string, text: string, tests: string, remark?: string): Claim {
  return { kind: 'shown', section, claim: text, tests, ...(remark === undefined ? {} : { remark }) }
}

export function notCompared(section: string, text: string, reason: string, command?: string): Claim {
  return { kind: 'not compared', section, claim: text, reason, ...(command === undefined ? {} : { command }) }
}

/** Values of a paper by case: by job log, scheme or size. */
type Cases = Readonly<Record<string, string>>

/**
 * Returns the values that the comparisons of a stored output have beside a paper's values.
 *
 * @param command words of the command after `cloister`; options that choose whole job logs may follow
 * @param statement text in the column `what the paper states`; `{}` stands for the case
 * @param section text in the column `section`, if several comparisons have the same statement
 * @throws Error if there is no case
 */
export function compared(command: string, statement: string, cases: Cases, section?: string): Values {
  return valuesOf(cases, (name, paper) => {
    const what = statement.replace('{}', name)
    return section === undefined
      ? { of: what, paper, ours: { command, statement: what } }
      : { of: `${section}: ${what}`, paper, ours: { command, statement: what, section } }
  })
}

/** Returns statements without numbers, as in `compared`. */
export function stated(command: string, statement: string, ...names: ReadonlyArray<string>): Values {
  return compared(command, statement, each(names.length === 0 ? [''] : names, 'holds'))
}

/**
 * Returns values in the column of a table. The cases are the rows: the first cells of a row, joined by ` / `.
 *
 * @param column heading of the column; `A, B` for a column B behind the column A if several columns have the heading B
 */
export function cells(command: string, table: string, column: string, cases: Cases): Values {
  return valuesOf(cases, (row, paper) => ({
    of: `${table}: ${row}, ${column}`,
    paper,
    ours: cell(command, table, row, column),
  }))
}

export function cell(command: string, table: string, row: string, column: string): Place {
  return { command, table, row, column }
}

/** Returns a value that several places together have. */
export function derived(of: string, paper: string, ours: Place): Values {
  return [{ of, paper, ours }]
}

/** Returns the same value of a paper for several cases. */
export function each(names: ReadonlyArray<string>, paper: string): Cases {
  return Object.fromEntries(names.map((name) => [name, paper]))
}

function valuesOf(cases: Cases, valueOf: (name: string, paper: string) => Value): Values {
  const [first, ...others] = Object.entries(cases).map(([name, paper]) => valueOf(name, paper))
  if (first === undefined) throw new Error('a claim has no value: expected at least one case')
  return [first, ...others]
}
