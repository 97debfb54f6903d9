import { flag, list, named, nothing, number, oneOf, orNull, struct, text, union } from './kinds.ts'
import { Written } from './files.ts'

const FoundFault = named(
  'FoundFault',
  'Fault of a run, and the command that shows the fault: `simulate`, or a command that reads the log of the run.',
  { command: oneOf(['audit', 'metrics', 'rerun', 'simulate', 'state']), problem: text() },
)

/** Results of commands with `--json`, by command. */
export const fuzzResults = {
  fuzz: union([
    struct({
      runs: number(),
      unserved: number(
        'Number of runs that did not start, because the policy or the router does not serve the machine.',
      ),
      records: number(),
      tests: number(),
      seed: number(),
      fault: orNull(
        struct({
          command: oneOf(['audit', 'metrics', 'rerun', 'simulate', 'state']),
          problem: text(),
          run: number(),
          again: text(),
          jobs: number(),
          reproduce: text(),
        }),
      ),
    }),
    struct({
      runs: number(),
      forged: number(),
      unwritable: number(
        'Number of forgeries that no command reads, because the writer of logs refuses the changed records.',
      ),
      seed: number(),
      fault: orNull(struct({ command: text(), problem: text(), reproduce: text() })),
    }),
    struct({
      logs: number('Number of sound logs that were forged.'),
      mutants: number(),
      unwritable: number('Number of changes that no log can hold, because the writer of logs refuses the records.'),
      byAudit: number('Number of forged logs that `audit` alone refuses.'),
      byRerun: number('Number of forged logs that `audit` accepts and `audit --rerun` refuses.'),
      harmless: number(
        'Number of forged logs that `audit --rerun` accepts, and whose metrics are the metrics of the sound log.',
      ),
      acceptedLies: number('Number of forged logs that `audit --rerun` accepts, and whose metrics differ.'),
      unchanged: list(text(), 'Pairs of a record type and a field that the forger did not change.'),
      seed: number(),
      accepted: list(struct({ change: text(), count: number(), isKnown: flag(), run: text() })),
      file: orNull(text()),
    }),
  ]),
  minimise: union([
    struct({
      fault: FoundFault,
      jobs: struct({ from: number(), to: number() }),
      topology: struct({ from: text(), to: text() }),
      tries: number(),
      minimal: flag(),
      files: list(Written),
      reproduce: text(),
    }),
    struct({ fault: nothing() }),
  ]),
}
