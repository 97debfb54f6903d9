import { byName, flag, list, named, number, oneOf, optional, orNull, struct, text, union } from './kinds.ts'
import { MetricsWithAssumptions } from './metrics.ts'

const FaultAtEnd = named('FaultAtEnd', 'Failure at which the run of the log ended: the last record of the run.', {
  message: text(),
  seq: number("Number of the record's line in the log, from 0."),
  t: number(),
})

const Violation = named('Violation', 'Record of a log that breaks an invariant.', {
  invariant: text(),
  seq: number('Seq of the record at which the violation was found: the number of its line, from 0.'),
  t: optional(number('Time of the record, in seconds.')),
  job: optional(text()),
  message: text(),
})

const UntestedClaim = named(
  'UntestedClaim',
  "A claim of the header that no invariant tested, with the reason. Any untested claim makes an audit's `ok` false.",
  {
    claim: text("Field of the header's `policy.claims`, such as `links`, or an option of the run, such as `runTimes`."),
    reason: text(),
  },
)

export const WholeReport = named(
  'WholeReport',
  'Report of the auditor, with the results of `--matrices`, `--rerun` and `--metrics` if these options are given.',
  {
    ok: flag('True if the log is whole, no invariant is violated, and `untestedClaims` is empty.'),
    status: oneOf(
      ['corrupt', 'torn', 'unsealed', 'whole'],
      "Status of the log from the reader's outcome; only `whole` or `unsealed` if the records came without a reader.",
    ),
    outcome: optional(
      union(
        [
          struct({ records: number(), sealed: number(), bytes: number(), status: oneOf(['whole']) }),
          struct({
            records: number(),
            sealed: number(),
            bytes: number(),
            status: oneOf(['unsealed']),
            fault: optional(FaultAtEnd),
          }),
          struct({
            records: number(),
            sealed: number(),
            bytes: number(),
            status: oneOf(['torn']),
            line: number(),
            reason: text(),
          }),
          struct({
            records: number(),
            sealed: number(),
            bytes: number(),
            status: oneOf(['corrupt']),
            offset: number(),
            line: number(),
            reason: text(),
          }),
        ],
        'Outcome of the reader; absent if the records came without a reader.',
      ),
    ),
    records: number('Number of audited records.'),
    checked: byName(number(), 'Number of tests of each invariant, for invariants with at least one test.'),
    notApplicable: byName(
      text(),
      'Reason for each invariant without a test, each claim that no log can show, and `matrix-ranks` of the CLI.',
    ),
    untestedClaims: list(
      UntestedClaim,
      'Claims of the header that no invariant tested; empty for a log without allocations.',
    ),
    violations: list(
      Violation,
      'First violations of each invariant, at most `LISTED_VIOLATIONS` an invariant, in the order of the log.',
    ),
    violationCounts: byName(
      number(),
      'Number of violations of each violated invariant, including the violations that `violations` does not list.',
    ),
    communication: optional(
      struct(
        { starts: number(), hopBytes: number(), effectiveHopBytes: number() },
        'Sums over all starts of jobs with a communication matrix.',
      ),
    ),
    rerun: optional(
      struct({
        policy: text('Name and version of the policy that ran again, as `NAME@VERSION`.'),
        compared: number(
          "Number of the log's records before the first difference, or of all records; 0 if the log cannot be run again.",
        ),
      }),
    ),
    metrics: optional(
      orNull(
        MetricsWithAssumptions,
        'Output of `cloister metrics --json`. Null if the log is corrupt, has no record, or has contradictory records.',
      ),
    ),
  },
)
export type WholeReport = typeof WholeReport.Type

const NamedReport = named('NamedReport', 'Report on one of several logs, with the name of the log.', {
  ...WholeReport.fields,
  log: text(),
})

/** Results of commands with `--json`, by command. */
export const auditResults = { audit: union([list(NamedReport), WholeReport]) }
