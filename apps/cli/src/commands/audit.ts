import { auditLogFile } from '../log/audit.ts'
import { Command, Flag } from 'effect/cli'
import {
  integerFlag,
  jsonFlag,
  logArgument,
  matricesFlag,
  maxQuestionsFlag,
  onFlag,
  textFlag,
  type Options,
} from './flags.ts'

const flags = {
  log: logArgument,
  permutations: integerFlag(
    'permutations',
    'N',
    'Also route N random permutations of every allocation\nThe nodes of an allocation send along each permutation over the links of the allocation, with at most one flow on a link. A permutation without such routes is a violation.',
  ).pipe(Flag.optional),
  adaptiveRouting: onFlag(
    'adaptive-routing',
    'Also check isolation under adaptive routing\nEvery shortest route between two nodes of a job must use only links of the allocation of the job.',
  ),
  rerun: onFlag(
    'rerun',
    'Also run the policy again on the inputs of the log\nThe decisions and claims of the policy, and the checksum of a generated workload, must equal the log.',
  ),
  policy: textFlag(
    'policy',
    'NAME',
    'Policy of the log for --rerun, as a file or a package\nNeeded if the policy of the log is not built in.',
  ).pipe(Flag.optional),
  metrics: onFlag(
    'metrics',
    'Measure the run in the same pass over the log\nPrints the figures of `cloister metrics` after the result of the audit.',
  ),
  matrices: matricesFlag,
  maxQuestions: maxQuestionsFlag,
  json: jsonFlag,
}

export const audit = Command.make('audit', flags, (options) => auditLogFile(options)).pipe(
  Command.withDescription(
    'Check a log against every rule of the format and every claim\nThe auditor shares no code with the simulator.\nExit codes: 0 for a whole, sealed log without a violation; 1 for a violation or an untested claim; 2 for a corrupt or unreadable log; 3 for a log without a violation that is not whole.',
  ),
  Command.withExamples([
    { command: 'cloister audit run.ndjson.zst', description: 'Check a log' },
    { command: 'cloister audit run.ndjson --rerun', description: 'Check a log, and run its policy again' },
    { command: 'cloister audit run.ndjson --metrics', description: 'Check and measure a log in one pass' },
  ]),
)
