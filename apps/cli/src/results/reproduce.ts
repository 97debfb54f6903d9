import { flag, list, named, number, oneOf, orNull, struct, text, union } from './kinds.ts'
import { RunSpec } from './runs.ts'
import { ShardOutcome } from './sweep.ts'

export const Unit = oneOf(['count', 'hours', 'points', 'ratio', 'seconds', 'share', 'statement']).annotate({
  identifier: 'Unit',
  description:
    "Unit of a compared value. - share: a fraction of 1; a difference is in percentage points. - points: a difference of two shares. - ratio: a value relative to Baseline's value, or a factor. - count: a number of jobs, nodes or samples. - hours: a wait or another length of time. - seconds: a scheduling time; a difference is a factor. - statement: no number; the statement holds or does not hold.",
})
export type Unit = typeof Unit.Type

const Comparison = named('Comparison', 'Value or statement of a paper, and our result beside it.', {
  section: text('Section, figure or table of the paper.'),
  what: text(),
  paper: orNull(
    struct({ low: number(), high: number() }),
    'Value of the paper, as a range if the paper states a range or rounds. Null for a statement without a number.',
  ),
  ours: orNull(
    union([flag(), number()]),
    "Our value, or true if the paper's statement holds; null if a trace or a policy is not at hand.",
  ),
  difference: orNull(
    number(),
    "Our value minus the nearest value of the paper's range, 0 inside the range. For the unit `seconds`, our value divided by the nearest value. Null if one of the values is missing.",
  ),
  unit: Unit,
})

const ReportTable = named(
  'ReportTable',
  'Table of a report: its title, the heading of each column, and the texts of the rows.',
  { title: text(), heading: list(text()), rows: list(list(text())) },
)

const PaperReport = named('PaperReport', 'Comparison of our results with the values of a paper.', {
  name: text(),
  title: text(),
  source: text(),
  firstJobs: orNull(number()),
  comparisons: list(Comparison),
  tables: list(ReportTable),
  files: list(text()),
})

/** Results of commands with `--json`, by command. */
export const reproduceResults = {
  reproduce: union([
    list(PaperReport),
    PaperReport,
    struct({ note: text(), cells: list(RunSpec) }),
    list(struct({ name: text(), title: text(), source: text(), withoutLogs: orNull(text()) })),
    ShardOutcome,
  ]),
  interference: struct({ comparisons: list(Comparison), tables: list(ReportTable) }),
}
